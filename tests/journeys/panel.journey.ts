import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { addHost, daysFromNow, expect, expectAccessible, logIn, signUp, test, type World } from './world.ts';

/** Somebody new, with the panel of a new host open. */
async function openPanel(page: Page, world: World, name: string, dnsNames = [name]) {
  const person = await signUp(page);
  const host = await world.serve(name, { dnsNames, notAfter: daysFromNow(60) });
  await addHost(page, host);
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel.getByRole('heading', { name: 'Current Certificate' })).toBeVisible();
  return { person, host, panel };
}

test('the chain is there to be read, copied and downloaded', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const names = Array.from({ length: 100 }, (_, index) => `${index}.chain.example`);
  const { panel } = await openPanel(page, world, 'chain.example', ['chain.example', ...names]);
  const chain = panel.locator('section', { has: page.getByRole('heading', { name: 'Certificate chain' }) });
  const leaf = chain.getByRole('listitem').filter({ hasText: 'Leaf' });

  await leaf.locator('summary').click();
  await expect(leaf).toContainText('CN=Orchard R1');
  await expect(leaf).toContainText('ECDSA P-256');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 760 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await leaf.locator('summary').click();
  await expectAccessible(page);

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

test('tags and notes are kept and found, and nothing typed is lost', async ({ page, world }) => {
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

  await test.step('what could not be stored says why, and stays', async () => {
    await page.route(/\/api\/domain\/[^/]+$/, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    );
    await notes.fill('Ask Bo');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByRole('alert')).toHaveText('The server could not be reached');
    await expect(notes).toHaveValue('Ask Bo');
    await tag.fill('x'.repeat(41));
    await tag.press('Enter');
    await expect(panel.getByText('A tag has at most 40 characters')).toBeVisible();
    await expectAccessible(page);
    await tag.fill('');
    await page.unroute(/\/api\/domain\/[^/]+$/);
  });

  await test.step('a session that ends in between leads back to what was typed', async () => {
    await notes.fill('Ask Bo, who has the key');
    await page.context().clearCookies();
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(/\/login\?next=/);
    await logIn(page, person);
    await expect(page).toHaveURL(/\/dashboard\?domain=/);
    await expect(notes).toHaveValue('Ask Bo, who has the key');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByText('Saved')).toBeVisible();
  });

  await test.step('both are searched', async () => {
    for (const q of ['who has the key', 'eu', 'nobody']) {
      await page.goto(`/dashboard?q=${encodeURIComponent(q)}`);
      await expect(page.getByRole('link', { name: host, exact: true })).toBeVisible({
        visible: q !== 'nobody',
      });
    }
  });
});

test('somebody else never sees what was typed', async ({ page, world }) => {
  const { panel } = await openPanel(page, world, 'secret.example');
  await panel.getByLabel('Notes').fill('between us');
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await page.context().clearCookies();
  await page.reload();
  await expect(page).toHaveURL(/\/login/);
  await signUp(page);
  const kept = await page.evaluate(() => Object.values(sessionStorage).join());
  expect(kept).not.toContain('between us');
});
