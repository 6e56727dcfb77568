import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from '@playwright/test';

const SOURCE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
);

interface AxeWindow {
  axe: {
    run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
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
    async (rules) => {
      const { axe } = window as unknown as AxeWindow;
      const found = await axe.run({
        resultTypes: ['violations'],
        ...(rules && { runOnly: { type: 'rule', values: rules } }),
      });
      return found.violations.map(({ id, nodes }) => ({ id, parts: nodes.map(({ html }) => html) }));
    },
    scope === 'colours' ? ['color-contrast', 'link-in-text-block'] : null,
  );
  return violations.map(({ id, parts }) => `${id}: ${parts.join(' ')}`);
}
