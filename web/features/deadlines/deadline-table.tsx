import { Link } from '@tanstack/react-router';
import { memo, type Ref } from 'react';
import { BreakableName, ServedBy } from '../../domain/domain-name.tsx';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/loading.tsx';
import { type Column, ListTable, SpacerRow } from '../../ui/table/table-parts.tsx';
import { useListWindow } from '../../ui/table/use-list-window.ts';
import { Time } from '../../ui/time.tsx';
import type { DeadlineRow, useDeadlineCertificates } from './deadline-queries.ts';
import { dayText, distanceText } from './deadline-words.ts';

const ROW_PX = 61;
const PHONE_ROW_PX = 130;
const FROM_MEDIUM = 'max-md:hidden';
const HEAD: Column<never>[] = [
  { label: 'Certificate', width: '', shown: '' },
  { label: 'Date', width: 'w-[150px]', shown: FROM_MEDIUM },
  { label: 'What changes', width: 'w-[27%]', shown: FROM_MEDIUM },
  { label: 'Renewed', width: 'w-[150px]', shown: FROM_MEDIUM },
  { label: 'Served by', width: 'w-[21%]', shown: FROM_MEDIUM },
];

interface DeadlineTableProps {
  list: ReturnType<typeof useDeadlineCertificates>;
  now: number;
}

/** Lists certificates with the dates that concern them. Only the rows in view are mounted. */
export function DeadlineTable({ list, now }: DeadlineTableProps) {
  const isMedium = useMediaQuery('(min-width: 45rem)');
  // The number of visible columns: a cell that spans hidden columns would show them again.
  const columns = isMedium ? HEAD.length : 1;
  const { at, attach, focusHandlers, rows, after, measure } = useListWindow(
    { list, target: null, onReached: () => undefined },
    { columns: 1, estimate: isMedium ? ROW_PX : PHONE_ROW_PX, gap: 0, overscan: 4 },
  );
  return (
    <ListTable label="Certificates with deadlines" list={list} columns={HEAD}>
      <tbody ref={attach} {...focusHandlers}>
        {rows.flatMap(({ index, gapBefore }) => {
          const row = at(index);
          return [
            gapBefore > 0 && <SpacerRow key={`before-${index}`} columns={columns} height={gapBefore} />,
            row ? (
              <CertificateRow key={row.id} ref={measure} row={row} index={index} now={now} />
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
  row: DeadlineRow;
  index: number;
  now: number;
}

const CertificateRow = memo(function CertificateRow({ ref, row, index, now }: CertificateRowProps) {
  const { date, title } = row;
  return (
    <tr ref={ref} data-row={index} aria-rowindex={index + 2} className="group/row">
      <th scope="row" className={classNames(CELL, 'pl-4 text-left font-normal md:pl-5')}>
        <Link
          to="/certificates"
          search={{ certificate: row.fingerprint }}
          className="inline-flex min-h-6 max-w-full items-center rounded-1 font-mono text-[13.5px] font-[560] no-underline [overflow-wrap:anywhere] hover:underline"
        >
          <span>{row.display_name ? <BreakableName name={row.display_name} /> : 'Without a name'}</span>
        </Link>
        <span className="block text-meta text-fg-3">
          Expires on <Time iso={row.expiry_date} />
        </span>
        <span className="mt-1 grid gap-0.5 text-label md:hidden">
          <span>
            {dayText(date)}: {title}
          </span>
          <span>
            <Renewed row={row} />
          </span>
          <ServedBy domain={row.domain} count={row.domain_count} fingerprint={row.fingerprint} />
        </span>
      </th>
      <td className={classNames(CELL, FROM_MEDIUM, 'num text-[13.5px] text-fg-2')}>
        <time dateTime={date} className="block">
          {dayText(date)}
        </time>
        <span className="text-meta text-fg-3">{distanceText(date, now)}</span>
      </td>
      <td className={classNames(CELL, FROM_MEDIUM, 'text-label [overflow-wrap:anywhere]')}>{title}</td>
      <td className={classNames(CELL, FROM_MEDIUM, 'text-label')}>
        <Renewed row={row} />
      </td>
      <td className={classNames(CELL, FROM_MEDIUM, 'text-label')}>
        <ServedBy domain={row.domain} count={row.domain_count} fingerprint={row.fingerprint} />
      </td>
    </tr>
  );
});

function Renewed({ row: { renewed_at: renewedAt } }: { row: DeadlineRow }) {
  if (renewedAt === null)
    return (
      <span className="text-fg-2">
        Not <span className="md:hidden">renewed </span>yet
      </span>
    );
  return (
    <span className="num">
      <span className="md:hidden">Renewed on </span>
      <Time iso={renewedAt} />
    </span>
  );
}
