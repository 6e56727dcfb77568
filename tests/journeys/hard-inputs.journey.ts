import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import type { Page } from '@playwright/test';
import { card, createAccount, daysFromNow, expect, test, type World } from './world.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

/** Copies the account's only host `count` times in the database; adding them on the page would take hours. */
function multiply(world: World, email: string, count: number): void {
  const database = new DatabaseSync(join(world.app.dataDir, 'certlantern.db'), { timeout: 10_000 });
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all('monitors')
    .map(({ name }) => String(name));
  const own: Record<string, string> = {
    id: "printf('00000000-0000-4000-8000-%012d', n)",
    host: "printf('host-%04d.many.example', n)",
    search_text: "printf('host-%04d.many.example', n)",
    created_at: 'created_at - n',
    next_check_at: `next_check_at + ${365 * DAY_MS}`,
  };
  database
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO monitors (${columns.join(', ')})
       SELECT ${columns.map((name) => own[name] ?? name).join(', ')} FROM numbers, monitors
       WHERE account_id = (SELECT id FROM accounts WHERE email = ?)`,
    )
    .run(count, email);
  database.close();
}

const sidewaysOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

test('long host names, other scripts and 100 certificate names fit the layout at 320 and 1440 px', async ({
  page,
  world,
}) => {
  test.slow();
  const label = 'a-label-of-sixty-three-characters-as-long-as-one-may-ever-be-ab';
  const long = `${[label, label, label].join('.')}.${'x'.repeat(253 - 3 * 64 - '.example'.length)}.example`;
  expect(long).toHaveLength(253);
  const longest = await world.serve(long);
  const many = await world.serve('many-names.example', {
    dnsNames: [
      'many-names.example',
      ...Array.from({ length: 99 }, (_, index) => `tenant-${index + 1}.many-names.example`),
    ],
  });
  const ascii = domainToASCII('grønn-blåbær.example');
  const foreign = (await world.serve(ascii)).replace(ascii, 'grønn-blåbær.example');
  await createAccount(page, world, { hosts: [longest, many, foreign] });
  await page.goto('/dashboard');
  await expect(card(page, foreign)).toContainText('days left');
  await expect(card(page, longest)).toContainText('days left');

  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const view of ['list', 'grid']) {
      await page.goto(`/dashboard?view=${view}`);
      await expect(page.getByRole('link', { name: longest, exact: true })).toBeVisible();
      expect(await sidewaysOverflow(page), `${view} at ${width} px`).toBeLessThanOrEqual(0);
    }
    for (const host of [longest, many]) {
      await page.getByRole('link', { name: host, exact: true }).click();
      const panel = page.getByLabel(`Details for ${host}`);
      await expect(panel.getByRole('heading', { name: host, exact: true })).toBeVisible();
      if (host === many) {
        const names = panel.getByRole('list', { name: 'Names in the certificate' });
        await names.getByRole('button', { name: '+98 more' }).click();
        await expect(names.getByText('tenant-99.many-names.example')).toBeVisible();
      }
      const box = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(box, `the panel of ${host} at ${width} px`).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
      await expect(panel).toBeHidden();
    }
  }

  await page.getByRole('button', { name: `Actions for ${longest}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(`This will permanently delete "${longest}".`);
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await question.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
});

test('five thousand domains can be scrolled and searched', async ({ page, world }) => {
  test.slow();
  const hosts = [await world.serve('first-of-many.example')];
  const person = await createAccount(page, world, { hosts, trial: true });
  multiply(world, person.email, 5_000);
  for (const view of ['grid', 'list']) {
    await page.goto(`/dashboard?view=${view}&sort=newest`);
    await expect(page.getByRole('button', { name: 'All, 5,001' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'host-0001.many.example' })).toBeVisible();
    await expect.poll(() => page.locator('[data-domain-id]').count()).toBeLessThan(150);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(page.getByRole('link', { name: 'host-5000.many.example' })).toBeVisible();
    await expect.poll(() => page.locator('[data-domain-id]').count()).toBeLessThan(150);
  }
  await page.getByLabel('Find a domain').fill('host-4321');
  await expect(page.getByRole('link', { name: 'host-4321.many.example' })).toBeVisible();
  await expect(page.locator('[data-domain-id]')).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel('Find a domain')).toHaveValue('host-4321');
  await expect(page.locator('[data-domain-id]')).toHaveCount(1);
});

test('dates use the browser’s time zone, and the days left are the same in all time zones', async ({
  page,
  world,
  browser,
}) => {
  // At this hour it is the next day in Auckland and the same day in Los Angeles, in every season. The number of days left
  // changes at that hour, so the test avoids the current one.
  const hour = new Date().getUTCHours() === 12 ? 14.5 : 12.5;
  const notAfter = Math.floor(daysFromNow(12) / DAY_MS) * DAY_MS + hour * HOUR_MS;
  const host = await world.serve('border.example', { notBefore: daysFromNow(-70), notAfter });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  const shown =
    (await card(page, host)
      .getByText(/^Expires in \d+ days$/)
      .textContent()) ?? '';
  const storageState = await page.context().storageState();
  const dates = new Set<string>();
  for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
    const elsewhere = await browser.newContext({ timezoneId, locale: 'en-GB', storageState });
    const other = await elsewhere.newPage();
    await other.goto(`${world.app.url}/dashboard`);
    const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: timezoneId }).format(
      notAfter,
    );
    dates.add(date);
    await expect(card(other, host)).toContainText(date);
    await expect(card(other, host)).toContainText(shown);
    await expect(other.locator('time').first()).toHaveAttribute('title', /UTC/);
    await card(other, host).getByRole('link', { name: host }).click();
    const findings = other
      .getByRole('complementary')
      .getByText(/^warning: The certificate should have been renewed by .* It expires on/);
    await expect(findings).toContainText(`It expires on ${date} at `);
    await elsewhere.close();
  }
  expect(dates.size).toBe(2);
});

test('a wrong browser clock does not end the session', async ({ page, world }) => {
  const host = await world.serve('clock.example');
  const person = await createAccount(page, world, { hosts: [host] });
  for (const days of [-400, 40]) {
    await page.clock.setFixedTime(daysFromNow(days));
    await page.goto('/dashboard');
    await expect(card(page, host)).toBeVisible();
    await page.goto('/profile');
    await expect(page.getByLabel('Email')).toHaveValue(person.email);
  }
});

test('reduced motion switches off all animations, and badges have borders with forced colours', async ({
  page,
  world,
}) => {
  const host = await world.serve('still.example', {
    notBefore: daysFromNow(-80),
    notAfter: daysFromNow(3.5),
  });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  await card(page, host).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel).toBeVisible();
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].flatMap((element) => {
        const { animationDuration, transitionDuration } = getComputedStyle(element);
        return `${animationDuration}, ${transitionDuration}`.split(', ').map(Number.parseFloat);
      }),
    ),
  );
  expect(longest).toBeLessThanOrEqual(0.001);

  const badge = card(page, host).getByText('Expiring in 3 days');
  const border = await badge.evaluate((element) => {
    const box = element.closest('[class*="rounded"]') ?? element;
    return Number.parseFloat(getComputedStyle(box).borderTopWidth);
  });
  expect(border).toBeGreaterThan(0);
  await expect(card(page, host).getByRole('img', { name: /^Issued / })).toBeVisible();
});
