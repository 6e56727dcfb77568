import { expectAccessible } from './axe.ts';
import { createAccount, daysFromNow, expect, test } from './world.ts';
import type { Page } from '@playwright/test';

const horizon = (page: Page) => page.getByRole('region', { name: 'Expiry horizon' });
const pins = (page: Page) => horizon(page).getByRole('listitem').getByRole('link');
const pin = (page: Page, host: string) => horizon(page).getByRole('link', { name: new RegExp(`^${host}`) });
const drawing = (page: Page) => horizon(page).locator('svg').first();

test('the expiry horizon works by keyboard, remembers its time span, and fits each screen width', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 12 });
  await page.goto('/dashboard?sort=name');
  // One expired certificate, two that expire within a week, one within two weeks, the first of the others, and those beyond
  // 90 days.
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

  for (const width of [1440, 360])
    await test.step(`the horizon is drawn for ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      // The drawing is redrawn for the width, not scaled. On a phone it has 328 px less the card's border.
      await expect(drawing(page)).toHaveAttribute('width', width === 360 ? '326' : '1198');
    });
  // A phone shows 21 days; later certificates are only in the list.
  await expect(horizon(page).getByRole('radio')).toHaveCount(0);
  await expect(pin(page, 'host-00004')).toHaveCount(1);
  await expect(pin(page, 'host-00005')).toHaveCount(0);
});

test('the horizon of one healthy host shows its name at every width, however late it expires', async ({
  page,
  world,
}) => {
  const host = await world.serve('calm.example', { notAfter: daysFromNow(200) });
  await createAccount(page, world, { hosts: [host] });
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/dashboard');
    await expect(pin(page, 'calm.example')).toHaveCount(1);
    await expect(drawing(page).getByText(/^calm\.example/)).toBeVisible();
  }
  await expect(horizon(page).getByRole('radio')).toHaveCount(1);
  await expect(horizon(page).getByRole('radio', { name: '1 year' })).toBeChecked();
});

test('with 500 certificates the horizon shows a bar for each day, and selected days filter the list', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 500 });
  await page.goto('/dashboard?span=90&view=list');
  const bars = horizon(page).getByRole('list', { name: 'Certificates by day of expiry' }).getByRole('link');
  const status = horizon(page).getByRole('status');
  const table = page.getByRole('table', { name: 'Domains' });
  const periodNow = () => new URL(page.url()).searchParams.get('expires');
  await expect(bars.first()).toBeAttached();
  await expect(status).toHaveText('Drag, or Shift and arrow keys, to filter the list.');

  await test.step('expired certificates keep their pins and their link', async () => {
    // Of every fifty certificates, one has expired. Four have a name.
    await horizon(page)
      .getByRole('link', { name: '6 more expired: show all expired domains in the list' })
      .click();
    await expect(page).toHaveURL(/status=expired/);
    await page.getByRole('button', { name: /^Expired|^More: Expired/ }).press('Enter');
    await page.goto('/dashboard?span=90&view=list');
  });

  await test.step('Enter on a bar lists as many domains as the bar says', async () => {
    const crowded = horizon(page).getByRole('link', { name: /^\d+ certificates expire on/ });
    const [count = ''] = /^\d+/.exec((await crowded.first().getAttribute('aria-label')) ?? '') ?? [];
    await crowded.first().focus();
    await expect(horizon(page).getByText(`${count} certificates expire on`)).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/expires=/);
    await expect(status).toHaveText(new RegExp(`^${count} domains on `));
    await expect(table).toHaveAttribute('aria-rowcount', String(Number(count) + 1));
  });

  await test.step('Shift with the arrow keys extends the range from where it began', async () => {
    await bars.first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await bars.first().focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Shift+ArrowRight');
    await expect(bars.nth(3)).toBeFocused();
    const sum = (await bars.all()).slice(0, 4).map(async (bar) => {
      const [count = '1'] = /^\d+(?= certificates)/.exec((await bar.getAttribute('aria-label')) ?? '') ?? [];
      return Number(count);
    });
    const expected = (await Promise.all(sum)).reduce((total, count) => total + count);
    await expect(status).toHaveText(new RegExp(`^${expected} domains on .* – `));
  });

  await test.step('dragging selects days; Escape and a press beside the bars clear them', async () => {
    const area = horizon(page).locator('[data-days]');
    const box = (await area.boundingBox())!;
    const dayX = (day: number) => box.x + ((day + 0.5) * box.width) / 90;
    const y = box.y + box.height / 2;
    const before = periodNow();
    await page.mouse.move(dayX(20), y);
    await page.mouse.down();
    await page.mouse.move(dayX(40), y, { steps: 4 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(periodNow()).toBe(before);
    await page.mouse.move(dayX(40), y);
    await page.mouse.down();
    await page.mouse.move(dayX(20), y, { steps: 4 });
    await page.mouse.up();
    const day = (after: number) =>
      page.evaluate((days) => {
        const date = new Date();
        return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate() + days))
          .toISOString()
          .slice(0, 10);
      }, after);
    await expect.poll(periodNow).toBe(`${await day(20)}..${await day(40)}`);
    await expect(status).toHaveText(/^\d+ domains on /);
    await page.getByRole('button', { name: /^Expiring on .*: show every date$/ }).press('Enter');
    await expect.poll(periodNow).toBe(null);
  });

  await test.step('axe finds nothing', () => expectAccessible(page));
});
