import { globSync, readFileSync } from 'node:fs';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';

const CSS = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

/** Colours of text that may stand on every surface. */
const TEXTS = ['fg', 'fg-2', 'fg-3', 'accent-fg', 'ok-fg', 'soon-fg', 'critical-fg'];
const SURFACES = [
  'bg',
  'surface',
  'sunken',
  'menu',
  'menu-active',
  'accent-soft',
  'ok-bg',
  'soon-bg',
  'critical-bg',
  'soon-band',
  'critical-band',
];
/** A surface that only the dark theme uses. */
const DARK_SURFACE = 'line';
/** Text colours, each with the background that belongs to it. */
const LABELS = [
  ['primary-fg', 'primary'],
  ['primary-fg', 'primary-hover'],
  ['danger-btn-fg', 'danger-btn'],
  ['expired-fg', 'expired-bg'],
  ['revoked-fg', 'revoked-bg'],
  ['logo-ink', 'logo-tile'],
] as const;
/** Text colours that the pages draw with an opacity (percent) on a background. */
const FADED_LABELS = [['primary-fg', 'primary', 80]] as const;
/**
 * All opacities (percent) that the pages use. Lists and the preview are faded while newer data loads, and `FADED_LABELS` has
 * the faded text; all others apply to shapes without text.
 */
const OPACITIES = [
  'features/dashboard/adding/add-domain-dialog.tsx: 80',
  'features/dashboard/list/domain-grid.tsx: 60',
  'features/landing/lifetime-story.tsx: 40',
  'ui/alert-settings/steps-preview.tsx: 60',
  'ui/horizon/horizon-drawing.tsx: 25',
  'ui/horizon/horizon-drawing.tsx: 60',
  'ui/loading.tsx: 75',
  'ui/table/table-parts.tsx: 60',
];
/**
 * Colours of shapes without text: bars, pins, ticks, borders of controls, focus rings. `elapsed` is missing, because it is
 * only used in lifetime bars, which stand only on cards.
 */
const MARKS = ['ok-mark', 'soon-mark', 'critical-mark', 'expired-mark', 'revoked-mark', 'control', 'ring'];

/** Ratios of WCAG 2.2, 1.4.3 (text) and 1.4.11 (shapes). */
const MINIMUM = { text: 4.5, shape: 3 };

type Theme = 'light' | 'dark';

/** Returns the value of a token in a theme, with references to other tokens resolved. */
function valueOf(name: string, theme: Theme): string {
  const blocks = CSS.matchAll(/^ *(:root|\[data-theme='dark'\]) \{([^}]*)\}/gm);
  let value: string | undefined;
  for (const [, selector, body = ''] of blocks)
    if (selector === ':root' || theme === 'dark')
      value = new RegExp(`--${name}: ([^;]+);`).exec(body)?.[1] ?? value;
  if (value === undefined) throw new Error(`There is no token --${name}`);
  const reference = /^var\(--(.+)\)$/.exec(value)?.[1];
  return reference === undefined ? value : valueOf(reference, theme);
}

/** Returns the contrast of a text or shape, with an opacity in percent, on a background. */
function contrast(front: string, back: string, theme: Theme, opacity = 100): number {
  const colours = (axe as unknown as AxeColours).commons.color;
  const parse = (name: string) => {
    const color = new colours.Color();
    color.parseString(valueOf(name, theme));
    return color;
  };
  const text = parse(front);
  text.alpha *= opacity / 100;
  return colours.getContrast(parse(back), text);
}

interface AxeColours {
  commons: {
    color: {
      Color: new () => { alpha: number; parseString(text: string): void };
      getContrast(background: unknown, foreground: unknown): number;
    };
  };
}

/** Returns those of the pairs whose contrast is below the minimum, with their ratio. */
const tooWeak = (
  pairs: readonly (readonly [string, string, number?])[],
  minimum: number,
  theme: Theme,
): string[] =>
  pairs.flatMap(([front, back, opacity]) => {
    const ratio = contrast(front, back, theme, opacity);
    return ratio < minimum ? [`${front} on ${back}: ${ratio.toFixed(2)}`] : [];
  });

/**
 * Returns the colours that the pages set only in the dark theme, for texts or for backgrounds, such as the `line` in
 * `dark:md:bg-line`.
 */
const darkOnly = (kind: 'bg' | 'text'): string[] =>
  globSync('web/**/*.{ts,tsx}').flatMap((path) =>
    Array.from(
      readFileSync(path, 'utf8').matchAll(new RegExp(`\\bdark:(?:[\\w-]+:)*${kind}-([a-z][\\w-]*)`, 'g')),
      ([, name = '']) => name,
    ),
  );

it('The pages set only colours that this test covers for the dark theme alone', () => {
  expect(darkOnly('bg').filter((name) => ![...SURFACES, DARK_SURFACE].includes(name))).toEqual([]);
  expect(darkOnly('text').filter((name) => !TEXTS.includes(name))).toEqual([]);
});

it('The pages use only opacities that this test lists', () => {
  const used = globSync('web/**/*.tsx').flatMap((path) =>
    Array.from(
      readFileSync(path, 'utf8').matchAll(/\bopacity-(\d+|\[.*?\])/g),
      ([, opacity]) => `${path.replace('web/', '')}: ${opacity}`,
    ),
  );
  expect([...new Set(used)].filter((use) => !/: (?:0|100)$/.test(use)).toSorted()).toEqual(OPACITIES);
});

// The browser tests run axe's contrast rules only in the light theme, so this test covers both themes.
describe.each(['light', 'dark'] as const)('The colours of the %s theme', (theme) => {
  it('make every text legible on every surface', () => {
    const surfaces = theme === 'dark' ? [...SURFACES, DARK_SURFACE] : SURFACES;
    const pairs = TEXTS.flatMap((text) => surfaces.map((surface) => [text, surface] as const));
    expect(tooWeak([...pairs, ...LABELS, ...FADED_LABELS], MINIMUM.text, theme)).toEqual([]);
  });

  it('make marks and controls visible on the page and on cards', () => {
    const pairs = MARKS.flatMap((mark) => ['bg', 'surface'].map((surface) => [mark, surface] as const));
    expect(tooWeak([...pairs, ['elapsed', 'surface']], MINIMUM.shape, theme)).toEqual([]);
  });
});
