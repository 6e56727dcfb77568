import type { Page } from '@playwright/test';
import { addHost, expect, signUp, test } from './world.ts';

/** Returns the bytes of compressed JavaScript that a first visit loads until the network is idle. */
async function scriptBytes(page: Page, path: string): Promise<number> {
  const scripts: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
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

test('/dashboard loads at most 230 kB of JavaScript', async ({ page, browser, world }) => {
  await signUp(page, world);
  await addHost(page, await world.serve('light.orchard.example'));
  // The same person in a browser with an empty cache.
  const context = await browser.newContext({
    storageState: await page.context().storageState(),
    baseURL: world.app.url,
  });
  const fresh = await context.newPage();
  expect(await scriptBytes(fresh, '/dashboard')).toBeLessThanOrEqual(230_000);
  await expect(fresh).toHaveURL(/\/dashboard/);
  await context.close();
});
