import { type RefObject, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

/** Measures the width of rendered text, in px. */
export interface TextMeasure {
  /** Width of a hostname in the monospaced font. */
  name: (text: string, size: number) => number;
  /** Width of a label of 12 px in the sans-serif font. */
  label: (text: string) => number;
}

/** Letter spacing of names, in em. */
export const NAME_TRACKING = -0.012;
const MONO_ADVANCE = 0.6;
const ASCII = /^[\x20-\x7e]*$/;
const LABEL_SIZE = 12;

/**
 * Creates a measure. It computes widths from the metrics of JetBrains Mono if the text has only letters of that font, else
 * calls `measure` with a CSS font.
 */
export function createTextMeasure(
  families: { mono: string; sans: string },
  measure: (text: string, font: string) => number,
): TextMeasure {
  return {
    name: (text, size) =>
      ASCII.test(text)
        ? text.length * (MONO_ADVANCE + NAME_TRACKING) * size
        : // The text has letters that the monospaced font lacks.
          measure(text, `600 ${size}px ${families.mono}`) + Array.from(text).length * NAME_TRACKING * size,
    label: (text) => measure(text, `560 ${LABEL_SIZE}px ${families.sans}`),
  };
}

let current: TextMeasure | undefined;

function measureOfPage(): TextMeasure {
  if (current) return current;
  const context = document.createElement('canvas').getContext('2d');
  const style = getComputedStyle(document.documentElement);
  const families = {
    mono: style.getPropertyValue('--font-mono-stack'),
    sans: style.fontFamily,
  };
  current = createTextMeasure(families, (text, font) => {
    // Without a canvas, assume that every letter is wide.
    if (!context) return text.length * LABEL_SIZE;
    context.font = font;
    return context.measureText(text).width;
  });
  return current;
}

function subscribe(listener: () => void): () => void {
  const onFonts = () => {
    current = undefined;
    listener();
  };
  // Text is measured again when fonts have loaded and when another font is chosen.
  document.fonts.addEventListener('loadingdone', onFonts);
  const observer = new MutationObserver(onFonts);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-font'] });
  return () => {
    document.fonts.removeEventListener('loadingdone', onFonts);
    observer.disconnect();
  };
}

/** Returns the measure for this page's fonts. Returns a new one whenever the fonts change. Null during prerendering. */
export function useTextMeasure(): TextMeasure | null {
  return useSyncExternalStore(subscribe, measureOfPage, () => null);
}

/** Returns the text. If it is wider than `room` px, truncates it with an ellipsis. */
export function cutToFit(text: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room) return text;
  const characters = Array.from(text);
  const cut = (length: number) => `${characters.slice(0, length).join('')}…`;
  let fits = 0;
  let tooLong = characters.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (widthOf(cut(middle)) <= room) fits = middle;
    else tooLong = middle;
  }
  return cut(fits);
}

/** Returns an element's width in whole px and follows changes; null until mounted. */
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
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
