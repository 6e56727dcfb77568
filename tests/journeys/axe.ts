import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';

const SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The slowest rules by far. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

interface AxeWindow {
  axe: {
    run(
      where: Element | Document,
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

/** Returns what axe finds in the page's present state: one line per rule, with the elements that broke it. */
export async function axeFindings(page: Page, scope: 'everything' | 'colours'): Promise<string[]> {
  // Colours in a transition would be measured halfway; transitions start with the next frame. A spinner never ends.
  const knowsAxe = await page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise((frame) => requestAnimationFrame(frame));
    const animations = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity);
    await Promise.all(animations.map((animation) => animation.finished.catch(() => undefined)));
    return 'axe' in window;
  });
  if (!knowsAxe) await page.evaluate(SOURCE);
  const violations = await page.evaluate(
    async ({ colours, scope }) => {
      const { axe } = window as unknown as AxeWindow;
      const findings = async (where: Element | Document, options: object) => {
        const { violations } = await axe.run(where, { resultTypes: ['violations'], ...options });
        return violations.map(({ id, nodes }) => ({ id, parts: nodes.map(({ html }) => html) }));
      };
      // The page below a dialog or panel is a separate screen with its own test.
      const layer = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], aside')].at(-1);
      if (layer === undefined && scope === 'everything') return findings(document, {});
      const inColours = await findings(layer ?? document, { runOnly: { type: 'rule', values: colours } });
      if (scope === 'colours') return inColours;
      const others = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
      return [...inColours, ...(await findings(document, { rules: others }))];
    },
    { colours: COLOURS, scope },
  );
  return violations.map(({ id, parts }) => `${id}: ${parts.join(' ')}`);
}

/** Expects axe to find nothing in the page's present state. Elements that disappear while axe runs are checked once more. */
export async function expectAccessible(page: Page): Promise<void> {
  const first = await axeFindings(page, 'everything');
  expect(first.length === 0 ? first : await axeFindings(page, 'everything')).toEqual([]);
}
