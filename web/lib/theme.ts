import { useEffect } from 'react';
import { createPreference } from './preference.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

const THEME_COLOURS = { light: '#ffffff', dark: '#101a2f' } as const;
const DARK_SYSTEM = '(prefers-color-scheme: dark)';

/** What was chosen, not what it resolves to. */
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

/** What the choice resolves to at present. */
export function shownTheme(): 'light' | 'dark' {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

/**
 * Follows the choice, made in another tab too, and the system while the choice is 'system'. Mounted once; before the first
 * paint `public/theme.js` does the same.
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
