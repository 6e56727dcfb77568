import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';

const SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Of all rules those that take by far the longest. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

interface AxeWindow {
  axe: {
    run(
      where: Element | Document,
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

/** What axe finds in the state that the page is in: one line for each rule, with what broke it. */
export async function axeFindings(page: Page, scope: 'everything' | 'colours'): Promise<string[]> {
  // Colours on their way from one value to another would be measured in between; they set out with the next frame. A spinner
  // never comes to its end.
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
      // What a dialog or panel lies over is a screen of its own, looked at by itself.
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

/** Nothing that axe finds, in the state the page is in. What sets out to leave while axe looks is looked for once more. */
export async function expectAccessible(page: Page): Promise<void> {
  const first = await axeFindings(page, 'everything');
  expect(first.length === 0 ? first : await axeFindings(page, 'everything')).toEqual([]);
}
