import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expectAccessible } from './axe.ts';
import { createAccount, daysFromNow, expect, test, type World } from './world.ts';
import { comingLifetimes, describeRule } from '../../server/core/rules/deadline-words.ts';

const RULE = 'server_auth_only';
const TITLE = describeRule(RULE)?.title ?? '';
const FROM = Date.UTC(2027, 2, 15);

/**
 * Writes deadlines of the certificates of these domains, and that all certificates have a public root. Both would need certificates of a
 * public authority. `renewed` domains served another certificate before.
 */
function writeDeadlines(
  { app }: World,
  { email, open, renewed = [] }: { email: string; open: readonly string[]; renewed?: readonly string[] },
): void {
  const database = new DatabaseSync(join(app.dataDir, 'certlantern.db'), { timeout: 10_000 });
  const write = (hosts: readonly string[], rule: string, at: number, renewedAt: number | null) => {
    for (const host of hosts)
      database
        .prepare(
          `INSERT INTO deadlines (account_id, monitor_id, fingerprint, rule, from_at, not_after, first_seen_at, renewed_at)
           SELECT account_id, id, CASE WHEN ? IS NULL THEN certificate_fingerprint ELSE lower(hex(randomblob(32))) END,
             ?, ?, not_after, last_checked_at, ? FROM monitors
           WHERE host = ? AND account_id = (SELECT id FROM accounts WHERE email = ?)`,
        )
        .run(renewedAt, rule, at, renewedAt, host.replace(/:\d+$/, ''), email);
  };
  write(open, RULE, FROM, null);
  write(renewed, RULE, FROM, Date.now());
  write(renewed, 'replacement_wanted', Date.now(), Date.now());
  database
    .prepare(
      `UPDATE certificates SET public_root = 1 WHERE fingerprint IN (SELECT fingerprint FROM served_certificates
       WHERE account_id = (SELECT id FROM accounts WHERE email = ?))`,
    )
    .run(email);
  database.close();
}

test('the page of deadlines shows each day with its change, searches the certificates and exports them', async ({
  page,
  world,
}) => {
  const days = { notBefore: daysFromNow(0), notAfter: daysFromNow(180) };
  const mail = await world.serve('mail.deadlines.example', days);
  const relay = await world.serve('relay.deadlines.example', days);
  const renewed = await world.serve('renewed.deadlines.example', { notAfter: daysFromNow(40) });
  const { email } = await createAccount(page, world, { hosts: [mail, relay, renewed] });
  writeDeadlines(world, { email, open: [mail, relay], renewed: [renewed] });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/certificates');
  await page.getByRole('link', { name: 'Deadlines', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deadlines');
  await expect(
    page.getByText('1 date concerns certificates that are not renewed yet: 15 March 2027.'),
  ).toBeVisible();
  const date = page.getByRole('listitem').filter({ hasText: TITLE });
  await expect(date).toContainText('15 March 2027');
  await expect(date).toContainText('1 of 3 renewed');
  await expect(date).toContainText(/Applied by Chrome · as of \d+ \w+ 20\d\d/);
  await expect(date.getByRole('link', { name: /Source/ })).toHaveAttribute('href', /^https:/);
  for (const { maxDays } of comingLifetimes(Date.now()))
    await expect(page.getByRole('row', { name: `At most ${maxDays} days` })).toBeVisible();
  await expect(page.getByText('1 of 1 certificate replaced after the CA asked')).toBeVisible();
  await expectAccessible(page);

  const table = page.getByRole('table', { name: 'Certificates with deadlines' });
  const rows = table.locator('tr[data-row]');
  await expect(rows).toHaveCount(4);
  await test.step('the search and the choice of a date work by keyboard alone', async () => {
    await date.getByRole('button', { name: 'Show 3 certificates' }).focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/rule=server_auth_only/);
    await expect(page.getByRole('heading', { name: 'Certificates', exact: true })).toBeFocused();
    await expect(rows).toHaveCount(3);
    await page.keyboard.press('Tab');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.type('relay');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('relay.deadlines.example');
    await page.keyboard.press('Escape');
    await expect(rows).toHaveCount(3);
  });
  await test.step('the list and a date are downloaded', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^certlantern-deadlines-.*\.csv$/);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(4);
    expect(text).toContain(`2027-03-15,${RULE},"${TITLE}",mail.deadlines.example,,`);
    const entry = page.waitForEvent('download');
    await date.getByRole('button', { name: 'Calendar entry' }).click();
    const calendar = readFileSync(await (await entry).path(), 'utf8');
    expect(calendar).toContain('DTSTART;VALUE=DATE:20270315');
    expect(calendar).toContain(`SUMMARY:${TITLE}`);
  });
  await rows.filter({ hasText: mail }).getByRole('link', { name: mail }).press('Enter');
  await expect(page.getByLabel(`Details for ${mail}`)).toBeVisible();
});

test('the page of deadlines fits a phone, and its print fits A4', async ({ page, world, browserName }) => {
  const days = { notBefore: daysFromNow(0), notAfter: daysFromNow(180) };
  const hosts = await Promise.all(
    Array.from({ length: 12 }, (_, index) => world.serve(`host-${index}.print-deadlines.example`, days)),
  );
  const { email } = await createAccount(page, world, { hosts, premium: true, verified: true });
  writeDeadlines(world, { email, open: hosts });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto('/deadlines');
  await expect(page.getByText('0 of 12 renewed')).toBeVisible();
  await expect(page.locator('tr[data-row]').first()).toContainText('Not renewed yet');
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }

  expect(browserName).toBe('chromium');
  // The code for printing loads after a pause.
  const printed = page.locator('[data-printed]');
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await expect(printed.getByRole('row', { includeHidden: true })).toHaveCount(13, { timeout: 1 });
  }).toPass();
  await page.emulateMedia({ media: 'print' });
  const shown = await page.locator('body').innerText();
  expect(shown).toMatch(/^Deadlines/);
  expect(shown).toContain(`15 March 2027: ${TITLE}`);
  for (const host of hosts) expect(shown).toContain(host);
  for (const control of ['Export CSV', 'Find by name', 'Calendar entry', 'Give Feedback'])
    expect(shown).not.toContain(control);
  const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
  const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...size]) =>
    size.map(Number).toSorted((one, other) => one - other),
  );
  expect(sizes.length).toBeLessThanOrEqual(2);
  // A4 in points of 1/72 inch, upright or landscape. Chromium rounds up to whole pixels.
  const [short = 0, long = 0] = sizes[0] ?? [];
  expect(Math.abs(short - 595.3)).toBeLessThan(1);
  expect(Math.abs(long - 841.9)).toBeLessThan(1);
});

test('the page of deadlines of a new account says that nothing will break', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Deadlines' }).press('Enter');
  await expect(page.getByText('Nothing will break on a known date.')).toBeVisible();
  await expectAccessible(page);
});
