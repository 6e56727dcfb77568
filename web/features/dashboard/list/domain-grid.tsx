import { useCallback, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { useMediaQuery } from '../../../lib/use-media-query.ts';
import { cardElement, type DomainActions } from '../../../domain/domain-actions.tsx';
import { DomainCard } from './domain-card.tsx';
import { CardSkeleton, FailedCell, GRID, showsErrorAt } from './skeletons.tsx';
import { type ListWindowOptions, useListWindow } from '../../../ui/table/use-list-window.ts';
import type { DomainList } from './use-domain-list.ts';

const CARD_PX = 206;

export interface DomainListProps extends ListWindowOptions<DomainWire> {
  list: DomainList;
  now: number;
  openId: string | null;
  actions: DomainActions;
}

/** Shows the domains as cards, one to three in a row. Only those in view are mounted. */
export function DomainGrid(props: DomainListProps) {
  const { list, now, openId, actions } = props;
  const isMedium = useMediaQuery('(min-width: 45rem)');
  const { columns, grid } = useColumns();
  const [lastOpenId, setLastOpenId] = useState(openId);
  if (openId !== null && openId !== lastOpenId) setLastOpenId(openId);
  const { at, attach, focusHandlers, rows, after, measure } = useListWindow(props, {
    columns,
    elementOf: cardElement,
    estimate: CARD_PX,
    gap: isMedium ? 16 : 12,
    overscan: 3,
    // The card of the last open domain stays mounted: it keeps its place when the panel opens or closes, which changes the columns.
    keep: lastOpenId === null ? null : list.indexOf(lastOpenId),
  });
  const total = list.total ?? 0;
  return (
    <div ref={attach} {...focusHandlers} className="@container">
      <ul
        ref={grid}
        aria-label="Domains"
        aria-busy={list.isPlaceholder}
        className={classNames(GRID, list.isPlaceholder && 'opacity-60')}
        style={{ paddingBottom: after }}
      >
        {rows.flatMap(({ index: row, gapBefore }) =>
          Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
            const index = row * columns + column;
            const domain = at(index);
            return (
              <li
                key={domain?.id ?? `row-${index}`}
                ref={column === 0 ? measure : undefined}
                data-row={row}
                data-domain-id={domain?.id}
                aria-setsize={domain && total}
                aria-posinset={domain && index + 1}
                aria-hidden={domain || list.errorAt(index) !== null ? undefined : true}
                className="group/card min-w-0"
                style={gapBefore > 0 ? { marginTop: gapBefore } : undefined}
              >
                <Cell
                  domain={domain}
                  error={showsErrorAt(index) ? list.errorAt(index) : null}
                  onRetry={list.retry}
                  now={now}
                  isOpen={domain?.id === openId}
                  actions={actions}
                />
              </li>
            );
          }),
        )}
      </ul>
    </div>
  );
}

/** Follows how many columns the style sheet gives to the grid. */
function useColumns() {
  const [columns, setColumns] = useState(1);
  const grid = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const count = () => setColumns(getComputedStyle(element).gridTemplateColumns.split(' ').length);
    count();
    const observer = new ResizeObserver(count);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { columns, grid };
}

interface CellProps {
  domain: DomainWire | undefined;
  error: unknown;
  onRetry: () => void;
  now: number;
  isOpen: boolean;
  actions: DomainActions;
}

function Cell({ domain, error, onRetry, now, isOpen, actions }: CellProps) {
  if (domain) return <DomainCard domain={domain} now={now} isSelected={isOpen} actions={actions} />;
  if (error === null) return <CardSkeleton />;
  return (
    <div className="grid min-h-[206px] place-items-center rounded-4 border border-line-2 bg-surface p-[18px]">
      <FailedCell error={error} onRetry={onRetry} />
    </div>
  );
}
