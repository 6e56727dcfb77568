import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page, Route } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { addHost, daysFromNow, expect, logIn, signUp, test, type World } from './world.ts';

/** Signs up and opens the panel of a new host. */
async function openPanel(page: Page, world: World, name: string, dnsNames = [name]) {
  const person = await signUp(page, world);
  const host = await world.serve(name, { dnsNames, notAfter: daysFromNow(60) });
  await addHost(page, host);
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel.getByRole('heading', { name: 'Current Certificate' })).toBeVisible();
  return { person, host, panel };
}

test('the chain can be read, copied and downloaded', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const names = Array.from({ length: 100 }, (_, index) => `${index}.chain.example`);
  const { panel } = await openPanel(page, world, 'chain.example', ['chain.example', ...names]);
  const chain = panel.locator('section', { has: page.getByRole('heading', { name: 'Path', exact: true }) });
  const leaf = chain.getByRole('listitem').filter({ hasText: 'Leaf' });

  await expect(chain.getByText('Leads to Orchard Root, which is trusted')).toBeVisible();
  await chain.getByText('Leads to').click();
  await expect(
    chain.getByText('The server sends 2 certificates: all that is needed, in order.'),
  ).toBeVisible();
  await expect(chain.getByRole('listitem').last()).toContainText('Root, from the trust store');
  await leaf.locator('summary').click();
  await expect(leaf).toContainText('CN=Orchard R1');
  await expect(leaf).toContainText('ECDSA P-256');
  await page.setViewportSize({ width: 360, height: 760 });
  await page.emulateMedia({ colorScheme: 'dark' });
  // The sheet is another panel, collapsed at first.
  await chain.getByText('Leads to').click();
  await leaf.locator('summary').click();

  await leaf.getByRole('button', { name: '+99 more' }).click();
  await expect(leaf.getByText('99.chain.example', { exact: true })).toBeVisible();

  await leaf.getByRole('button', { name: 'Copy PEM' }).click();
  await expect(leaf.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = new X509Certificate(await page.evaluate(() => navigator.clipboard.readText()));
  expect(copied.subject).toBe('CN=chain.example');

  const download = async (button: string) => {
    const arriving = page.waitForEvent('download');
    await chain.getByRole('button', { name: button }).click();
    const file = await arriving;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const one = await download('Download PEM');
  expect(one.name).toBe('chain.example.pem');
  expect(new X509Certificate(one.text).fingerprint256).toBe(copied.fingerprint256);
  const whole = await download('Download whole chain');
  expect(whole.name).toBe('chain.example-chain.pem');
  expect(whole.text.startsWith(one.text)).toBe(true);
  expect(whole.text.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});

test('a finding has a command, and the report can be copied', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { host, panel } = await openPanel(page, world, 'wrong.example', ['other.example']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const findings = panel.locator('section', { has: page.getByRole('heading', { name: 'Findings' }) });
  const finding = findings.locator('summary').first();
  await finding.focus();
  await page.keyboard.press('Enter');
  const command = findings.getByText('See it yourself');
  await expect(command).toBeVisible();
  await findings.getByRole('button', { name: 'Copy the command' }).click();
  await expect.poll(copied).toMatch(/^(openssl|curl) /);

  await findings.getByRole('button', { name: 'Copy report' }).click();
  await expect(page.getByText('The report was copied as Markdown.')).toBeVisible();
  expect(await copied()).toContain(host);

  await test.step('every line opens at 360 px in the dark theme', async () => {
    await page.setViewportSize({ width: 360, height: 760 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const line of ['There is one address', /Leads to|No way to/])
      await panel.locator('summary', { hasText: line }).click();
    await expect(panel.getByRole('table')).toContainText('127.0.0.1');
    expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});

test('a certificate shows what changed since any earlier one', async ({ page, world }) => {
  await page.route('**/api/domain/*/history', async (route) => {
    const answer = await route.fetch();
    const { data } = (await answer.json()) as { data: [object] };
    await route.fulfill({
      json: { data: ['now', 'before', 'first'].map((id) => ({ ...data[0], id, fingerprint: id })) },
    });
  });
  await page.route('**/api/domain/*/history/diff*', (route) => {
    const from = new URL(route.request().url()).searchParams.get('from');
    return route.fulfill({
      json: {
        data: {
          names_added: [`since-${from}.example`],
          names_lost: [],
          issuer: { from: 'R12', to: 'R13' },
          subject: null,
          key: null,
          same_key: false,
          lifetime_days: null,
          signature_algorithm: null,
        },
      },
    });
  });
  const { panel } = await openPanel(page, world, 'changed.example');
  const newest = panel.getByRole('listitem').filter({ hasText: 'What changed' }).first();
  await newest.getByText('What changed').click();
  await expect(newest).toContainText('since-before.example');
  await expect(newest).toContainText('R12 → R13');
  await newest.getByLabel('Compare with').selectOption('first');
  await expect(newest).toContainText('since-first.example');
  await expectAccessible(page);
});

test('tags and notes are stored and searchable, and survive failures', async ({ page, world }) => {
  const { person, host, panel } = await openPanel(page, world, 'notes.example');
  const tag = panel.getByLabel('Add a tag');
  const notes = panel.getByLabel('Notes');

  await test.step('Enter and comma add tags', async () => {
    await tag.fill('Shop');
    await tag.press('Enter');
    await expect(panel.getByRole('list', { name: 'Tags' })).toHaveText('shop');
    await tag.pressSequentially('eu,');
    await expect(panel.getByRole('button', { name: 'Remove the tag eu' })).toBeVisible();
    await panel.getByRole('button', { name: 'Remove the tag shop' }).click();
    await expect(panel.getByRole('list', { name: 'Tags' })).toHaveText('eu');
  });

  await test.step('a failed save shows the reason and keeps the text', async () => {
    await page.route(/\/api\/domain\/[^/]+$/, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    );
    await notes.fill('Ask Bo');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByRole('alert')).toHaveText(
      'The server could not be reached. Your monitoring keeps running.',
    );
    await expect(notes).toHaveValue('Ask Bo');
    await tag.fill('x'.repeat(41));
    await tag.press('Enter');
    await expect(panel.getByText('A tag has at most 40 characters')).toBeVisible();
    await expectAccessible(page);
    await tag.fill('');
    await page.unroute(/\/api\/domain\/[^/]+$/);
  });

  await test.step('a lost session leads back to the typed text', async () => {
    await notes.fill('Ask Bo, who has the key');
    // A background refetch would notice the lost session before the save does.
    const reads = (route: Route) => (route.request().method() === 'GET' ? undefined : route.fallback());
    await page.route('**/api/**', reads);
    await page.context().clearCookies();
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(/\/login\?next=/);
    await page.unroute('**/api/**', reads);
    await logIn(page, person);
    await expect(page).toHaveURL(/\/dashboard\?domain=/);
    await expect(notes).toHaveValue('Ask Bo, who has the key');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByText('Saved')).toBeVisible();
  });

  await test.step('both can be searched', async () => {
    for (const q of ['who has the key', 'eu', 'nobody']) {
      await page.goto(`/dashboard?q=${encodeURIComponent(q)}`);
      await expect(page.getByRole('link', { name: host, exact: true })).toBeVisible({
        visible: q !== 'nobody',
      });
    }
  });
});

test('unsaved notes are not visible to the next person in the same browser', async ({ page, world }) => {
  const { panel } = await openPanel(page, world, 'secret.example');
  await panel.getByLabel('Notes').fill('between us');
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await page.context().clearCookies();
  await page.reload();
  await expect(page).toHaveURL(/\/login/);
  await signUp(page, world);
  const kept = await page.evaluate(() => Object.values(sessionStorage).join());
  expect(kept).not.toContain('between us');
});
