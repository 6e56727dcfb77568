import { useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** The width of an element in whole px, and again whenever it changes; null until it stands in a page. */
export function useWidth<Measured extends Element>(): [RefObject<Measured | null>, number | null] {
  const ref = useRef<Measured>(null);
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // Names and months are laid out by the width of their letters, which may arrive late.
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
