import { useEffect, useSyncExternalStore } from 'react';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'theme';
const THEME_COLOURS = { light: '#ffffff', dark: '#101a2f' } as const;
const listeners = new Set<() => void>();

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

/** The stored choice; 'system' when there is none or storage is switched off. */
function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return isTheme(stored) ? stored : 'system';
  } catch {
    return 'system';
  }
}

let current: Theme = storedTheme();

function applyTheme(): void {
  const dark =
    current === 'dark' || (current === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  const shown = dark ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = shown;
  document
    .querySelector<HTMLMetaElement>('meta[name=theme-color]')
    ?.setAttribute('content', THEME_COLOURS[shown]);
}

function setTheme(theme: Theme): void {
  current = theme;
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // The choice then holds until the page is left.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The user's choice (not what it resolves to) and the way to change it. */
export function useTheme(): { theme: Theme; setTheme: (theme: Theme) => void } {
  return { theme: useSyncExternalStore(subscribe, () => current), setTheme };
}

/** What the choice resolves to at present. */
export function shownTheme(): 'light' | 'dark' {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

/** Follows the system while the choice is 'system', and the choice made in another tab. Mounted once. */
export function useThemeSync(): void {
  useEffect(() => {
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    const onStorage = (event: StorageEvent) => {
      if (event.key !== STORAGE_KEY) return;
      current = isTheme(event.newValue) ? event.newValue : 'system';
      applyTheme();
      for (const listener of listeners) listener();
    };
    media.addEventListener('change', applyTheme);
    window.addEventListener('storage', onStorage);
    return () => {
      media.removeEventListener('change', applyTheme);
      window.removeEventListener('storage', onStorage);
    };
  }, []);
}
