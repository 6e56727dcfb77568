import { useEffect } from 'react';
import { cardElement } from '../domain-actions.ts';
import { rangesOf } from './pages-in-view.ts';
import type { DomainList } from './use-domain-list.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Where the user wants to be in the list: on the domain at `index`, loaded or not. */
export interface ListTarget {
  index: number;
}

export interface ListWindowOptions {
  list: DomainList;
  /** What is wanted and not reached yet. */
  target: ListTarget | null;
  /** The target is loaded and mounted: its id, and the element that takes the focus for it. */
  onReached: (id: string, element: HTMLElement) => void;
}

interface Shape {
  columns: number;
  /** Of one row, in px. */
  estimate: number;
  gap: number;
  overscan: number;
}

/** The stretch of the list that is in view: reads its pages, and goes where the target is. */
export function useListWindow({ list, target, onReached }: ListWindowOptions, shape: Shape) {
  const { columns, ...rest } = shape;
  const total = list.total ?? 0;
  const keep = target && Math.floor(target.index / columns);
  const virtual = useVirtualRows({ count: Math.ceil(total / columns), ...rest, keep });

  const { show } = list;
  const rowNumbers = virtual.rows.map(({ index }) => index);
  const rowsKey = rowNumbers.join();
  useEffect(() => {
    show(rangesOf(rowNumbers).map(([first, last]) => [first * columns, (last + 1) * columns - 1] as const));
    // The numbers are what the key says.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [show, rowsKey, columns]);

  const { scrollTo } = virtual;
  useEffect(() => {
    if (target) scrollTo(Math.floor(target.index / columns));
    // Once for every target.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [target, columns]);
  useEffect(() => {
    const domain = target && list.at(target.index);
    const element = domain && cardElement(domain.id);
    if (domain && element) onReached(domain.id, element);
  });

  // Another list begins at its top.
  const { scrollMargin } = virtual;
  useEffect(() => {
    if (window.scrollY > scrollMargin) window.scrollTo({ top: Math.max(0, scrollMargin - 140) });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [list.filter]);

  return virtual;
}
