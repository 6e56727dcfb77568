import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';

const SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules about colours, which take by far the most time. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

interface Channels {
  r: number;
  g: number;
  b: number;
  alpha: number;
}

interface AxeWindow {
  axe: {
    commons: {
      color: { Color: { prototype: Channels & { parseString: (this: Channels, text: string) => Channels } } };
    };
    run(
      where: Element | Document,
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

/**
 * Caches the colours that axe parses. It parses the background of each element behind each text, although a page has only a
 * few colours. Measured: saves a fifth of the CPU time of axe.
 */
function cacheParsedColours(): void {
  const { prototype } = (window as unknown as AxeWindow).axe.commons.color.Color;
  const { parseString } = prototype;
  const parsed = new Map<string, Channels>();
  prototype.parseString = function (text) {
    const known = parsed.get(text);
    if (known !== undefined) return Object.assign(this, known);
    const { r, g, b, alpha } = parseString.call(this, text);
    // Returns a copy, because axe changes the alpha of the colour that it gets.
    parsed.set(text, { r, g, b, alpha });
    return this;
  };
}

/** Loads axe with every page that the window opens. Measured: takes a third of the CPU time of loading it into an open page. */
export const preloadAxe = (page: Page) =>
  page.addInitScript(`${SOURCE};(${cacheParsedColours.toString()})();`);

/**
 * Returns what axe finds in the page's present state: one line per rule, with the elements that break it. Examines the light
 * theme only: `web/styles/tokens.test.ts` tests the contrast of both themes. `colours`: whether to examine colours;
 * `layerColours`: whether to examine those of a dialog or panel.
 */
export async function axeFindings(
  page: Page,
  { colours = true, layerColours = true }: { colours?: boolean; layerColours?: boolean } = {},
): Promise<string[]> {
  // In a transition, colours would be measured halfway; transitions start with the next frame. Spinners never end, and
  // animations that follow the scroll position end only where scrolling does, so these are not awaited.
  const knowsAxe = await page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise((frame) => requestAnimationFrame(frame));
    const animations = document
      .getAnimations()
      .filter(
        ({ effect, timeline }) =>
          timeline === document.timeline && effect?.getComputedTiming().iterations !== Infinity,
      );
    await Promise.all(animations.map((animation) => animation.finished.catch(() => undefined)));
    return 'axe' in window;
  });
  if (!knowsAxe) {
    await page.evaluate(SOURCE);
    await page.evaluate(cacheParsedColours);
  }
  const violations = await page.evaluate(
    async ({ rules, colours, layerColours }) => {
      const { axe } = window as unknown as AxeWindow;
      const findings = async (where: Element | Document, options: object) => {
        // axe's preloading is off: no page has media, and parsing all style sheets took an eighth of the CPU time of axe.
        const { violations } = await axe.run(where, {
          resultTypes: ['violations'],
          preload: false,
          ...options,
        });
        return violations.map(({ id, nodes }) => ({ id, parts: nodes.map(({ html }) => html) }));
      };
      // The page below a dialog or panel is a separate screen with its own test.
      const layer = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], aside')].at(-1);
      const others = { rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])) };
      if (layer === undefined) return findings(document, colours ? {} : others);
      const inColours = layerColours
        ? await findings(layer, { runOnly: { type: 'rule', values: rules } })
        : [];
      return [...inColours, ...(await findings(document, others))];
    },
    { rules: COLOURS, colours, layerColours },
  );
  return violations.map(({ id, parts }) => `${id}: ${parts.join(' ')}`);
}

/** Expects axe to find nothing in the page's present state. Elements that disappear while axe runs are checked once more. */
export async function expectAccessible(page: Page, options: { colours?: boolean } = {}): Promise<void> {
  const first = await axeFindings(page, options);
  expect(first.length === 0 ? first : await axeFindings(page, options)).toEqual([]);
}
