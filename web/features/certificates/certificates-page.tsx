import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { exportCertificates } from '../../../contract/calls/certificate.ts';
import { naturalDirection } from '../../../contract/calls/list-order.ts';
import { STATE_NAMES } from '../../../contract/state/state-words.ts';
import { messageOf } from '../../lib/api-error.ts';
import { grouped } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { SearchField } from '../../ui/form/search-field.tsx';
import { Select } from '../../ui/form/select-field.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { ExportCsv } from '../../domain/export-csv.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { SectionError } from '../../domain/section-error.tsx';
import { CertificatePage } from './certificate-page.tsx';
import { queryOf, useCertificates } from './certificate-queries.ts';
import { type CertificateOrder, CertificateTable } from './certificate-table.tsx';
import { SHOWN_STATUSES, useCertificatesSearch } from './certificates-search.ts';
import { LinkButton } from '../../ui/button.tsx';

const PrintedCertificates = lazyPart(
  async () => (await import('./printed-certificates.tsx')).PrintedCertificates,
);

const ALL = 'all';
const LABELS = {
  ...STATE_NAMES,
  attention: 'Needs attention',
  renewal_fails: 'Next renewal will fail',
};
const STATUSES = [
  { value: ALL, label: 'All certificates' },
  ...SHOWN_STATUSES.map((value) => ({ value, label: LABELS[value] })),
] as const;
const DEFAULT_ORDER: CertificateOrder = { sort: 'soonest', direction: 'asc' };
/** Orders in the menu. Below 900 px it replaces the buttons in the table's header, because some columns are hidden. */
const ORDERS: (CertificateOrder & { label: string })[] = [
  { ...DEFAULT_ORDER, label: 'Expiring soonest' },
  { sort: 'soonest', direction: 'desc', label: 'Expiring last' },
  { sort: 'name', direction: 'asc', label: 'Name, A to Z' },
  { sort: 'name', direction: 'desc', label: 'Name, Z to A' },
  { sort: 'issuer', direction: 'asc', label: 'Issuer, A to Z' },
  { sort: 'issuer', direction: 'desc', label: 'Issuer, Z to A' },
  { sort: 'domains', direction: 'desc', label: 'Most domains' },
  { sort: 'domains', direction: 'asc', label: 'Fewest domains' },
];
const keyOf = ({ sort, direction }: CertificateOrder) => `${sort} ${direction}`;

/** Shows the list of certificates, or one of them. */
export function CertificatesPage() {
  const { certificate, ...list } = useCertificatesSearch();
  return certificate === undefined ? (
    <CertificateList {...list} />
  ) : (
    <CertificatePage fingerprint={certificate} />
  );
}

type CertificateListProps = Pick<ReturnType<typeof useCertificatesSearch>, 'search' | 'change'>;

/** Lists each certificate that the account's domains serve, once. */
function CertificateList({ search, change }: CertificateListProps) {
  usePageTitle('Certificates');
  const now = useNow();
  const list = useCertificates(search);
  const { total } = list;
  const isFiltered = search.q !== undefined || search.status !== undefined;
  const sort = search.order ?? DEFAULT_ORDER.sort;
  const order: CertificateOrder = { sort, direction: search.direction ?? naturalDirection(sort) };
  const setOrder = (next: CertificateOrder) => {
    const isDefault = keyOf(next) === keyOf(DEFAULT_ORDER);
    change({
      order: isDefault ? undefined : next.sort,
      direction: next.direction === naturalDirection(next.sort) ? undefined : next.direction,
    });
  };
  return (
    <div className="wrap pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Certificates
      </h1>
      <p className="mt-1 text-body text-fg-2">
        Each certificate that your domains served when last read, once
        {total !== null && total > 0 && (
          <>
            {': '}
            <span className="num">{grouped(total)}</span> {isFiltered ? 'found' : 'in all'}
          </>
        )}
        .{' '}
        <Link to="/deadlines" className="link">
          Deadlines
        </Link>
      </p>
      {(isFiltered || total !== 0) && (
        <Controls search={search} change={change} total={total} order={order} onOrder={setOrder} />
      )}
      {list.error !== null ? (
        <SectionError title="Could not load your certificates" note="Checks continue." read={list} />
      ) : total === null ? (
        <Loading />
      ) : total === 0 ? (
        <Nothing isFiltered={isFiltered} onClear={() => change({ q: undefined, status: undefined })} />
      ) : (
        <>
          <PrintedCertificates query={queryOf(search)} />
          {list.failed !== null && (
            <p role="alert" className="mb-2 text-label text-critical-fg">
              Could not load some rows: {messageOf(list.failed)}{' '}
              <LinkButton onClick={list.refetch}>Try again</LinkButton>
            </p>
          )}
          <CertificateTable list={list} now={now} order={order} onOrder={setOrder} />
        </>
      )}
    </div>
  );
}

interface ControlsProps extends CertificateListProps {
  total: number | null;
  order: CertificateOrder;
  onOrder: (order: CertificateOrder) => void;
}

/** Searches, filters, sorts and exports the list. */
function Controls({ search, change, total, order, onOrder }: ControlsProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="mt-5 mb-3 flex flex-wrap items-center gap-2">
      <SearchField
        ref={input}
        label="Find by name, domain, tag or note"
        value={search.q}
        hits={search.q === undefined ? null : total}
        onSearch={(q) => change({ q })}
        className="w-full md:w-[280px] lg:w-[300px]"
      />
      <div className="flex-1 md:w-38 md:flex-none lg:w-52">
        <Select
          label="Status"
          value={search.status ?? ALL}
          onChange={(status) => change({ status: status === ALL ? undefined : status })}
          options={STATUSES}
          className="md:min-h-9!"
        />
      </div>
      <div className="flex-1 md:w-42 md:flex-none [@media(min-width:900px)]:hidden">
        <Select
          label="Order"
          className="md:min-h-9!"
          value={keyOf(order)}
          onChange={(key) => onOrder(ORDERS.find((one) => keyOf(one) === key) ?? DEFAULT_ORDER)}
          options={ORDERS.map((one) => ({ value: keyOf(one), label: one.label }))}
        />
      </div>
      <span className="md:ml-auto">
        <ExportCsv file={exportCertificates} query={queryOf(search)} what="certificates" />
      </span>
    </div>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <p className="mt-6 text-body text-fg-2">
        No certificate matches. <LinkButton onClick={onClear}>Clear</LinkButton>
      </p>
    );
  return (
    <p className="mt-6 text-body text-fg-2">
      There are no certificates yet. They appear once a check has read one.{' '}
      <Link to="/dashboard" className="link">
        Go to your domains
      </Link>
    </p>
  );
}

function Loading() {
  return (
    <div aria-busy="true" className="min-h-screen">
      <span className="sr-only">Loading certificates...</span>
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} className="mt-3 h-12 w-full" />
      ))}
    </div>
  );
}
