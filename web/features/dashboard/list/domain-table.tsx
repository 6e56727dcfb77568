import { useEffect, useRef } from 'react';
import { naturalDirection } from '../../../../contract/calls/list-order.ts';
import type { DomainSort } from '../../../../contract/words.ts';
import { classNames } from '../../../ui/class-names.ts';
import { useMediaQuery } from '../../../lib/use-media-query.ts';
import type { DomainListProps } from './domain-grid.tsx';
import {
  BAR_HIDDEN_BESIDE_PANEL,
  DomainRow,
  HIDDEN_BESIDE_PANEL,
  REVOCATION_HIDDEN_BESIDE_PANEL,
  ROW_CELL,
} from './domain-row.tsx';
import { FailedCell, RowSkeleton, showsErrorAt } from './skeletons.tsx';
import { type Column, ListTable, SpacerRow } from '../../../ui/table/table-parts.tsx';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { cardElement } from '../../../domain/domain-actions.tsx';
import { useListWindow } from '../../../ui/table/use-list-window.ts';

const PAGE_HEADER_PX = 60;
const ROW_PX = 49;
const PHONE_ROW_PX = 99;
// Columns. The table hides the last check below 1100 px, the strip below 1060 px, and the lifetime bar below 900 px; below
// 720 px it shows only the remaining days and the expiry. An open panel takes 400 px of the width.
const HEAD: Column<DomainSort>[] = [
  { label: 'Domain', width: '', shown: '', sort: 'name' },
  {
    label: 'Remaining',
    width: 'w-[134px] [@media(min-width:900px)]:w-[144px]',
    shown: 'max-md:hidden',
  },
  {
    label: 'Expires On',
    width: 'w-[138px] [@media(min-width:900px)]:w-[150px]',
    shown: 'max-md:hidden',
    sort: 'soonest',
  },
  {
    label: 'Lifetime',
    width: 'w-[11%]',
    shown: `hidden [@media(min-width:900px)]:table-cell ${BAR_HIDDEN_BESIDE_PANEL}`,
  },
  {
    label: 'Last 30 checks',
    width: 'w-[160px]',
    shown: `hidden [@media(min-width:1060px)]:table-cell ${HIDDEN_BESIDE_PANEL}`,
  },
  {
    label: 'Revocation',
    width: 'w-[128px] [@media(min-width:900px)]:w-[148px]',
    shown: `max-md:hidden ${REVOCATION_HIDDEN_BESIDE_PANEL}`,
  },
  { label: 'Checked', width: 'w-[94px]', shown: `hidden xl:table-cell ${HIDDEN_BESIDE_PANEL}` },
  { label: 'Actions', width: 'w-12', shown: '', isLabelHidden: true },
];
/** Columns where the open panel leaves room for little more than the names: the expiry is below the remaining time. */
const NARROW_HEAD: Column<DomainSort>[] = HEAD.filter(({ label }) => label !== 'Remaining').map((column) =>
  column.sort === 'soonest' ? { ...column, width: 'w-[168px]' } : column,
);

/** Sets where the table's header sticks while scrolling: below the toolbar, whatever the toolbar's height. */
function useBelowToolbar() {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const toolbar = document.querySelector<HTMLElement>('[data-toolbar]');
    if (!toolbar) return undefined;
    const observer = new ResizeObserver(() =>
      frame.current?.style.setProperty('--table-top', `${PAGE_HEADER_PX + toolbar.offsetHeight}px`),
    );
    observer.observe(toolbar);
    return () => observer.disconnect();
  }, []);
  return frame;
}

/** Shows the domains as table rows. Only those in view are mounted. */
export function DomainTable(props: DomainListProps) {
  const { list, now, openId, actions } = props;
  const isMedium = useMediaQuery('(min-width: 45rem)');
  const isBroad = useMediaQuery('(min-width: 900px)');
  const isBroader = useMediaQuery('(min-width: 1060px)');
  const isWide = useMediaQuery('(min-width: 68.75rem)');
  const isBesidePanel = useMediaQuery('(64rem <= width < 109rem)') && openId !== null;
  const hasBarBesidePanel = useMediaQuery('(min-width: 1340px)');
  const hasRevocationBesidePanel = useMediaQuery('(min-width: 1240px)');
  const { filter, change } = useDashboardSearch();
  const frame = useBelowToolbar();
  // The number of visible columns: a cell that spans hidden columns would show them again.
  const alone = isWide ? 8 : isBroader ? 7 : isBroad ? 6 : isMedium ? 5 : 2;
  const isNarrow = isBesidePanel && !isWide;
  const besidePanel = 4 - Number(isNarrow) + Number(hasRevocationBesidePanel) + Number(hasBarBesidePanel);
  const columns = isBesidePanel ? besidePanel : alone;
  const estimate = isMedium ? ROW_PX : PHONE_ROW_PX;
  const { at, attach, focusHandlers, rows, after, measure } = useListWindow(props, {
    columns: 1,
    elementOf: cardElement,
    estimate,
    gap: 0,
    overscan: 3,
  });
  return (
    <ListTable
      label="Domains"
      list={list}
      frame={frame}
      isBesidePanel={isBesidePanel}
      columns={isNarrow ? NARROW_HEAD : HEAD}
      order={{ sort: filter.sort, direction: filter.direction ?? naturalDirection(filter.sort) }}
      onOrder={({ sort, direction }) =>
        change({ sort, direction: direction === naturalDirection(sort) ? undefined : direction })
      }
    >
      <tbody ref={attach} {...focusHandlers}>
        {rows.flatMap(({ index, gapBefore }) => {
          const domain = at(index);
          const error = list.errorAt(index);
          return [
            gapBefore > 0 && <SpacerRow key={`before-${index}`} columns={columns} height={gapBefore} />,
            domain ? (
              <DomainRow
                key={domain.id}
                ref={measure}
                domain={domain}
                index={index}
                now={now}
                isOpen={domain.id === openId}
                isNarrow={isNarrow}
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
                <td colSpan={columns} className={classNames(ROW_CELL, 'pl-4 md:pl-5')}>
                  {error !== null && showsErrorAt(index) ? (
                    <FailedCell error={error} onRetry={list.retry} />
                  ) : (
                    <RowSkeleton />
                  )}
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
