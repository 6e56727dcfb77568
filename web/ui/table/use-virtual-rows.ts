import { defaultRangeExtractor, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { gapsBefore, withRow } from './virtual-layout.ts';

/** Space in px that the header and the toolbar cover at the top, and the phone's add bar at the bottom. */
const SCROLL_PADDING = { start: 160, end: 96 };

interface VirtualRowsOptions {
  count: number;
  /** Estimated height of a row in px; mounted rows are measured. */
  estimate: number;
  /** Gap between rows in px, as in the style sheet. */
  gap: number;
  overscan: number;
  /** A row that stays mounted even out of view, in addition to the focused one; null for none. */
  keep: number | null;
}

/** Mounts the rows in view and the focused one, so that scrolling does not lose the focus. */
export function useVirtualRows({ count, estimate, gap, overscan, keep }: VirtualRowsOptions) {
  const place = useRef<HTMLElement>(null);
  const attach = useCallback((element: HTMLElement | null) => {
    place.current = element;
  }, []);
  const [scrollMargin, setScrollMargin] = useState(0);
  const [focusedRow, setFocusedRow] = useState<number | null>(null);

  // Nothing of it is passed to memoised code.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => estimate,
    gap,
    overscan,
    scrollMargin,
    scrollPaddingStart: SCROLL_PADDING.start,
    scrollPaddingEnd: SCROLL_PADDING.end,
    indexAttribute: 'data-row',
    rangeExtractor: (range) => withRow(withRow(defaultRangeExtractor(range), focusedRow, count), keep, count),
    useFlushSync: false,
    measureElement: measuredSize,
  });
  // Sizes measured with other columns are invalid.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, estimate]);

  // Content above the list can appear and disappear, which moves the list, so its position is measured again.
  const find = useCallback(() => {
    if (place.current)
      setScrollMargin(Math.round(place.current.getBoundingClientRect().top + window.scrollY));
  }, []);
  useLayoutEffect(find, [find]);
  useEffect(() => {
    const observer = new ResizeObserver(find);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [find]);

  const items = virtualizer.getVirtualItems();
  const { gaps, after } = gapsBefore(items, { scrollMargin, gap, total: virtualizer.getTotalSize() });
  return {
    /** Ref for the container of the rows. */
    attach,
    scrollMargin,
    rows: items.map(({ index }, position) => ({ index, gapBefore: gaps[position] ?? 0 })),
    /** Space below the last row, in px. */
    after,
    measure: virtualizer.measureElement,
    scrollTo: (row: number) => virtualizer.scrollToIndex(row, { align: 'auto' }),
    focusHandlers: {
      onFocus: ({ target }: FocusEvent) => {
        const row = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
        setFocusedRow(row === undefined ? null : Number(row));
      },
      onBlur: ({ target, relatedTarget, currentTarget }: FocusEvent) => {
        // The whole window lost the focus, so the row still has it within the page.
        if (relatedTarget === null && document.activeElement === target) return;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setFocusedRow(null);
      },
    },
  };
}

/** Returns the row's size from the browser's last layout. Measuring a new row would force another layout. */
function measuredSize(
  element: Element,
  entry: ResizeObserverEntry | undefined,
  { indexFromElement, options, itemSizeCache }: Virtualizer<Window, Element>,
): number {
  const laidOut = entry?.borderBoxSize[0]?.blockSize;
  if (laidOut !== undefined) return Math.round(laidOut);
  const index = indexFromElement(element);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
}
