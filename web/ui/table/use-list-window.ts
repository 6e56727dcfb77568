import { useCallback, useEffect, useRef, useState } from 'react';
import { pagesInView, rangesOf, type RowRange } from './virtual-layout.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Scrolling must pause for this long before pages are read, so that pages that are scrolled past are not. */
const SCROLL_DEBOUNCE_MS = 80;
const FIRST_PAGE: readonly number[] = [1];

/** Returns the numbers of the pages in view, and a function that sets which rows are in view. Its effect starts once scrolling stops. */
export function usePagesInView(pageSize: number) {
  const [inView, setInView] = useState(FIRST_PAGE);
  const debounce = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(debounce.current), []);
  const show = useCallback(
    (ranges: readonly RowRange[]) => {
      clearTimeout(debounce.current);
      debounce.current = setTimeout(() => {
        const next = pagesInView(ranges, pageSize);
        setInView((former) => (former.join() === next.join() ? former : next));
      }, SCROLL_DEBOUNCE_MS);
    },
    [pageSize],
  );
  return { inView, show };
}

/** A list of which only some pages are loaded. */
export interface PagedRows<Row extends { id: string }> {
  /** A new object stands for a new list. */
  filter: object;
  total: number | null;
  at: (index: number) => Row | undefined;
  /** Sets the rows in view. */
  show: (ranges: readonly RowRange[]) => void;
}

/** Where the list should scroll to: the row at `index`, loaded or not. */
export interface ListTarget {
  index: number;
}

export interface ListWindowOptions<Row extends { id: string }> {
  list: PagedRows<Row>;
  /** The row to scroll to; null if there is none, or the list has scrolled to it. */
  target: ListTarget | null;
  /** Called when the target row is loaded and mounted, with its id and the element that can take the focus. */
  onReached: (id: string, element: HTMLElement) => void;
}

/** Rows mounted per frame: mounting a whole page of rows at once would block the main thread for more than 50 ms. */
const MOUNTS_PER_FRAME = 12;
const NONE: ReadonlySet<string> = new Set();

interface Shape {
  /** Returns the element of a mounted row. Needed only if there are targets. */
  elementOf?: (id: string) => HTMLElement | null;
  columns: number;
  /** Row height in px. */
  estimate: number;
  gap: number;
  overscan: number;
  /** Index of a row that stays mounted. */
  keep?: number | null;
}

/** Reads the pages in view, mounts their rows over several frames, and scrolls to the target. */
export function useListWindow<Row extends { id: string }>(
  { list, target, onReached }: ListWindowOptions<Row>,
  { columns, elementOf, keep: kept = null, ...rest }: Shape,
) {
  const total = list.total ?? 0;
  const keptIndex = target?.index ?? kept;
  const keep = keptIndex === null || keptIndex < 0 ? null : Math.floor(keptIndex / columns);
  const virtual = useVirtualRows({ count: Math.ceil(total / columns), ...rest, keep });

  const { show } = list;
  const rowNumbers = virtual.rows.map(({ index }) => index);
  const rowsKey = rowNumbers.join();
  useEffect(() => {
    show(rangesOf(rowNumbers).map(([first, last]) => [first * columns, (last + 1) * columns - 1] as const));
    // `rowsKey` stands for the rows.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [show, rowsKey, columns]);

  const inView = rowNumbers.flatMap((row) =>
    Array.from({ length: columns }, (_, column) => list.at(row * columns + column)?.id ?? []).flat(),
  );
  const mounted = useGradualMounts(inView);

  const { scrollTo } = virtual;
  useEffect(() => {
    if (target) scrollTo(Math.floor(target.index / columns));
    // Once per target.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [target, columns]);
  useEffect(() => {
    const row = target && list.at(target.index);
    const element = row && elementOf?.(row.id);
    if (row && element) onReached(row.id, element);
  });

  // A new list starts at its top.
  const { scrollMargin } = virtual;
  useEffect(() => {
    if (window.scrollY > scrollMargin) window.scrollTo({ top: Math.max(0, scrollMargin - 160) });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [list.filter]);

  return {
    ...virtual,
    /** Returns the row at an index, if it is loaded and may be mounted already. */
    at: (index: number) => {
      const row = list.at(index);
      return row && mounted.has(row.id) ? row : undefined;
    },
  };
}

/** Returns which of the ids may be mounted: those that are mounted already, and in each frame a few more. */
function useGradualMounts(ids: readonly string[]): ReadonlySet<string> {
  const [former, setFormer] = useState(NONE);
  const fresh = ids.filter((id) => !former.has(id)).slice(0, MOUNTS_PER_FRAME);
  const mounted = new Set([...ids.filter((id) => former.has(id)), ...fresh]);
  useEffect(() => {
    if (fresh.length === 0) return undefined;
    const frame = requestAnimationFrame(() => setFormer(mounted));
    return () => cancelAnimationFrame(frame);
  });
  return mounted;
}
