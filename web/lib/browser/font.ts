import { useEffect } from 'react';
import { createPreference } from './preference.ts';

const FONTS = ['inter', 'manrope', 'system'] as const;
export type Font = (typeof FONTS)[number];

/** The font that the user chose for texts. Technical values stay monospaced. */
export const displayFont = createPreference<Font>('font', FONTS, 'inter');

/** Applies the chosen font. Mounted once; `public/theme.js` does the same before the first paint. */
export function useFontSync(): void {
  useEffect(
    () =>
      displayFont.subscribe(() => {
        document.documentElement.dataset['font'] = displayFont.get();
      }),
    [],
  );
}
