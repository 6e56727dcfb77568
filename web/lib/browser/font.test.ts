import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { spec } from '../../../tests/spec/spec.ts';

const items = new Map<string, string>();

/** Simulates a page load: fresh modules with the same local storage. */
const loadPage = async () => {
  vi.resetModules();
  return await import('./font.ts');
};

beforeEach(() => {
  items.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each(['inter', 'manrope', 'system'] as const)('the font %s is stored in the browser', async (font) => {
  (await loadPage()).displayFont.set(font);
  expect(items.get('font')).toBe(font);
  expect((await loadPage()).displayFont.get()).toBe(font);
  spec('2T.04', 'The font is stored in the browser: Inter, Manrope or the system’s');
});

it('the font is Inter where none, or an unknown one, is stored', async () => {
  expect((await loadPage()).displayFont.get()).toBe('inter');
  items.set('font', 'comic');
  expect((await loadPage()).displayFont.get()).toBe('inter');
});
