import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Virtualizer } from '@tanstack/react-virtual';
import type { FocusEvent } from 'react';
import { gapsBefore, withRow } from './virtual-layout.ts';

/** Below the header, and above the bar that adds on a phone. */
const SCROLL_PADDING = { start: 76, end: 96 };

interface VirtualRowsOptions {
  count: number;
  /** In px; what is mounted is measured. */
  estimate: number;
  /** In px, as the style sheet has it. */
  gap: number;
  overscan: number;
  /** A row that stays mounted wherever it is, beside that with the focus. */
  keep: number | null;
}

/** Those rows of a long list that are in view, and the one with the focus, which scrolling does not take away. */
export function useVirtualRows({ count, estimate, gap, overscan, keep }: VirtualRowsOptions) {
  const place = useRef<HTMLElement>(null);
  const attach = useCallback((element: HTMLElement | null) => {
    place.current = element;
  }, []);
  const [scrollMargin, setScrollMargin] = useState(0);
  const [focusedRow, setFocusedRow] = useState<number | null>(null);

  // Nothing of it goes on to anything that is memoised.
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
  // Sizes of other columns are no longer sizes.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, estimate]);

  // What stands above the list comes and goes, and with it the list moves.
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
    /** The ref of the element that has the rows. */
    attach,
    scrollMargin,
    rows: items.map(({ index }, position) => ({ index, gapBefore: gaps[position] ?? 0 })),
    /** In px, below the last row. */
    after,
    measure: virtualizer.measureElement,
    scrollTo: (row: number) => virtualizer.scrollToIndex(row, { align: 'auto' }),
    focusHandlers: {
      onFocus: ({ target }: FocusEvent) => {
        const row = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
        setFocusedRow(row === undefined ? null : Number(row));
      },
      onBlur: ({ target, relatedTarget, currentTarget }: FocusEvent) => {
        // The window lost the focus, and with it nothing in it.
        if (relatedTarget === null && document.activeElement === target) return;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setFocusedRow(null);
      },
    },
  };
}

/** What the browser has laid out anyway: to ask a new row for its size would make it lay out the page once more. */
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
