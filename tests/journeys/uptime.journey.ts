import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { card, createAccount, daysFromNow, expect, showSection, test } from './world.ts';

test('an unreachable host is shown as down everywhere, with start and reason', async ({ page, world }) => {
  const well = await world.serve('well.uptime.example', { notAfter: daysFromNow(60) });
  const dead = world.dead('dead.uptime.example');
  await createAccount(page, world, { hosts: [well, dead] });
  await page.goto('/dashboard');
  await expect(card(page, well).getByRole('img', { name: 'Last check: 1 up, 0 failed' })).toBeVisible();
  await expect(card(page, well)).toContainText('100%');
  await expect(card(page, dead).getByRole('img', { name: 'Last check: 0 up, 1 failed' })).toBeVisible();
  await expect(card(page, dead)).toContainText('The connection was refused');

  // A single failure does not count; a second check confirms it.
  await card(page, dead)
    .getByRole('button', { name: /^Actions for / })
    .click();
  await page.getByRole('menuitem', { name: 'Refresh' }).click();
  await expect(card(page, dead)).toContainText(/Down since \d\d:\d\d.*The connection was refused/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${dead} is down`);
  await page.getByRole('button', { name: 'Problems, 1' }).click();
  await expect(card(page, well)).toHaveCount(0);

  await page.getByRole('link', { name: dead, exact: true }).click();
  const panel = page.getByLabel(`Details for ${dead}`);
  await expect(panel).toContainText(/Down since /);
  await showSection(panel, 'Uptime');
  const uptime = panel.locator('section', {
    has: page.getByRole('heading', { name: 'Uptime', exact: true }),
  });
  await expect(uptime).toContainText(/Ongoing since /);
  await expect(uptime).toContainText('The Free plan shows the last 7 days, Premium the last 90.');
  await uptime.getByRole('slider', { name: 'Last checks' }).press('ArrowLeft');
  await expect(uptime.getByRole('slider')).toHaveAttribute('aria-valuetext', /refused the connection/);

  await page.goto('/dashboard?view=list');
  await expect(page.getByRole('columnheader', { name: 'Last 30 checks' })).toBeVisible();
  await expect(page.getByRole('row', { name: dead })).toContainText(/Down since /);
});

/** Expects the tooltip to show these words inside the window. */
async function expectTooltip(page: Page, words: RegExp): Promise<void> {
  const tooltip = page.locator('[popover]');
  await expect(tooltip).toHaveText(words);
  await expect(tooltip).toBeInViewport({ ratio: 1 });
}

const fromLeft = async (drawing: Locator, share: number) => {
  const box = await drawing.boundingBox();
  return { position: { x: (box?.width ?? 0) * share - (share === 1 ? 1 : 0), y: (box?.height ?? 0) / 2 } };
};

/**
 * Expects the card with a strip that cannot be read yet. The next move of the pointer makes it readable; an earlier move
 * would be missed.
 */
const expectUnread = (page: Page, host: string) =>
  expect(card(page, host).getByRole('img', { name: 'Last check: 1 up, 0 failed' })).toBeVisible();

test('the uptime strip and the response chart show their values on hover, by keyboard and by tap', async ({
  page,
  browser,
  world,
}) => {
  const host = await world.serve('read.uptime.example', { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  const CHECK = /^Up, \d+ ms\d+ \w+ \d{4} at \d\d:\d\d$/;
  const strip = card(page, host).getByRole('slider', { name: `Last checks of ${host}` });

  await test.step('a card', async () => {
    await expectUnread(page, host);
    await page.mouse.move(0, 0);
    await page.getByRole('heading', { level: 1 }).hover();
    await strip.hover(await fromLeft(strip, 1));
    await expectTooltip(page, CHECK);
    await page.getByRole('heading', { level: 1 }).hover();
    await expect(page.locator('[popover]')).toHaveCount(0);
    await strip.press('ArrowLeft');
    await expectTooltip(page, CHECK);
    await expect(strip).toHaveAttribute('aria-valuetext', /^\d+ \w+ \d{4} at \d\d:\d\d: Up, \d+ ms$/);
    await expectAccessible(page);
    await strip.press('Escape');
    await expect(page.locator('[popover]')).toHaveCount(0);
  });

  await test.step('by tap at 360 px, where only a tap elsewhere on the card opens the panel', async () => {
    const context = await browser.newContext({
      storageState: await page.context().storageState(),
      baseURL: world.app.url,
      viewport: { width: 360, height: 760 },
      hasTouch: true,
    });
    const phone = await context.newPage();
    await phone.goto('/dashboard');
    await expectUnread(phone, host);
    await phone.getByRole('heading', { level: 1 }).tap();
    const touched = card(phone, host).getByRole('slider', { name: `Last checks of ${host}` });
    await touched.tap(await fromLeft(touched, 1));
    await expectTooltip(phone, CHECK);
    await expect(phone).not.toHaveURL(/domain=/);
    await phone.getByRole('heading', { level: 1 }).tap();
    await expect(phone.locator('[popover]')).toHaveCount(0);
    await context.close();
  });

  await test.step('the response chart', async () => {
    await page.route('**/api/domain/*/uptime', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      const at = (hour: number) => `2026-11-20T${hour}:00:00.000Z`;
      const response_times = [
        { at: at(10), average_ms: 40, slowest_ms: 40 },
        { at: at(12), average_ms: 60, slowest_ms: 300 },
        { at: at(14), average_ms: 50, slowest_ms: 90 },
      ];
      await route.fulfill({ response, json: { data: { ...data, response_times } } });
    });
    await page.mouse.move(0, 0);
    await page.reload();
    await expectUnread(page, host);
    // A click of a mouse on the strip opens the panel, as everywhere on the card.
    await page.getByRole('heading', { level: 1 }).hover();
    await strip.click(await fromLeft(strip, 1));
    const panel = page.getByLabel(`Details for ${host}`);
    const chart = panel.getByRole('slider', { name: 'Response times' });
    await showSection(panel, 'Uptime');
    await chart.scrollIntoViewIfNeeded();
    await chart.hover(await fromLeft(chart, 0.5));
    await expectTooltip(page, /^60 ms on average, 300 ms at most20 November 2026 at 13:00 – 15:00$/);
    await chart.press('Home');
    await expectTooltip(page, /^40 ms20 November 2026 at 11:00 – 13:00$/);
    await chart.press('End');
    await expect(chart).toHaveAttribute(
      'aria-valuetext',
      /^20 November 2026 at 15:00.*: 50 ms on average, 90 ms at most$/,
    );
    await expectAccessible(page);
  });
});
