import { useEffect } from 'react';
import { createPreference } from './preference.ts';

const FONTS = ['inter', 'manrope', 'system'] as const;
export type Font = (typeof FONTS)[number];

/** The font of people's words; machine facts stay as they are. */
export const displayFont = createPreference<Font>('font', FONTS, 'inter');

/** Keeps the page in the chosen font. Mounted once; before the first paint `public/theme.js` does the same. */
export function useFontSync(): void {
  useEffect(
    () =>
      displayFont.subscribe(() => {
        document.documentElement.dataset['font'] = displayFont.get();
      }),
    [],
  );
}
