import { useSyncExternalStore } from 'react';

/** How wide text is when it is set, in px. */
export interface TextMeasure {
  /** Of a hostname in the mono font of that size. */
  name: (text: string, size: number) => number;
  /** Of a label of 12 px in the sans font. */
  label: (text: string) => number;
}

/** The tracking that names are set with, in em. */
export const NAME_TRACKING = -0.012;
const MONO_ADVANCE = 0.6;
const ASCII = /^[\x20-\x7e]*$/;
const LABEL_SIZE = 12;

/** By the metrics of JetBrains Mono where they decide, else as `measure` says it of a CSS font. */
export function createTextMeasure(
  families: { mono: string; sans: string },
  measure: (text: string, font: string) => number,
): TextMeasure {
  return {
    name: (text, size) =>
      ASCII.test(text)
        ? text.length * (MONO_ADVANCE + NAME_TRACKING) * size
        : // Letters that the mono font has not come from any other.
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
    // Without a canvas no letter is taken for narrower than a wide one.
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
  // Text is measured before the page's fonts have come, and again when another font is chosen.
  document.fonts.addEventListener('loadingdone', onFonts);
  const observer = new MutationObserver(onFonts);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-font'] });
  return () => {
    document.fonts.removeEventListener('loadingdone', onFonts);
    observer.disconnect();
  };
}

/** The measure of this page's fonts: another one whenever they have changed. Null where nothing is drawn. */
export function useTextMeasure(): TextMeasure | null {
  return useSyncExternalStore(subscribe, measureOfPage, () => null);
}

/** The text, or as much of it as fits into `room` px, ended by an ellipsis. */
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
