import type { Page, Request } from '@playwright/test';
import type { FaultProxy } from '../kit/peers/fault-proxy.ts';
import {
  callsAt,
  expectToast,
  FAILURES,
  heal,
  NO_ANSWER,
  OFFLINE,
  problem,
  test,
  toasts,
} from './fault-world.ts';
import { card, createAccount, expect, logIn, loseSession } from './world.ts';
import { spec } from '../spec/spec.ts';

/** An action of the page with one call, and its message when that fails. */
interface Deed {
  call: { method: string; path: string };
  says(message: string): string;
  do(): Promise<void>;
  /** Expects after every failure that typed text is kept and that nothing looks done. */
  keeps?(): Promise<void>;
  succeeds(): Promise<void>;
}

/** Lets an action fail, then succeed after a refresh of the session. Nothing has to be typed again. */
async function meetFailures(page: Page, wire: FaultProxy, deed: Deed): Promise<void> {
  for (const failing of FAILURES)
    await test.step(failing.name, async () => {
      await failing.begin(page, wire, deed.call);
      await deed.do();
      await expectToast(page, deed.says(failing.message));
      await deed.keeps?.();
      await heal(page, wire);
    });
  await test.step('an expired session', async () => {
    // The call is answered 401 once. The refresh of the session is real, and the page repeats the call.
    const isCall = (request: Request) =>
      request.method() === deed.call.method && callsAt(deed.call.path).test(request.url());
    let isExpired = true;
    await page.route(callsAt(deed.call.path), (route, request) => {
      if (!isExpired || !isCall(request)) return route.fallback();
      isExpired = false;
      return route.fulfill(problem('not_authenticated', 'Log in to continue.'));
    });
    const refreshed = page.waitForResponse('**/api/auth/refresh');
    const done = page.waitForResponse((response) => isCall(response.request()) && response.ok());
    await deed.do();
    expect((await refreshed).ok()).toBe(true);
    await done;
    await deed.succeeds();
    await expect(toasts(page).getByRole('alert')).toHaveCount(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
}

test('adding, checking and removing a domain fail with a message and succeed when repeated', async ({
  page,
  world,
  wire,
}) => {
  const first = await world.serve('first.faults.example');
  await createAccount(page, world, { hosts: [first], trial: true });
  await page.goto('/dashboard');
  const host = await world.serve('second.faults.example');
  const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
  const input = dialog.getByLabel('Host Address');
  await page.getByRole('button', { name: 'Add Domain' }).click();
  await input.fill(host);
  await meetFailures(page, wire, {
    call: { method: 'POST', path: '/domain/add' },
    says: (message) => message,
    do: () => input.press('Enter'),
    keeps: () => expect(input).toHaveValue(host),
    async succeeds() {
      await expect(card(page, host)).toBeVisible();
      await expect(dialog).toBeHidden();
    },
  });
  spec('2D.04', 'Enter adds');
  spec('8.14', 'Other errors of adding are a toast with the message');

  const menu = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${host}` }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await meetFailures(page, wire, {
    call: { method: 'POST', path: '/domain/*/check' },
    says: (message) => `Could not start the check: ${message}`,
    do: () => menu('Refresh'),
    succeeds: () => expect(toasts(page).getByText('Could not start the check')).toHaveCount(0),
  });
  spec('2D.09', 'The menu of a domain has “Refresh”');

  await menu('Remove');
  const question = page.getByRole('alertdialog', { name: 'Are you sure you want to delete this domain?' });
  await meetFailures(page, wire, {
    call: { method: 'DELETE', path: '/domain/*' },
    // Refusals have the specified text; network errors keep their own message.
    says: (message) =>
      `Failed to delete domain: ${message.startsWith('The server') ? message : 'Failed to delete domain.'}`,
    do: () => question.getByRole('button', { name: 'Delete' }).click(),
    keeps: () => expect(question.getByRole('button', { name: 'Delete' })).toBeEnabled(),
    async succeeds() {
      await expectToast(page, 'Domain deleted successfully');
      await expect(card(page, host)).toBeHidden();
    },
  });
  spec('8.16', '“Failed to delete domain: ” and the message');
});

test('a domain is shown as added or removed although the connection broke during the answer', async ({
  page,
  world,
  wire,
}) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const host = await world.serve('torn.faults.example');
  wire.fault(/^POST \/api\/domain\/add/, { kind: 'cut-answer' });
  await page.getByLabel('Host Address').fill(host);
  await page.getByLabel('Host Address').press('Enter');
  await expectToast(page, OFFLINE);
  await heal(page, wire);
  // The event stream or the next read adds the card.
  await expect(card(page, host)).toBeVisible();

  await page.getByRole('button', { name: `Actions for ${host}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  wire.fault(/^DELETE \/api\/domain\//, { kind: 'cut-answer' });
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, `Failed to delete domain: ${OFFLINE}`);
  await heal(page, wire);
  await expect(page.getByRole('heading', { name: 'Add your first domain' })).toBeAttached();
});

test('check frequency, feedback and profile keep their input when they could not be saved', async ({
  page,
  world,
  wire,
}) => {
  const host = await world.serve('frequency.faults.example');
  await createAccount(page, world, { hosts: [host], trial: true });
  await page.goto('/dashboard');
  await card(page, host).getByRole('link').click();
  const hourly = page.getByRole('radio', { name: /^Hourly/ });
  await expect(hourly).toBeVisible();
  await meetFailures(page, wire, {
    call: { method: 'PATCH', path: '/domain/*/frequency' },
    says: (message) => `Domain update failed: ${message}`,
    do: () => hourly.click(),
    keeps: () => expect(page.getByRole('radio', { name: /^Daily/ })).toBeChecked(),
    succeeds: () => expectToast(page, 'Check frequency updated!'),
  });
  spec('8.17', '“Check frequency updated!”');
  spec('8.18', '“Domain update failed: ” and the message');
  await expect(hourly).toBeChecked();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Give Feedback' }).click();
  const dialog = page.getByRole('dialog', { name: "We'd love your feedback" });
  const thoughts = dialog.getByPlaceholder('Your thoughts...');
  await thoughts.fill('Cut me off as often as you like.');
  await meetFailures(page, wire, {
    call: { method: 'POST', path: '/user_feedback/create' },
    says: (message) => `Something happened while sending. Please try again later: ${message}`,
    do: () => dialog.getByRole('button', { name: 'Submit' }).click(),
    keeps: () => expect(thoughts).toHaveValue('Cut me off as often as you like.'),
    async succeeds() {
      await expectToast(page, 'Thanks for your feedback! We really appreciate it. 🙏');
      await expect(dialog).toBeHidden();
    },
  });
  spec('8.10', 'Sent feedback is thanked for');
  spec('8.11', 'Feedback that failed says so, with the message');

  await page.goto('/profile');
  const name = page.getByLabel('Full Name');
  await name.fill('Alice Steadfast');
  await meetFailures(page, wire, {
    call: { method: 'PATCH', path: '/user/update' },
    says: (message) => `Failed to update: ${message}`,
    do: () => page.getByRole('button', { name: 'Update Profile' }).click(),
    keeps: () => expect(name).toHaveValue('Alice Steadfast'),
    succeeds: () => expectToast(page, 'User updated successfully'),
  });
  spec('8.20', '“Failed to update: ” and the message');
});

test('adding a domain that the server refuses with 402 opens the upgrade dialog without a toast', async ({
  page,
  wire,
  world,
}) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const input = page.getByLabel('Host Address');
  const fourth = world.dead('fourth.example');
  await input.fill(fourth);
  await page.route('**/api/domain/add', (route) =>
    route.fulfill(problem('limit_reached', 'The Free plan tracks up to 3 domains.')),
  );
  await input.press('Enter');
  const offer = page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
  await expect(offer).toBeVisible();
  await expect(toasts(page).getByRole('listitem')).toHaveCount(0);
  spec('8.13', 'A 402 opens the upgrade dialog without a toast');
  spec('6.11', 'A 402 on adding means that payment is required');
  await offer.getByRole('button', { name: 'Cancel' }).click();
  await expect(offer).toBeHidden();
  spec('2U.05', 'The upgrade dialog has “Cancel”');
  await expect(input).toHaveValue(fourth);
  await heal(page, wire);
});

test('feedback typed before a session was lost is restored after login', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  const thoughts = page.getByPlaceholder('Your thoughts...');
  await thoughts.fill('Typed before the session was lost.');
  await loseSession(page, () => page.getByRole('button', { name: 'Submit' }).click());
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await expect(thoughts).toHaveValue('Typed before the session was lost.');
});

test('a host typed before a session was lost is in the open form after login', async ({ page, world }) => {
  const person = await createAccount(page, world, { hosts: [world.dead('first.orchard.example')] });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Add Domain' }).click();
  const host = page.getByLabel('Host Address');
  await host.fill('second.example');
  await loseSession(page, () => host.press('Enter'));
  await logIn(page, person);
  await expect(page.getByRole('dialog', { name: 'Add New Domain' })).toBeVisible();
  await expect(host).toHaveValue('second.example');
});

test('a failed login shows why and keeps the typed email', async ({ page, wire, world }) => {
  const person = await createAccount(page, world, { session: false });
  await page.goto('/login');
  for (const failing of [...FAILURES, NO_ANSWER])
    await test.step(failing.name, async () => {
      await failing.begin(page, wire, { method: 'POST', path: '/identity/sign-in/email' });
      await logIn(page, person);
      await expectToast(page, `Failed to login: ${failing.message}`);
      await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeEnabled();
      await expect(page.getByLabel('Email')).toHaveValue(person.email);
      await heal(page, wire);
    });
  await page.route('**/api/auth/firebase', (route) => route.fulfill(problem('internal', 'Not today.')), {
    times: 1,
  });
  await logIn(page, person);
  await expectToast(page, 'Failed to login: Not today.');
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
});
