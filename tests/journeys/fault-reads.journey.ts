import type { Locator, Page } from '@playwright/test';
import { expectToast, heal, problem, test, toasts } from './fault-world.ts';
import { addHost, card, expect, logOut, showSection, signUp } from './world.ts';
import { spec } from '../spec/spec.ts';

/** Advances the page's clock through all retries until the page gives up. */
const givesUp = (page: Page, sign: Locator) =>
  expect(async () => {
    await page.clock.fastForward(4_000);
    await expect(sign).toBeVisible({ timeout: 250 });
  }).toPass();

const FAILED_READS = [
  { name: 'a cut connection', says: 'The server could not be reached. Your monitoring keeps running.' },
  { name: '503', says: 'Failed to get me.' },
  { name: '429', says: 'Failed to get me.' },
] as const;

test('a failed read shows an error in its place, and Try again loads it', async ({ page, world, wire }) => {
  test.slow();
  await page.clock.install();
  await signUp(page, world);
  const host = await world.serve('reads.faults.example');
  await addHost(page, host);
  const begin = async (name: string, path: RegExp) => {
    if (name === 'a cut connection') wire.fault(new RegExp(`^GET ${path.source}`), { kind: 'cut' });
    else
      await page.route(path, (route) =>
        name === '503'
          ? route.fulfill({ status: 503 })
          : route.fulfill(problem('too_many_requests', 'Try again in 40 seconds.', { retry_after: 40 })),
      );
  };
  const again = (where: Locator | Page) => where.getByRole('button', { name: 'Try again' }).click();

  for (const { name, says } of FAILED_READS)
    await test.step(`the list: ${name}`, async () => {
      await begin(name, /\/api\/domain\/list/);
      await page.goto('/dashboard');
      await givesUp(page, page.getByText('Could not load your domains'));
      await expect(page.getByRole('alert').filter({ hasText: says })).toBeVisible();
      await heal(page, wire);
      await again(page.getByRole('alert').filter({ hasText: says }));
      await expect(card(page, host)).toBeVisible();
    });

  await test.step('overview, while the list still works', async () => {
    await begin('503', /\/api\/domain\/summary/);
    await page.goto('/dashboard');
    await givesUp(page, page.getByText('Could not load the overview.'));
    await expect(card(page, host)).toBeVisible();
    await heal(page, wire);
    await again(page);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('is fine. It expires in');
  });

  for (const { name, says } of FAILED_READS)
    await test.step(`the history: ${name}`, async () => {
      await begin(name, /\/api\/domain\/[^/]+\/history/);
      await page.goto('/dashboard');
      await card(page, host).getByRole('link').click();
      const panel = page.getByLabel(`Details for ${host}`);
      await showSection(panel, 'History');
      await givesUp(page, panel.getByText('Could not load the history'));
      await expect(panel).toContainText(says);
      await heal(page, wire);
      await again(panel);
      await expect(panel.getByRole('list', { name: 'Names in the certificate' }).first()).toBeVisible();
    });

  await test.step('report, while the domain’s own facts are shown', async () => {
    await begin('503', /\/api\/domain\/[^/]+\/report/);
    await page.goto('/dashboard');
    await card(page, host).getByRole('link').click();
    const panel = page.getByLabel(`Details for ${host}`);
    await givesUp(page, panel.getByText('Could not load the report'));
    await expect(panel.getByText('Expires On')).toBeVisible();
    await heal(page, wire);
    await again(panel);
    await showSection(panel, 'Chain');
    await expect(panel.getByText('One address')).toBeVisible();
  });

  await test.step('a server that fails everywhere is reported once, with one button for all parts', async () => {
    await begin('503', /\/api\/domain\/(list|summary)/);
    await page.goto('/dashboard');
    await givesUp(page, page.getByText('Could not load your domains'));
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1);
    await heal(page, wire);
    await again(page);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('is fine. It expires in');

    await begin('503', /\/api\/domain\/[^/]+\/(report|history|uptime|alerts)/);
    await card(page, host).getByRole('link').click();
    const panel = page.getByLabel(`Details for ${host}`);
    await givesUp(page, panel.getByText('Could not load the report'));
    await expect(panel.getByRole('button', { name: 'Try again' })).toHaveCount(1);
    await heal(page, wire);
    await again(panel);
    await showSection(panel, 'Chain');
    await expect(panel.getByText('One address')).toBeVisible();

    await begin('503', /\/api\/(channels|alerts|maintenance)$/);
    await page.goto('/alerts');
    await givesUp(page, page.getByText('Could not load your channels and other parts'));
    // The sections read once more when they appear.
    await givesUp(page, page.getByRole('button', { name: 'Try again', disabled: false }));
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1);
    await heal(page, wire);
    await again(page);
    await expect(page.getByRole('button', { name: 'Plan maintenance' })).toBeVisible();
    await expect(page.getByLabel('Hold alerts at night')).toBeVisible();
  });

  await test.step('products', async () => {
    await begin('a cut connection', /\/api\/payment\/products/);
    await page.goto('/profile');
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

  await test.step('billing', async () => {
    for (const { name, says } of [
      { name: 'a cut connection', says: 'The server could not be reached. Your monitoring keeps running.' },
      { name: '503', says: 'Failed to get me.' },
    ]) {
      await begin(name, /\/api\/payment\/billing/);
      const opening = page.context().waitForEvent('page');
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Billing' }).click();
      const tab = await opening;
      await expectToast(page, says);
      await expect.poll(() => tab.isClosed()).toBe(true);
      await heal(page, wire);
    }
    spec('8.01', '“Failed to get me.” for user, list, history and billing');
  });
});

test('a lost connection is shown, keeps the page’s content and recovers by itself', async ({
  page,
  world,
  wire,
}) => {
  await page.clock.install();
  await signUp(page, world);
  const host = await world.serve('lost.faults.example');
  await addHost(page, host);
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
  // A live event may read the list before the click.
  await expect(async () => {
    if (await stale.isVisible())
      await page.getByRole('button', { name: 'Try again' }).click({ timeout: 1000 });
    await expect(stale).toBeHidden({ timeout: 1000 });
  }).toPass();

  await test.step('slow answers cause no error', async () => {
    wire.fault(/^GET \/api\/domain\/list/, { kind: 'throttle', bytesPerSecond: 20_000 });
    wire.fault(/^GET \/api\/domain\/summary/, { kind: 'delay', ms: 400 });
    await page.reload();
    await expect(card(page, host)).toBeVisible();
    await heal(page, wire);
  });
});

test('the page redirects to the login when it cannot tell who is signed in', async ({
  page,
  wire,
  world,
}) => {
  await signUp(page, world);
  for (const kind of ['cut', 'cut-answer'] as const) {
    wire.fault(/^GET \/api\/user\/me/, { kind });
    await page.goto('/dashboard');
    await expect(page).toHaveURL(/\/login/);
    await wire.heal();
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  }
});

test('failing password resets, updates, deletions and logouts show a message', async ({
  page,
  wire,
  world,
}) => {
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await signUp(page, world);
  await page.goto('/profile');
  for (const kind of ['cut', 'cut-answer'] as const) {
    wire.fault(/^POST \/api\/identity\/request-password-reset/, { kind });
    await page.getByRole('button', { name: 'Reset Password' }).click();
    await expect(toasts(page).getByText(/^Failed to send password reset email: /)).toBeVisible();
    spec('8.22', '“Failed to send password reset email: ” and the message');
    await wire.heal();
    await page.reload();
  }
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expectToast(page, 'Password reset email sent.');

  await page.route('**/api/user/update', (route) => route.fulfill({ status: 503 }));
  await page.getByLabel('Full Name').fill('Alice Unsaved');
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await expectToast(page, 'Failed to update: Service Unavailable');
  wire.fault(/^DELETE \/api\/user\/me/, { kind: 'cut' });
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(
    page,
    'Failed to delete the account: The server could not be reached. Your monitoring keeps running.',
  );
  for (const line of ['The profile could not be updated.', 'The account could not be deleted.'])
    expect(logged.join('\n')).toContain(line);
  spec('8.26', 'Errors of updating and deleting the user are logged');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();

  wire.fault(/^POST \/api\/auth\/logout/, { kind: 'cut' });
  await logOut(page);
  await expect(
    toasts(page).getByText(
      'Failed to logout: The server could not be reached. Your monitoring keeps running.',
    ),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
  spec('8.12', '“Failed to logout: ” and the message; the page leads to /login anyway');
});
