import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import { exportCertificates } from '../../../contract/calls/certificate.ts';
import { STATE_NAMES } from '../../../contract/state-words.ts';
import type { CertificateSort } from '../../../contract/calls/list-order.ts';
import type { ListStatus } from '../../../contract/words.ts';
import { counted, grouped } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { LifetimeBar } from '../../ui/certificate/lifetime-bar.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { Select } from '../../ui/form/select-field.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Time } from '../../ui/time.tsx';
import { ExportCsv } from '../../domain/export-csv.tsx';
import { SectionError } from '../../domain/section-error.tsx';
import { CertificatePage } from './certificate-page.tsx';
import { DomainName, lifetimeOfCertificate, Remaining, RenewalNote } from './certificate-parts.tsx';
import { queryOf, useCertificates } from './certificate-queries.ts';
import { useCertificatesSearch } from './certificates-search.ts';

const ALL = 'all';
const STATUSES: { value: ListStatus | typeof ALL; label: string }[] = [
  { value: ALL, label: 'All certificates' },
  { value: 'expired', label: STATE_NAMES.expired },
  { value: 'critical', label: STATE_NAMES.critical },
  { value: 'soon', label: STATE_NAMES.soon },
  { value: 'revoked', label: STATE_NAMES.revoked },
  { value: 'problem', label: 'With problems' },
];
const SORTS: { value: CertificateSort; label: string }[] = [
  { value: 'soonest', label: 'Expiring soonest' },
  { value: 'name', label: 'Name' },
  { value: 'domains', label: 'Most domains' },
];

/** Shows the list of certificates, or one of them. */
export function CertificatesPage() {
  const { certificate, ...list } = useCertificatesSearch();
  return certificate === undefined ? (
    <CertificateList {...list} />
  ) : (
    <CertificatePage fingerprint={certificate} />
  );
}

/** Lists each certificate that the account's domains serve, once. */
function CertificateList({
  search,
  change,
}: Pick<ReturnType<typeof useCertificatesSearch>, 'search' | 'change'>) {
  usePageTitle('Certificates');
  const now = useNow();
  const read = useCertificates(search);
  const input = useRef<HTMLInputElement>(null);
  const certificates = read.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = read.data?.pages[0]?.total ?? null;
  const isFiltered = search.q !== undefined || search.status !== undefined;
  return (
    <div className="wrap pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Certificates
      </h1>
      <p className="mt-1 text-body text-fg-2">
        Each certificate that your domains serve, once
        {total !== null && total > 0 && (
          <>
            {': '}
            <span className="num">{grouped(total)}</span> in all
          </>
        )}
        .
      </p>
      {(isFiltered || total !== 0) && (
        <div className="mt-5 mb-3 flex flex-wrap items-center gap-2">
          <SearchField
            ref={input}
            label="Find by name, domain, tag or note"
            value={search.q}
            hits={search.q === undefined ? null : total}
            onSearch={(q) => change({ q })}
            className="w-full md:w-72"
          />
          <div className="flex-1 md:w-52 md:flex-none">
            <Select
              label="Status"
              value={search.status ?? ALL}
              onChange={(status) => change({ status: status === ALL ? undefined : status })}
              options={STATUSES}
              className="md:min-h-9!"
            />
          </div>
          <div className="flex-1 md:w-48 md:flex-none">
            <Select
              label="Order"
              value={search.order ?? 'soonest'}
              onChange={(order) => change({ order })}
              options={SORTS}
              className="md:min-h-9!"
            />
          </div>
          <span className="flex-1 max-md:hidden" />
          <ExportCsv file={exportCertificates} query={queryOf(search)} what="certificates" />
        </div>
      )}
      {read.error && !read.data ? (
        <SectionError
          title="Could not load your certificates"
          note="Checks continue."
          error={read.error}
          isRetrying={read.isFetching}
          onRetry={() => void read.refetch()}
        />
      ) : read.isPending ? (
        <Loading />
      ) : certificates.length === 0 ? (
        <Nothing isFiltered={isFiltered} onClear={() => change({ q: undefined, status: undefined })} />
      ) : (
        <>
          <CertificateTable certificates={certificates} total={total ?? 0} now={now} />
          {read.hasNextPage && (
            <div className="mt-4 flex items-center gap-3">
              <Button
                variant="outline"
                busy={read.isFetchingNextPage}
                onClick={() => void read.fetchNextPage()}
              >
                Show more
              </Button>
              <span className="num text-label text-fg-3">
                {grouped(certificates.length)} of {grouped(total ?? 0)}
              </span>
              {read.isFetchNextPageError && (
                <span role="alert" className="text-label text-critical-fg">
                  Could not load more. Try again.
                </span>
              )}
            </div>
          )}
        </>
      )}
    </div>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <p className="mt-6 text-body text-fg-2">
        No certificate matches.{' '}
        <button type="button" className="link" onClick={onClear}>
          Clear
        </button>
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

const HEAD_CELL = 'h-9 border-b border-line pr-4 text-left text-meta font-[520] text-fg-3';
const CELL = 'border-b border-line py-2.5 pr-4 align-middle group-last/row:border-b-0';
/** A column that has no room below 900 px. */
const BROAD = 'hidden [@media(min-width:900px)]:table-cell';

function CertificateTable({
  certificates,
  total,
  now,
}: {
  certificates: readonly CertificateWire[];
  total: number;
  now: number;
}) {
  return (
    <div className="overflow-hidden rounded-4 border border-line bg-surface px-4">
      <table
        aria-label="Certificates"
        aria-rowcount={total + 1}
        className="w-full table-fixed border-collapse"
      >
        {/* Not on the cells of the head, which takes no room below 720 px. */}
        <colgroup>
          <col />
          <col className="hidden w-[132px] md:table-column" />
          <col className="hidden w-[158px] md:table-column" />
          <col className="hidden w-[14%] [@media(min-width:900px)]:table-column" />
          <col className="hidden w-[26%] md:table-column" />
        </colgroup>
        <thead className="max-md:sr-only">
          <tr>
            <th scope="col" className={HEAD_CELL}>
              Certificate
            </th>
            <th scope="col" className={`${HEAD_CELL} hidden md:table-cell`}>
              Remaining
            </th>
            <th scope="col" className={`${HEAD_CELL} hidden md:table-cell`}>
              Expires On
            </th>
            <th scope="col" className={`${HEAD_CELL} ${BROAD}`}>
              Lifetime
            </th>
            <th scope="col" className={`${HEAD_CELL} hidden md:table-cell`}>
              Served by
            </th>
          </tr>
        </thead>
        <tbody>
          {certificates.map((certificate) => (
            <CertificateRow key={certificate.fingerprint} certificate={certificate} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CertificateRow({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const { fingerprint, display_name: name, name_count: nameCount, issuer, tags } = certificate;
  const others = nameCount - 1;
  return (
    <tr className="group/row">
      <td className={CELL}>
        <Link
          to="/certificates"
          search={{ certificate: fingerprint }}
          className="inline-flex min-h-6 max-w-full items-center font-mono text-[13.5px] font-[560] no-underline [overflow-wrap:anywhere] hover:underline"
        >
          {name || 'Without a name'}
        </Link>
        <span className="my-1 flex flex-wrap items-center gap-x-3 md:hidden">
          <Remaining certificate={certificate} now={now} />
          <span className="text-meta">
            <RenewalNote certificate={certificate} now={now} />
          </span>
        </span>
        <span className="block truncate text-meta text-fg-3">
          {others > 0 && `${counted(others, 'more name')} · `}
          {issuer === '' ? 'Unknown issuer' : issuer}
          {tags.length > 0 && ` · ${tags.join(', ')}`}
        </span>
        <span className="block text-meta text-fg-3 md:hidden">
          {counted(certificate.domain_count, 'domain')}
        </span>
      </td>
      <td className={`${CELL} hidden md:table-cell`}>
        <Remaining certificate={certificate} now={now} />
        <span className="block text-meta">
          <RenewalNote certificate={certificate} now={now} />
        </span>
      </td>
      <td className={`${CELL} num hidden text-[13.5px] text-fg-2 md:table-cell`}>
        <Time iso={certificate.expiry_date} />
      </td>
      <td className={`${CELL} ${BROAD}`}>
        <LifetimeBar lifetime={lifetimeOfCertificate(certificate, now)} now={now} />
      </td>
      <td className={`${CELL} hidden text-label md:table-cell`}>
        <ServedBy certificate={certificate} />
      </td>
    </tr>
  );
}

function ServedBy({ certificate }: { certificate: CertificateWire }) {
  const { domains, domain_count: count, fingerprint } = certificate;
  const [first] = domains;
  if (!first) return null;
  return (
    <>
      <DomainName domain={first} />
      {count > 1 && (
        <>
          {' '}
          <Link
            to="/certificates"
            search={{ certificate: fingerprint }}
            className="num link whitespace-nowrap"
          >
            and {grouped(count - 1)} more
          </Link>
        </>
      )}
    </>
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
