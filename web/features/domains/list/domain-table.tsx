import { classNames } from '../../../ui/class-names.ts';
import { useMediaQuery } from '../panel/use-media-query.ts';
import type { DomainListProps } from './domain-grid.tsx';
import { DomainRow, ROW_CELL } from './domain-row.tsx';
import { FailedCell, saysFailure } from './failed-cell.tsx';
import { RowSkeleton } from './skeletons.tsx';
import { useListWindow } from './use-list-window.ts';

const ROW_PX = 57;
const PHONE_ROW_PX = 65;
// Below 1100 px the last check is left out, below 900 the bar, below 720 all but what is due and when.
const HEAD = [
  { label: 'Domain', className: 'pl-4 md:pl-5' },
  { label: 'Remaining', className: 'w-[138px] md:w-[158px]' },
  { label: 'Expires On', className: 'w-[172px] max-md:hidden' },
  { label: 'Lifetime', className: 'hidden w-[19%] [@media(min-width:900px)]:table-cell' },
  { label: 'Revocation', className: 'w-[118px] max-md:hidden' },
  { label: 'Checked', className: 'hidden w-[118px] xl:table-cell' },
];
const COLUMNS = HEAD.length + 1;

/** The domains as rows of a table, of which only those in view are mounted. */
export function DomainTable(props: DomainListProps) {
  const { list, now, openId, actions } = props;
  const isMedium = useMediaQuery('(min-width: 45rem)');
  const estimate = isMedium ? ROW_PX : PHONE_ROW_PX;
  const { attach, focusHandlers, rows, after, measure } = useListWindow(props, {
    columns: 1,
    estimate,
    gap: 0,
    overscan: 8,
  });
  return (
    <div
      className={classNames(
        'rounded-4 border border-line bg-surface shadow-1',
        list.isPlaceholder && 'opacity-60',
      )}
    >
      <table
        aria-label="Domains"
        aria-rowcount={(list.total ?? 0) + 1}
        aria-busy={list.isPlaceholder}
        className="w-full table-fixed border-separate border-spacing-0 text-left"
      >
        <thead className="max-md:sr-only">
          <tr aria-rowindex={1}>
            {HEAD.map(({ label, className }) => (
              <th
                key={label}
                scope="col"
                className={classNames(
                  'h-[38px] border-b border-line bg-sunken pr-4 text-meta font-[500] text-fg-3 first:rounded-tl-[11px]',
                  className,
                )}
              >
                {label}
              </th>
            ))}
            <th scope="col" className="w-12 rounded-tr-[11px] border-b border-line bg-sunken">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody ref={attach} {...focusHandlers}>
          {rows.flatMap(({ index, gapBefore }) => {
            const domain = list.at(index);
            const error = list.errorAt(index);
            return [
              gapBefore > 0 && <Spacer key={`before-${index}`} height={gapBefore} />,
              domain ? (
                <DomainRow
                  key={domain.id}
                  ref={measure}
                  domain={domain}
                  index={index}
                  now={now}
                  isOpen={domain.id === openId}
                  actions={actions}
                />
              ) : (
                <tr
                  key={`row-${index}`}
                  ref={measure}
                  data-row={index}
                  aria-rowindex={index + 2}
                  aria-hidden={error === null ? true : undefined}
                >
                  <td colSpan={COLUMNS} className={classNames(ROW_CELL, 'pl-4 md:pl-5')}>
                    {error !== null && saysFailure(index) ? (
                      <FailedCell error={error} onRetry={list.retry} />
                    ) : (
                      <RowSkeleton />
                    )}
                  </td>
                </tr>
              ),
            ];
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are not mounted. */
function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden="true">
      <td aria-hidden="true" colSpan={COLUMNS} className="p-0" style={{ height }} />
    </tr>
  );
}
