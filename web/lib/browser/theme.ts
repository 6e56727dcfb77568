import { useEffect } from 'react';
import { createPreference } from './preference.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_LABELS: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' };

const THEME_COLOURS = { light: '#ffffff', dark: '#101a2f' } as const;
const DARK_SYSTEM = '(prefers-color-scheme: dark)';

/** The chosen theme, which may be 'system'. */
export const theme = createPreference<Theme>('theme', THEMES, 'system');

function applyTheme(): void {
  const chosen = theme.get();
  const dark = chosen === 'dark' || (chosen === 'system' && window.matchMedia(DARK_SYSTEM).matches);
  const shown = dark ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = shown;
  document
    .querySelector<HTMLMetaElement>('meta[name=theme-color]')
    ?.setAttribute('content', THEME_COLOURS[shown]);
}

/** Returns the theme that is currently shown. */
export function shownTheme(): 'light' | 'dark' {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

/**
 * Applies the chosen theme, follows other tabs and, for 'system', the operating system. Mounted once; `public/theme.js` does
 * the same before the first paint.
 */
export function useThemeSync(): void {
  useEffect(() => {
    const media = window.matchMedia(DARK_SYSTEM);
    media.addEventListener('change', applyTheme);
    const stop = theme.subscribe(applyTheme);
    return () => {
      media.removeEventListener('change', applyTheme);
      stop();
    };
  }, []);
}
