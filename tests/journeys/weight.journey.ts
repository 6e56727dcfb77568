import type { Page } from '@playwright/test';
import { createAccount, expect, test } from './world.ts';

/** The page loads suggestions two seconds after its list is shown, which is no part of the first visit. */
const FIRST_VISIT_MS = 1_900;

/**
 * Returns the bytes of compressed JavaScript that a first visit requests until `FIRST_VISIT_MS` after `shown` matches an element. A slow
 * browser changes nothing: timers never end early.
 */
async function scriptBytes(page: Page, path: string, shown = 'h1'): Promise<number> {
  await page.addInitScript((selector) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      performance.mark('shown');
      observer.disconnect();
    });
    observer.observe(document, { childList: true, subtree: true });
  }, shown);
  await page.goto(path, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator(shown).first()).toBeVisible();
  const bytes = await page.evaluate((firstVisitMs) => {
    const [mark] = performance.getEntriesByName('shown');
    return performance
      .getEntriesByType('resource')
      .filter(({ name, startTime }) => name.endsWith('.js') && startTime < mark!.startTime + firstVisitMs)
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
  }, FIRST_VISIT_MS);
  // Otherwise nothing was counted.
  expect(bytes).toBeGreaterThan(50_000);
  return bytes;
}

for (const [path, kilobytes] of [
  ['/landing', 90],
  ['/login', 120],
  ['/signup', 120],
] as const)
  test(`${path} loads at most ${kilobytes} kB of JavaScript`, async ({ page }) => {
    expect(await scriptBytes(page, path)).toBeLessThanOrEqual(kilobytes * 1000);
  });

test('/dashboard loads at most 230 kB of JavaScript', async ({ page, world }) => {
  await createAccount(page, world, { hosts: [await world.serve('light.orchard.example')] });
  expect(await scriptBytes(page, '/dashboard', 'main li a')).toBeLessThanOrEqual(230_000);
  await expect(page).toHaveURL(/\/dashboard/);
});
