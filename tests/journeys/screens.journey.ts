import type { Page } from '@playwright/test';
import { addHost, card, daysFromNow, expect, expectAccessible, signUp, test } from './world.ts';

const PUBLIC_SCREENS = [
  '/landing',
  '/login',
  '/signup?trial=1',
  '/forgot-password',
  '/reset-password#token',
  '/reset-password',
  '/verify#token',
  '/signed-in?error=failed',
  '/terms',
  '/privacy',
  '/no-such-page',
];
const SIZES = [
  { name: '1440 px', viewport: { width: 1440, height: 900 } },
  { name: '360 px', viewport: { width: 360, height: 760 } },
];

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

for (const { name, viewport } of SIZES)
  for (const colorScheme of ['light', 'dark'] as const)
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme });

      test('the public screens have nothing that axe finds', async ({ page }) => {
        for (const path of PUBLIC_SCREENS) {
          await page.goto(path);
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          await expectAccessible(page);
          await expectNoSidewaysScroll(page);
        }
      });

      test('the signed-in screens have nothing that axe finds', async ({ page, world }) => {
        await signUp(page);
        await expectNoSidewaysScroll(page);
        const soon = await world.serve(`soon-${viewport.width}-${colorScheme}.example`, {
          notBefore: daysFromNow(-80),
          notAfter: daysFromNow(10.5),
        });
        const dead = world.dead(`dead-${viewport.width}-${colorScheme}.${'long-label-'.repeat(5)}x.example`);
        await addHost(page, soon);
        await addHost(page, dead);
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);

        await page.getByRole('button', { name: 'Add Domain' }).click();
        await expect(page.getByRole('dialog', { name: 'Add New Domain' })).toBeVisible();
        await expectAccessible(page);
        await page.keyboard.press('Escape');

        await card(page, soon).getByRole('link').click();
        await expect(page.getByRole('heading', { name: 'Certificate History' })).toBeVisible();
        await expect(page.getByText('Loading certificate history...')).toBeHidden();
        await expectAccessible(page);
        await page.keyboard.press('Escape');

        await page.goto('/profile');
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      });
    });
