import { shownIssuer } from '../../domain/domain-lines.ts';
import { Link } from '@tanstack/react-router';
import { memo, type Ref } from 'react';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import type { CertificateSort } from '../../../contract/calls/list-order.ts';
import { counted } from '../../lib/format.ts';
import { LifetimeBar } from '../../ui/certificate/lifetime-bar.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/loading.tsx';
import { type Column, type ListOrder, ListTable, SpacerRow } from '../../ui/table/table-parts.tsx';
import { useListWindow } from '../../ui/table/use-list-window.ts';
import { Time } from '../../ui/time.tsx';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { BreakableName, ServedBy } from '../../domain/domain-name.tsx';
import { CertificateBadges, lifetimeOfCertificate, RenewalNote } from './certificate-parts.tsx';
import type { useCertificates } from './certificate-queries.ts';

export type CertificateOrder = ListOrder<CertificateSort>;

const ROW_PX = 61;
const PHONE_ROW_PX = 105;
/** Hides a column below 900 px. */
const FROM_900_PX = 'hidden [@media(min-width:900px)]:table-cell';
/** Hides a column below 1,060 px. */
const FROM_1060_PX = 'hidden [@media(min-width:1060px)]:table-cell';
const HEAD: Column<CertificateSort>[] = [
  { label: 'Certificate', width: '', shown: '', sort: 'name' },
  // Wide enough for the badge with the longest name of a problem.
  { label: 'Remaining', width: 'w-[206px]', shown: 'max-md:hidden' },
  { label: 'Expires On', width: 'w-[150px]', shown: 'max-md:hidden', sort: 'soonest' },
  { label: 'Issuer', width: 'w-[16%]', shown: FROM_900_PX, sort: 'issuer' },
  { label: 'Lifetime', width: 'w-[11%]', shown: FROM_1060_PX },
  { label: 'Served by', width: 'w-[21%]', shown: 'max-md:hidden', sort: 'domains' },
];

interface CertificateTableProps {
  list: ReturnType<typeof useCertificates>;
  now: number;
  order: CertificateOrder;
  onOrder: (order: CertificateOrder) => void;
}

/** Lists certificates. Only the rows in view are mounted. */
export function CertificateTable({ list, now, order, onOrder }: CertificateTableProps) {
  const isMedium = useMediaQuery('(min-width: 45rem)');
  const isBroad = useMediaQuery('(min-width: 900px)');
  const isWide = useMediaQuery('(min-width: 1060px)');
  // The number of visible columns: a cell that spans hidden columns would show them again.
  const columns = isWide ? 6 : isBroad ? 5 : isMedium ? 4 : 1;
  const { at, attach, focusHandlers, rows, after, measure } = useListWindow(
    { list, target: null, onReached: () => undefined },
    {
      columns: 1,
      estimate: isMedium ? ROW_PX : PHONE_ROW_PX,
      gap: 0,
      overscan: 4,
    },
  );
  return (
    <ListTable label="Certificates" list={list} columns={HEAD} order={order} onOrder={onOrder}>
      <tbody ref={attach} {...focusHandlers}>
        {rows.flatMap(({ index, gapBefore }) => {
          const certificate = at(index);
          return [
            gapBefore > 0 && <SpacerRow key={`before-${index}`} columns={columns} height={gapBefore} />,
            certificate ? (
              <CertificateRow
                key={certificate.fingerprint}
                ref={measure}
                certificate={certificate}
                index={index}
                now={now}
              />
            ) : (
              <tr key={`row-${index}`} ref={measure} data-row={index} aria-hidden="true">
                <td colSpan={columns} className={classNames(CELL, 'pl-4 md:pl-5')}>
                  <Skeleton className="my-2.5 h-4 w-64 max-w-full" />
                </td>
              </tr>
            ),
          ];
        })}
        {after > 0 && <SpacerRow columns={columns} height={after} />}
      </tbody>
    </ListTable>
  );
}

const CELL = 'border-b border-line py-2.5 pr-4 align-middle group-last/row:border-b-0';

interface CertificateRowProps {
  ref: Ref<HTMLTableRowElement>;
  certificate: CertificateWire;
  index: number;
  now: number;
}

const CertificateRow = memo(function CertificateRow({ ref, certificate, index, now }: CertificateRowProps) {
  const { fingerprint, display_name: name, name_count: nameCount, tags } = certificate;
  const others = nameCount - 1;
  const issuerName = shownIssuer(certificate);
  return (
    <tr ref={ref} data-row={index} aria-rowindex={index + 2} className="group/row">
      <th scope="row" className={classNames(CELL, 'pl-4 text-left font-normal md:pl-5')}>
        <Link
          to="/certificates"
          search={{ certificate: fingerprint }}
          className="inline-flex min-h-6 max-w-full items-center rounded-1 font-mono text-[13.5px] font-[560] no-underline [overflow-wrap:anywhere] hover:underline"
        >
          <span>{name ? <BreakableName name={name} /> : 'Without a name'}</span>
        </Link>
        <span className="my-1 flex flex-wrap items-center gap-x-3 gap-y-1 md:hidden">
          <CertificateBadges certificate={certificate} now={now} />
          <Time iso={certificate.expiry_date} className="num text-label text-fg-2" />
          <span className="text-meta">
            <RenewalNote certificate={certificate} now={now} />
          </span>
        </span>
        <span className="block truncate text-meta text-fg-3">
          {others > 0 && counted(others, 'more name')}
          <span className="[@media(min-width:900px)]:hidden">
            {others > 0 && ' · '}
            {issuerName}
            {tags.length > 0 && ' · '}
          </span>
          {others > 0 && tags.length > 0 && <span className="max-[899px]:hidden"> · </span>}
          {tags.join(', ')}
        </span>
        <span className="block text-meta text-fg-3 md:hidden">
          {counted(certificate.domain_count, 'domain')}
        </span>
      </th>
      <td className={classNames(CELL, 'max-md:hidden')}>
        <span className="flex flex-col items-start gap-1">
          <CertificateBadges certificate={certificate} now={now} />
        </span>
        <span className="block text-meta text-balance">
          <RenewalNote certificate={certificate} now={now} />
        </span>
      </td>
      <td className={classNames(CELL, 'num text-[13.5px] text-fg-2 max-md:hidden')}>
        <Time iso={certificate.expiry_date} />
      </td>
      <td className={classNames(CELL, FROM_900_PX, 'text-label text-fg-2 [overflow-wrap:anywhere]')}>
        {issuerName}
      </td>
      <td className={classNames(CELL, FROM_1060_PX)}>
        {!certificate.paused && <LifetimeBar lifetime={lifetimeOfCertificate(certificate, now)} now={now} />}
      </td>
      <td className={classNames(CELL, 'text-label max-md:hidden')}>
        <ServedBy
          domain={certificate.domains[0]}
          count={certificate.domain_count}
          fingerprint={fingerprint}
        />
      </td>
    </tr>
  );
});
