import { useCallback, useEffect, useRef, useState } from 'react';
import { pagesInView } from './virtual-layout.ts';
import type { RowRange } from './virtual-layout.ts';

/** Pages that are only scrolled past are not read. */
const SCROLL_DEBOUNCE_MS = 80;
const FIRST_PAGE: readonly number[] = [1];

/** Returns the numbers of the pages in view, and a function that sets the rows in view; it takes effect once scrolling stops. */
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
