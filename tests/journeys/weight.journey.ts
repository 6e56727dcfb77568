import { expect, test } from './world.ts';

/** Bytes of compressed JavaScript that a first visit may load. */
const BUDGET_BYTES = 150_000;

for (const path of ['/landing', '/login', '/signup'])
  test(`${path} stays light`, async ({ page }) => {
    const scripts: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(path, { waitUntil: 'networkidle' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });
