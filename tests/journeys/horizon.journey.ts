import { insertFleet } from '../kit/fleet.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { axeFindings } from './axe.ts';
import { expect, signUp, test } from './world.ts';
import type { World } from './world.ts';
import type { Page } from '@playwright/test';

/** Adds a history of `count` watched hosts to the account. */
async function watchFleet(world: World, email: string, count: number): Promise<void> {
  const store = await openStore({ databaseUrl: null, dataDir: world.app.dataDir });
  const { id } = await store.db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  await insertFleet(store, { accountId: id, count, now: Date.now() });
  await store.close();
}

const horizon = (page: Page) => page.getByRole('region', { name: 'Expiry horizon' });
const pins = (page: Page) => horizon(page).getByRole('listitem').getByRole('link');
const pin = (page: Page, host: string) => horizon(page).getByRole('link', { name: new RegExp(`^${host}`) });
const drawing = (page: Page) => horizon(page).locator('svg').first();

test('the horizon works by keyboard, with each time span and at each width', async ({ page, world }) => {
  const { email } = await signUp(page, world);
  await watchFleet(world, email, 12);
  await page.goto('/dashboard?sort=name');
  // One expired, two within a week, one within two weeks, the first of the others, and those beyond 90 days.
  const expired = pin(page, 'host-00000.fjord.example, expired on');
  const next = pin(page, 'host-00001.moss.example, expires on .*, 2 days left');
  await expect(pins(page)).toHaveCount(12);
  await expect(horizon(page).getByRole('radio', { name: '90 days' })).toBeChecked();

  await test.step('arrow keys move by date, Enter opens the panel, closing it returns the focus', async () => {
    await expired.focus();
    await page.keyboard.press('ArrowRight');
    await expect(next).toBeFocused();
    const tooltip = horizon(page).getByText(/^Expires on/);
    await expect(tooltip).toBeVisible();
    await expect(horizon(page).getByText('DigiCert · TLS RSA 2020 CA1')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(tooltip).toBeHidden();
    await page.keyboard.press('End');
    await expect(pins(page).last()).toBeFocused();
    await page.keyboard.press('Home');
    await expect(expired).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/(?=.*sort=name)(?=.*domain=)/);
    await expect(
      page.getByRole('complementary', { name: 'Details for host-00001.moss.example' }),
    ).toBeVisible();
    await expect(next).toHaveAttribute('aria-current', 'true');
    await page.keyboard.press('Escape');
    await expect(next).toBeFocused();
    await expect(page).not.toHaveURL(/domain=/);
  });

  await test.step('the time span is in the address and remembered', async () => {
    await horizon(page).getByText('30 days', { exact: true }).click();
    await expect(page).toHaveURL(/sort=name&span=30/);
    await expect(horizon(page).getByText('7 later', { exact: true })).toBeVisible();
    await page.goto('/dashboard');
    await expect(horizon(page).getByRole('radio', { name: '30 days' })).toBeChecked();
    await horizon(page).getByRole('link', { name: '7 later: show 90 days' }).click();
    await expect(page).toHaveURL(/span=90/);
    await page.goto('/dashboard?span=365');
    await expect(horizon(page).getByText('Later', { exact: true })).toBeVisible();
  });

  await test.step('a hovered pin shows when its renewal is expected', async () => {
    await page.goto('/dashboard?span=90');
    const hatched = drawing(page).locator('rect[stroke="var(--line-2)"]');
    await expect(hatched).toHaveCount(0);
    await pin(page, 'host-00005').hover();
    await expect(hatched).toHaveCount(1);
  });

  // In the dark theme only the colours differ.
  for (const [width, colorScheme, scope] of [
    [1440, 'light', 'everything'],
    [1440, 'dark', 'colours'],
    [360, 'dark', 'colours'],
    [360, 'light', 'everything'],
  ] as const)
    await test.step(`axe finds nothing at ${width} px in the ${colorScheme} theme`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      // Redrawn, not scaled: 328 px less the card's border on a phone.
      await expect(drawing(page)).toHaveAttribute('width', width === 360 ? '326' : '1198');
      expect(await axeFindings(page, scope)).toEqual([]);
    });
  // 21 days on a phone: later certificates are only in the list.
  await expect(horizon(page).getByRole('radio')).toHaveCount(0);
  await expect(pin(page, 'host-00004')).toHaveCount(1);
  await expect(pin(page, 'host-00005')).toHaveCount(0);
});

test('five hundred certificates are merged by day on the horizon', async ({ page, world }) => {
  const { email } = await signUp(page, world);
  await watchFleet(world, email, 500);
  await page.goto('/dashboard');
  const crowd = horizon(page).getByRole('link', { name: /^\d+ certificates expire on/ });
  await expect(crowd.first()).toBeAttached();
  // Of every fifty, one has expired and two expire this week; of the ten expired ones, four have a name. Those are never merged.
  await expect(
    horizon(page).getByRole('link', { name: '6 more expired: show all expired domains in the list' }),
  ).toBeVisible();
  await expect(pin(page, 'host-.*, 2 days left')).toHaveCount(10);

  await horizon(page)
    .getByRole('link', { name: '6 more expired: show all expired domains in the list' })
    .click();
  await expect(page).toHaveURL(/status=expired/);
  await crowd.first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/sort=soonest/);
  await expect(page).not.toHaveURL(/status=/);
});
