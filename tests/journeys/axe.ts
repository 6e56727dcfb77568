import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from '@playwright/test';

const SOURCE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
);

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

/** Brings axe into every page that this window will open. Many states of one page are then looked at without another word. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: SOURCE });
}

/** What axe finds in the state that the page is in: one line for each rule, with what broke it. */
export async function axeFindings(page: Page, scope: 'everything' | 'colours'): Promise<string[]> {
  // Colours on their way from one value to another would be measured in between; they set out with the next frame.
  await page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise((frame) => requestAnimationFrame(frame));
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)));
  });
  const violations = await page.evaluate(
    async ({ colours, scope }) => {
      const { axe } = window as unknown as AxeWindow;
      const findings = async (where: Element | Document, options: object) => {
        const { violations } = await axe.run(where, { resultTypes: ['violations'], ...options });
        return violations.map(({ id, nodes }) => ({ id, parts: nodes.map(({ html }) => html) }));
      };
      // What a dialog or panel lies over is a screen of its own, looked at by itself.
      const layer = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], aside')].at(-1);
      const inColours = await findings(layer ?? document, { runOnly: { type: 'rule', values: colours } });
      if (scope === 'colours') return inColours;
      const others = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
      return [...inColours, ...(await findings(document, { rules: others }))];
    },
    { colours: COLOURS, scope },
  );
  return violations.map(({ id, parts }) => `${id}: ${parts.join(' ')}`);
}
