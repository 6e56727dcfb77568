import { useEffect } from 'react';
import { cardElement } from '../../../domain/domain-actions.tsx';
import { rangesOf } from './virtual-layout.ts';
import type { DomainList } from './use-domain-list.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Where the list should scroll to: the domain at `index`, loaded or not. */
export interface ListTarget {
  index: number;
}

export interface ListWindowOptions {
  list: DomainList;
  /** The target that is not reached yet. */
  target: ListTarget | null;
  /** The target is loaded and mounted: its id, and the element that takes focus. */
  onReached: (id: string, element: HTMLElement) => void;
}

interface Shape {
  columns: number;
  /** Row height in px. */
  estimate: number;
  gap: number;
  overscan: number;
}

/** Reads the pages in view, and scrolls to the target. */
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
    // `rowsKey` stands for the rows.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [show, rowsKey, columns]);

  const { scrollTo } = virtual;
  useEffect(() => {
    if (target) scrollTo(Math.floor(target.index / columns));
    // Once per target.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [target, columns]);
  useEffect(() => {
    const domain = target && list.at(target.index);
    const element = domain && cardElement(domain.id);
    if (domain && element) onReached(domain.id, element);
  });

  // Another list starts at its top.
  const { scrollMargin } = virtual;
  useEffect(() => {
    if (window.scrollY > scrollMargin) window.scrollTo({ top: Math.max(0, scrollMargin - 160) });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [list.filter]);

  return virtual;
}
