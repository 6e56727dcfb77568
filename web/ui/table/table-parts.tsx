import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { naturalDirection, type SortDirection } from '../../../contract/calls/list-order.ts';
import { classNames } from '../class-names.ts';

export interface Column<Sort extends string> {
  label: string;
  /** Class name of the column's width; empty if the column takes the rest. */
  width: string;
  /** Class names that hide the header on narrow screens. The column's cells need the same ones. */
  shown: string;
  /** The order that the button in the header chooses; absent if there is no button. */
  sort?: Sort;
  /** True if only screen readers get the label. */
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
 * Shows the header of a list. It sticks below `--table-top`, by default below the page's header. Below 720 px it is only for
 * screen readers and has no buttons.
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

/** Returns the direction that a click on the column chooses: the default of the order first, then the opposite one. */
function nextDirection(sort: string, direction: SortDirection | null): SortDirection {
  if (direction === null) return naturalDirection(sort);
  return direction === 'asc' ? 'desc' : 'asc';
}

/** Shows the direction of the order. Without a direction, takes the same space. */
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

/** Takes the space of rows that are not mounted. */
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
  /** The body of the table. */
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
