import type { Locator, Page } from '@playwright/test';
import { expectToast, heal, OFFLINE, test, toasts } from './fault-world.ts';
import { card, createAccount, expect, givesUp, logOut, showSection, type World } from './world.ts';
import { spec } from '../spec/spec.ts';

const again = (where: Locator | Page) => where.getByRole('button', { name: 'Try again' }).click();
const refuse = (page: Page, path: RegExp) => page.route(path, (route) => route.fulfill({ status: 503 }));

/** Creates an account with one domain, for a page whose clock the test controls. */
async function createDomain(page: Page, world: World, name: string): Promise<string> {
  const host = await world.serve(name);
  await page.clock.install();
  await createAccount(page, world, { hosts: [host] });
  return host;
}

test('a list that failed to load shows an error in its place, and Try again loads it', async ({
  page,
  world,
  wire,
}) => {
  const host = await createDomain(page, world, 'list.faults.example');
  await refuse(page, /\/api\/domain\/(list|summary)/);
  await page.goto('/dashboard');
  await givesUp(page, page.getByText('Could not load your domains'));
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to get me.' })).toBeVisible();
  spec('8.01', '“Failed to get me.” for user, list, history and billing');
  // One button retries the list and the overview.
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1);
  await heal(page, wire);
  await again(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is fine');
  await expect(card(page, host)).toBeVisible();
});

test('an overview that failed to load leaves the list, and Try again loads it', async ({
  page,
  world,
  wire,
}) => {
  const host = await createDomain(page, world, 'overview.faults.example');
  await refuse(page, /\/api\/domain\/summary/);
  await page.goto('/dashboard');
  await givesUp(page, page.getByText('Could not load the overview.'));
  await expect(card(page, host)).toBeVisible();
  await heal(page, wire);
  await again(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is fine');
});

test('each part of the panel that failed to load shows an error in its place, and Try again loads it', async ({
  page,
  world,
  wire,
}) => {
  const host = await createDomain(page, world, 'panel.faults.example');
  const panel = page.getByLabel(`Details for ${host}`);
  const open = async (path: RegExp) => {
    await refuse(page, path);
    await page.goto('/dashboard');
    await card(page, host).getByRole('link').click();
  };
  const retry = async () => {
    await heal(page, wire);
    await again(panel);
  };

  await test.step('the history fails to load', async () => {
    await open(/\/api\/domain\/[^/]+\/history/);
    await givesUp(page, panel.getByText('Could not load the history'));
    await expect(panel).toContainText('Failed to get me.');
    spec('8.01', '“Failed to get me.” for user, list, history and billing');
    await retry();
    await expect(panel.getByRole('list', { name: 'Names in the certificate' }).first()).toBeVisible();
  });

  await test.step('the report fails to load, while the domain’s own facts are shown', async () => {
    await open(/\/api\/domain\/[^/]+\/report/);
    await givesUp(page, panel.getByText('Could not load the report'));
    await expect(panel.getByText('Expires On')).toBeVisible();
    await retry();
    await showSection(panel, 'Chain');
    await expect(panel.getByText('One address')).toBeVisible();
  });

  await test.step('all parts share one error and one button', async () => {
    await open(/\/api\/domain\/[^/]+\/(report|history|uptime|alerts)/);
    await givesUp(page, panel.getByText('Could not load the report'));
    await expect(panel.getByRole('button', { name: 'Try again' })).toHaveCount(1);
    await retry();
    await showSection(panel, 'Chain');
    await expect(panel.getByText('One address')).toBeVisible();
  });
});

test('an Alerts page whose parts all failed to load shows one error with one button', async ({
  page,
  world,
  wire,
}) => {
  await page.clock.install();
  await createAccount(page, world);
  await refuse(page, /\/api\/(channels|alerts|maintenance)$/);
  await page.goto('/alerts');
  await givesUp(page, page.getByText('Could not load your channels and other parts'));
  // When the sections appear, they read once more.
  await givesUp(page, page.getByRole('button', { name: 'Try again', disabled: false }));
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1);
  await expect(page.getByText(/^Alerts still go out\. \S/)).toBeVisible();
  const parts = page.getByRole('heading', { level: 2 });
  for (const part of [
    'Channels',
    'Steps',
    'Quiet hours',
    'Events',
    'Maintenance',
    'Weekly digest',
    'Calendar',
  ])
    await expect(parts.filter({ hasText: part })).toBeVisible();
  await heal(page, wire);
  await again(page);
  await expect(page.getByRole('button', { name: 'Plan maintenance' })).toBeVisible();
  await expect(page.getByLabel('Hold alerts at night')).toBeVisible();
});

test('the upgrade dialog and the billing menu show what failed to load', async ({ page, world, wire }) => {
  await page.clock.install();
  await createAccount(page, world);
  await page.goto('/profile');
  await test.step('the upgrade dialog shows that the products failed to load', async () => {
    wire.fault(/^GET \/api\/payment\/products/, { kind: 'cut' });
    await page.getByRole('banner').getByRole('button', { name: 'Upgrade to Premium' }).click();
    const offer = page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
    await expect(offer.getByRole('button', { name: /^Start Premium/ })).toBeDisabled();
    await expect(offer.getByRole('button', { name: /^Start Premium/ })).toBeFocused();
    await givesUp(page, toasts(page).getByText('Failed to load payment products.'));
    spec('8.08', '“Failed to load payment products.”');
    await heal(page, wire);
    await again(offer);
    await expect(offer.getByRole('button', { name: /^Start Premium/ })).toBeEnabled();
    await offer.getByRole('button', { name: 'Cancel' }).click();
  });

  for (const { name, says } of [
    { name: 'cut', says: OFFLINE },
    { name: 'refused', says: 'Failed to get me.' },
  ])
    await test.step(`billing: ${name}`, async () => {
      if (name === 'cut') wire.fault(/^GET \/api\/payment\/billing/, { kind: 'cut' });
      else await refuse(page, /\/api\/payment\/billing/);
      const opening = page.context().waitForEvent('page');
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Billing' }).click();
      const tab = await opening;
      await expectToast(page, says);
      await expect.poll(() => tab.isClosed()).toBe(true);
      await heal(page, wire);
    });
  spec('8.01', '“Failed to get me.” for user, list, history and billing');
});

test('the page shows a lost connection, keeps its content and recovers by itself', async ({
  page,
  world,
  wire,
}) => {
  const host = await createDomain(page, world, 'lost.faults.example');
  await page.goto('/dashboard');
  await expect(card(page, host)).toBeVisible();
  await wire.refuse();
  await givesUp(page, page.getByText('Connection lost.'));
  await expect(card(page, host)).toBeVisible();

  await wire.heal();
  wire.fault(/^GET \/api\/domain\/list/, { kind: 'cut' });
  // The event stream is back and everything is refetched; only the list fails.
  await givesUp(page, page.getByText(/^Last updated .*The server could not be reached/));
  await expect(page.getByText('Connection lost.')).toBeHidden();
  await expect(card(page, host)).toBeVisible();
  const stale = page.getByText(/^Last updated/);
  await heal(page, wire);
  // A live event may have reloaded the list before the click.
  await expect(async () => {
    if (await stale.isVisible())
      await page.getByRole('button', { name: 'Try again' }).click({ timeout: 1000 });
    await expect(stale).toBeHidden({ timeout: 1000 });
  }).toPass();
});

test('slow answers for list and overview cause no error', async ({ page, world, wire }) => {
  const host = await world.serve('slow.faults.example');
  await createAccount(page, world, { hosts: [host] });
  wire.fault(/^GET \/api\/domain\/list/, { kind: 'throttle', bytesPerSecond: 20_000 });
  wire.fault(/^GET \/api\/domain\/summary/, { kind: 'delay', ms: 400 });
  await page.goto('/dashboard');
  await expect(card(page, host)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is fine');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the page redirects to the login when it cannot tell who is signed in', async ({
  page,
  wire,
  world,
}) => {
  await createAccount(page, world);
  wire.fault(/^GET \/api\/user\/me/, { kind: 'cut-answer' });
  await page.goto('/dashboard');
  await expect(page).toHaveURL(/\/login/);
  await wire.heal();
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
});

test('a failed password reset, profile update, account deletion or logout shows a message', async ({
  page,
  wire,
  world,
}) => {
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await createAccount(page, world);
  await page.goto('/profile');
  wire.fault(/^POST \/api\/identity\/request-password-reset/, { kind: 'cut' });
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expectToast(page, `Failed to send password reset email: ${OFFLINE}`);
  spec('8.22', '“Failed to send password reset email: ” and the message');
  await wire.heal();
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expectToast(page, 'Password reset email sent.');

  await page.route('**/api/user/update', (route) => route.fulfill({ status: 503 }));
  await page.getByLabel('Full Name').fill('Alice Unsaved');
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await expectToast(page, 'Failed to update: Service Unavailable');
  wire.fault(/^DELETE \/api\/user\/me/, { kind: 'cut' });
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, `Failed to delete the account: ${OFFLINE}`);
  for (const line of ['The profile could not be updated.', 'The account could not be deleted.'])
    expect(logged.join('\n')).toContain(line);
  spec('8.26', 'Errors of updating and deleting the user are logged');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();

  wire.fault(/^POST \/api\/auth\/logout/, { kind: 'cut' });
  await logOut(page);
  await expect(toasts(page).getByText(`Failed to logout: ${OFFLINE}`)).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
  spec('8.12', '“Failed to logout: ” and the message; the page leads to /login anyway');
});
