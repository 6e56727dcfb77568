import { createAccount, daysFromNow, expect, test } from './world.ts';

for (const width of [360, 1440])
  test(`the alerts page loads without layout shifts at ${width} px`, async ({ page, world }) => {
    const host = await world.serve(`calm-${width}.alerts.example`, { notAfter: daysFromNow(60) });
    await createAccount(page, world, { hosts: [host] });
    await page.setViewportSize({ width, height: 900 });
    const calls = ['channels', 'alerts', 'maintenance'].map((path) => ({
      address: new RegExp(`/api/.*${path}$`),
      ...Promise.withResolvers<void>(),
    }));
    for (const { address, promise } of calls)
      await page.route(address, async (route) => {
        await promise;
        await route.continue();
      });
    await page.goto('/alerts');
    // The app's notice bar is above every page.
    await expect(page.getByRole('region', { name: 'Notice' })).toBeVisible();
    await page.evaluate(() => {
      const shifts = window as unknown as { moved: number };
      shifts.moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.moved += (entry as unknown as { value: number }).value;
      }).observe({ type: 'layout-shift' });
    });
    // The answers arrive one after the other, and the page paints each before the next one, as over a slow network.
    for (const { address, resolve } of calls) {
      const answered = page.waitForResponse(address);
      resolve();
      await (await answered).finished();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    }
    await expect(
      page
        .locator('section', { has: page.getByRole('heading', { name: 'Steps' }) })
        .getByRole('listitem')
        .first(),
    ).toBeVisible();
    expect(await page.evaluate(() => (window as unknown as { moved: number }).moved)).toBeLessThan(0.05);
  });
