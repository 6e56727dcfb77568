import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { naturalDirection, type SortDirection } from '../../../contract/calls/list-order.ts';
import { classNames } from '../class-names.ts';

export interface Column<Sort extends string> {
  label: string;
  /** Class name of its width; empty: it takes the rest. */
  width: string;
  /** Class names that hide it on narrow screens, the same as those of its cells. */
  shown: string;
  /** The order that its button chooses. */
  sort?: Sort;
  /** Only screen readers get the label. */
  isLabelHidden?: boolean;
}

export interface ListOrder<Sort extends string> {
  sort: Sort;
  direction: SortDirection;
}

interface TableHeadProps<Sort extends string> {
  columns: readonly Column<Sort>[];
  order?: ListOrder<Sort>;
  onOrder?: (order: ListOrder<Sort>) => void;
}

/**
 * Shows the header of a list, which stays in view below `--table-top`, by default the page's header. Below 720 px it is only for screen
 * readers, and without buttons.
 */
function TableHead<Sort extends string>({ columns, order, onOrder }: TableHeadProps<Sort>) {
  return (
    <thead data-sticky-head="">
      <tr aria-rowindex={1}>
        {columns.map(({ label, width, shown, sort, isLabelHidden = false }, column) => {
          const direction = sort !== undefined && sort === order?.sort ? order.direction : null;
          return (
            <th
              key={label}
              scope="col"
              aria-sort={direction === null ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
              className={classNames(
                'z-5 border-line bg-sunken text-left text-meta font-[500] text-fg-3 first:rounded-tl-[11px] last:rounded-tr-[11px] md:top-(--table-top,60px) md:h-[38px] md:border-b md:pr-4 md:[@media(min-height:560px)]:sticky',
                column === 0 && 'md:pl-5',
                width,
                shown,
              )}
            >
              {sort === undefined || onOrder === undefined ? (
                <span className={isLabelHidden ? 'sr-only' : 'max-md:sr-only'}>{label}</span>
              ) : (
                <>
                  <span className="sr-only md:hidden">{label}</span>
                  <button
                    type="button"
                    onClick={() => onOrder({ sort, direction: nextDirection(sort, direction) })}
                    className={classNames(
                      '-ml-1.5 inline-flex min-h-6 items-center gap-1 rounded-1 px-1.5 hover:text-fg max-md:hidden',
                      direction !== null && 'text-fg',
                    )}
                  >
                    {label}
                    <Arrow direction={direction} />
                  </button>
                </>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Returns the direction that a click on the column chooses: at first the default of the order, then the opposite. */
function nextDirection(sort: string, direction: SortDirection | null): SortDirection {
  if (direction === null) return naturalDirection(sort);
  return direction === 'asc' ? 'desc' : 'asc';
}

/** Shows the direction; keeps its place if there is none. */
function Arrow({ direction }: { direction: SortDirection | null }) {
  const Icon = direction === 'desc' ? ArrowDown : ArrowUp;
  return (
    <Icon
      className={classNames('size-3.5 flex-none', direction === null && 'invisible')}
      strokeWidth={1.8}
      aria-hidden="true"
    />
  );
}

/** Takes the space of the rows that are not mounted. */
export function SpacerRow({ columns, height }: { columns: number; height: number }) {
  return (
    <tr aria-hidden="true">
      <td aria-hidden="true" colSpan={columns} className="p-0" style={{ height }} />
    </tr>
  );
}

interface ListTableProps<Sort extends string> extends TableHeadProps<Sort> {
  label: string;
  list: { total: number | null; isPlaceholder: boolean };
  frame?: Ref<HTMLDivElement>;
  isBesidePanel?: boolean;
  /** The body. */
  children: ReactNode;
}

/** Shows a list as a table of which only the rows in view are mounted, and tells screen readers the number of all rows. */
export function ListTable<Sort extends string>({
  label,
  list,
  frame,
  isBesidePanel = false,
  children,
  ...head
}: ListTableProps<Sort>) {
  return (
    <div
      ref={frame}
      data-beside-panel={isBesidePanel || undefined}
      className={classNames(
        'group/table rounded-4 border border-line bg-surface shadow-1',
        list.isPlaceholder && 'opacity-60',
      )}
    >
      <table
        aria-label={label}
        aria-rowcount={(list.total ?? 0) + 1}
        aria-busy={list.isPlaceholder}
        className="w-full table-fixed border-separate border-spacing-0 text-left"
      >
        <TableHead {...head} />
        {children}
      </table>
    </div>
  );
}
