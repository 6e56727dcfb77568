import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { expectAccessible } from './axe.ts';
import {
  card,
  createAccount,
  daysFromNow,
  expect,
  logIn,
  loseSession,
  showSection,
  test,
  type World,
} from './world.ts';

/** Opens the panel of the only domain of a new account. */
async function openPanel(page: Page, world: World, name: string, dnsNames = [name], days = 60) {
  const host = await world.serve(name, {
    dnsNames,
    notBefore: daysFromNow(days - 90),
    notAfter: daysFromNow(days),
  });
  const person = await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel.getByRole('heading', { name: 'Current Certificate' })).toBeVisible();
  return { person, host, panel };
}

test('the panel shows the certificate chain, which can be copied and downloaded as PEM', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const names = Array.from({ length: 100 }, (_, index) => `${index}.chain.example`);
  const { panel } = await openPanel(page, world, 'chain.example', ['chain.example', ...names]);
  await showSection(panel, 'Chain');
  const chain = panel.locator('section', { has: page.getByRole('heading', { name: 'Path', exact: true }) });
  const leaf = chain.getByRole('listitem').filter({ hasText: 'Leaf' });

  await expect(chain.getByText('Ends at Orchard Root, a trusted root')).toBeVisible();
  await expect(chain.getByText('The server sends 2 certificates: complete and in order.')).toBeVisible();
  await expect(chain.getByRole('listitem').last()).toContainText('Root, from the trust store');
  await leaf.locator('summary').click();
  await expect(leaf).toContainText('CN=Orchard R1');
  await expect(leaf).toContainText('ECDSA P-256');
  await page.setViewportSize({ width: 360, height: 760 });
  await page.emulateMedia({ colorScheme: 'dark' });
  // In a narrow window the panel is a sheet. That is a new element, in which the certificate is folded again.
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

test('a finding has a command to check it, and the report can be copied as Markdown', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { host, panel } = await openPanel(page, world, 'wrong.example', ['other.example']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const findings = panel.locator('section', { has: page.getByRole('heading', { name: 'Findings' }) });
  await expect(findings.getByText('Check it yourself')).toBeVisible();
  await findings.getByRole('button', { name: 'Copy command' }).click();
  await expect.poll(copied).toMatch(/^(openssl|curl) /);

  await findings.getByRole('button', { name: 'Copy report' }).click();
  await expect(page.getByText('Report copied as Markdown.')).toBeVisible();
  expect(await copied()).toContain(host);
  // The toast would cover the page at 360 px.
  await page.getByRole('button', { name: 'Close toast' }).click();

  await test.step('every line opens at 360 px in the dark theme', async () => {
    await page.setViewportSize({ width: 360, height: 760 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await showSection(panel, 'Chain');
    await panel.locator('summary', { hasText: 'One address' }).click();
    await expect(panel.getByRole('table')).toContainText('127.0.0.1');
    expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});

test('each section of the panel has an address, and Back returns to the former section', async ({
  page,
  world,
}) => {
  const { host, panel } = await openPanel(page, world, 'sections.example');
  const tab = (name: string) => panel.getByRole('tab', { name });
  await expect(tab('Overview')).toHaveAttribute('aria-selected', 'true');
  await tab('Overview').focus();
  await page.keyboard.press('ArrowRight');
  await expect(tab('Alerts')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(tab('Chain')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(panel.getByText('Ends at Orchard Root, a trusted root')).toBeVisible();
  await expect(page).toHaveURL(/&section=chain$/);
  await page.reload();
  await expect(panel.getByText('Ends at Orchard Root, a trusted root')).toBeVisible();
  await showSection(panel, 'Uptime');
  await expect(panel.getByRole('heading', { name: 'Response time' })).toBeVisible();
  await page.goBack();
  await expect(tab('Chain')).toHaveAttribute('aria-selected', 'true');
  await page.goBack();
  await expect(tab('Overview')).toHaveAttribute('aria-selected', 'true');
  await showSection(panel, 'Uptime');
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(card(page, host).getByRole('link')).toBeFocused();
});

test('from 1024 px on, the page makes room for the panel and keeps the opened card in place', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 1440, height: 480 });
  const name = `${'a'.repeat(50)}.room.example`;
  const { host, panel } = await openPanel(page, world, name, [name], -3);
  const main = page.getByRole('main');
  await expect(main).toHaveCSS('padding-right', '400px');
  const boxOf = (place: Locator) => place.evaluate((element) => element.getBoundingClientRect().toJSON());
  expect((await boxOf(card(page, host))).right).toBeLessThanOrEqual(1040);

  await page.goto('/dashboard');
  await expect(card(page, host)).toBeVisible();
  await expect(main).toHaveCSS('padding-right', '0px');
  // The toolbar has one row without the panel, and two beside the panel. Its left edge stays.
  const toolbar = page.locator('[data-toolbar]');
  const { left, height } = await boxOf(toolbar);
  await page.evaluate(() => window.scrollTo({ top: 10_000 }));
  const { top } = await boxOf(card(page, host));
  for (const isOpen of [true, false]) {
    if (isOpen) await card(page, host).getByRole('link').click();
    else await panel.getByRole('button', { name: 'Close' }).click();
    await expect(main).toHaveCSS('padding-right', isOpen ? '400px' : '0px');
    const shown = await boxOf(toolbar);
    expect(shown.left).toBe(left);
    if (isOpen) expect(shown.height).toBeGreaterThan(height + 20);
    else expect(shown.height).toBe(height);
    await expect.poll(async () => Math.abs((await boxOf(card(page, host))).top - top)).toBeLessThan(2);
  }

  await test.step('a toast is beside the panel', async () => {
    await card(page, host).getByRole('link').click();
    await panel.getByRole('button', { name: 'Copy report' }).click();
    const toast = page.locator('[data-sonner-toast]').first();
    await expect(toast).toBeVisible();
    expect((await boxOf(toast)).right).toBeLessThanOrEqual(1040);
  });

  await test.step('the panel covers no card or cell beside it', async () => {
    for (const width of [1280, 1100, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of ['Grid', 'List']) {
        await page.getByRole('button', { name: view, exact: true }).click();
        await expect(main).toHaveCSS('padding-right', '400px');
        const ends = async () =>
          main
            .locator('[data-domain-id], [data-domain-id] > *')
            .evaluateAll((parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().right)));
        await expect.poll(ends).toBeLessThanOrEqual(width - 400);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    }
    await page.getByRole('button', { name: 'Grid', exact: true }).click();
  });
  await test.step('below 1024 px the panel covers the whole page', async () => {
    await page.setViewportSize({ width: 1023, height: 900 });
    await expect(page.getByRole('dialog', { name: /^Details for / })).toBeVisible();
    expect((await boxOf(page.getByRole('dialog', { name: /^Details for / }))).width).toBe(1023);
  });
});

test('an untrusted certificate is shown as fixed as soon as its authority is trusted', async ({
  page,
  world,
}) => {
  const issuer = mintAuthority({ commonName: 'Moss Internal Root' }).intermediate({
    commonName: 'Moss Internal R1',
  });
  const host = await world.serve('internal.example', { issuer, notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await page.setViewportSize({ width: 360, height: 760 });
  await page.goto('/dashboard');
  await card(page, host).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel.getByRole('button', { name: 'Check again' })).toBeVisible();
  await panel.getByRole('button', { name: 'Trust this authority' }).click();
  const question = page.getByRole('dialog', { name: 'Trust this authority?' });
  await expect(question).toContainText('Moss Internal R1');
  await expectAccessible(page);
  const trust = question.getByRole('button', { name: 'Trust', exact: true });

  await test.step('the toast of a failure leaves the buttons of the dialog free', async () => {
    await page.route('**/api/user/authorities', (route) => route.abort());
    await trust.click();
    const toast = page.locator('[data-sonner-toast]').first();
    await expect(toast).toContainText('Could not add the authority');
    const bottom = () => toast.evaluate((element) => element.getBoundingClientRect().bottom);
    const buttonTop = await trust.evaluate((element) => element.getBoundingClientRect().top);
    await expect.poll(bottom).toBeLessThan(buttonTop);
    await page.unroute('**/api/user/authorities');
  });

  await trust.click();
  await expect(page.getByText('Authority added: your domains now trust it.')).toBeVisible();
  await expect(panel.getByText('Fixed', { exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Check again' })).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await card(page, host).getByRole('link').click();
  await expect(panel.getByRole('heading', { name: 'Current Certificate' })).toBeVisible();
  await expect(panel.getByText('Fixed', { exact: true })).toBeHidden();
});

test('a check that is held back says why and until when', async ({ page, world }) => {
  const until = new Date(Date.now() + 50_000).toISOString();
  await page.route('**/api/domain/list*', async (route) => {
    const answer = await route.fetch();
    const list = (await answer.json()) as { data: object[] };
    const data = list.data.map((domain) => ({
      ...domain,
      checking: false,
      waiting: { reason: 'own_network', until },
    }));
    await route.fulfill({ json: { ...list, data } });
  });
  const host = await world.serve('held.example', { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await expect(card(page, host)).toContainText(/Check held back until \d\d:\d\d/);
  await card(page, host).getByRole('link').click();
  await expect(page.getByLabel(`Details for ${host}`).getByRole('status').first()).toHaveText(
    /^Many hosts failed at once, so our own network may be the cause\. We recorded nothing and will try again at \d\d:\d\d\.$/,
  );
});

test('the history compares the current certificate with any earlier one', async ({ page, world }) => {
  await page.route('**/api/domain/*/history', async (route) => {
    const answer = await route.fetch();
    const { data } = (await answer.json()) as { data: [object] };
    await route.fulfill({
      json: {
        data: ['now', 'before', 'c', 'd', 'e', 'first'].map((id) => ({ ...data[0], id, fingerprint: id })),
      },
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
  const compared = panel.getByRole('listitem').filter({ hasText: 'What changed' });
  await expect(compared).toHaveCount(5);
  await panel.getByRole('button', { name: 'Show all 6' }).click();
  // The oldest certificate has no predecessor to compare it with, but is listed.
  await expect(panel.getByRole('list', { name: 'Names in the certificate' })).toHaveCount(6);
  const newest = compared.first();
  await newest.getByText('What changed').click();
  await expect(newest).toContainText('since-before.example');
  await expect(newest).toContainText('R12 → R13');
  await newest.getByLabel('Compare with').click();
  await page.getByRole('option').last().click();
  await expect(newest).toContainText('since-first.example');
  await expectAccessible(page);
});

test('tags and notes are saved and searchable, and typed notes survive failures and a lost session', async ({
  page,
  world,
}) => {
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
    await expect(panel.getByText('A tag can have at most 40 characters')).toBeVisible();
    await expectAccessible(page);
    await tag.fill('');
    await page.unroute(/\/api\/domain\/[^/]+$/);
  });

  await test.step('a lost session leads back to the typed text', async () => {
    await notes.fill('Ask Bo, who has the key');
    await loseSession(page, () => panel.getByRole('button', { name: 'Save' }).click());
    await expect(page).toHaveURL(/\/login\?next=/);
    await logIn(page, person);
    await expect(page).toHaveURL(/\/dashboard\?domain=/);
    await expect(notes).toHaveValue('Ask Bo, who has the key');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByText('Saved')).toBeVisible();
  });

  await test.step('tags and notes can be searched', async () => {
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
  await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  const kept = await page.evaluate(() => Object.values(sessionStorage).join());
  expect(kept).not.toContain('between us');
});
