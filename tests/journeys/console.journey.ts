import type { Page } from '@playwright/test';
import { CALLS } from '../../contract/calls/calls.ts';
import { addByApi, createAccount, expect, fillSignUp, logIn, newPerson, test } from './world.ts';

/** Collects what the browser logs as an error, such as each answer with an error status. */
function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  return errors;
}

test('wrong input at sign-up and login, and an expired access cookie, log no error in the console', async ({
  page,
  world,
}) => {
  const errors = errorsOf(page);
  const known = await createAccount(page, world, { session: false });
  const person = newPerson();
  await test.step('a taken address', async () => {
    await page.goto('/signup');
    await fillSignUp(page, { ...person, email: known.email, password: 'another-horse-8' });
    await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
    await expect(page.getByText(/^Failed to login: This address already has an account/)).toBeVisible();
  });
  await test.step('a password from data breaches', async () => {
    await fillSignUp(page, { ...person, password: 'password1' });
    await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
    const field = page.getByLabel('Password', { exact: true });
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(
      page.getByRole('alert').filter({ hasText: 'known from data breaches' }).first(),
    ).toBeVisible();
  });
  await test.step('a wrong password', async () => {
    await page.goto('/login');
    await logIn(page, { ...known, password: 'wrong-horse' });
    await expect(page.getByText('Failed to login: Wrong email or password.')).toBeVisible();
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  });
  await test.step('the right password', async () => {
    await logIn(page, known);
    await expect(page).toHaveURL(/\/dashboard$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  });
  await test.step('a page load after the access cookie has expired', async () => {
    await page.context().clearCookies({ name: /session$/ });
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  });
  expect(errors).toEqual([]);
});

test('after the access cookie has expired, the Upgrade button of a free account appears after a single refresh', async ({
  page,
  world,
}) => {
  const calls: string[] = [];
  page.on('response', (response) => {
    const call = /\/api\/(auth\/refresh|user\/(?:sub|me))$/.exec(response.url())?.[1];
    if (call !== undefined) calls.push(`${call} ${response.status()}`);
  });
  const upgrade = page.getByRole('button', { name: 'Upgrade to Premium' });
  await createAccount(page, world);
  await page.context().clearCookies({ name: /session$/ });
  await page.goto('/dashboard');
  await expect(upgrade).toBeVisible();
  await expect.poll(() => calls).toEqual(['user/me 200', 'auth/refresh 200', 'user/sub 200']);

  calls.length = 0;
  await page.route('**/api/user/sub', (route) => route.fulfill({ status: 401 }), { times: 1 });
  await page.goto('/dashboard');
  await expect(upgrade).toBeVisible();
  await expect.poll(() => calls).toEqual(['user/me 200', 'user/sub 401', 'auth/refresh 200', 'user/sub 200']);
});

test('refused input in the forms of a signed-in person logs no error in the console', async ({
  page,
  world,
}) => {
  const errors = errorsOf(page);
  const [known = '', second = '', third = ''] = await Promise.all(
    [1, 2, 3].map((number) => world.serve(`refused-${number}.example`)),
  );
  const person = await createAccount(page, world, { hosts: [known, second], verified: true });
  const form = page.getByRole('dialog', { name: 'Add New Domain' });
  const add = async (host: string) => {
    await form.getByLabel('Host Address').fill(host);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await test.step('a host that is not valid, one that is tracked, and one more than the plan allows', async () => {
    await page.goto('/dashboard');
    await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
    await page.getByRole('button', { name: 'Add Domain' }).click();
    await add('bad host');
    await expect(form.getByRole('alert')).toContainText('A host name can contain letters');
    // With the real lookup, the page would report before the call that the host is tracked.
    const unknown = { data: { display_name: known, domain_id: null, in_dns: true } };
    await page.route('**/api/domain/lookup?**', (route) => route.fulfill({ json: unknown }));
    await add(known);
    await expect(form.getByRole('alert')).toContainText('You already track');
    await addByApi(person, third);
    await add('refused-4.example');
    await expect(
      page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' }),
    ).toBeVisible();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
  await test.step('a wrong password for the authenticator app', async () => {
    await page.goto('/profile');
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
    await dialog.getByLabel('Password', { exact: true }).fill('not-my-horse');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('The password is wrong.');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });
  await test.step('an address of the status page that is reserved', async () => {
    await page.goto('/status-page');
    await page.getByLabel('Title').fill('Refused');
    await page.getByLabel('Address', { exact: true }).fill('admin');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('This address is reserved. Choose another one.').first()).toBeVisible();
    await page.getByLabel('Title').fill('');
    await page.getByLabel('Address', { exact: true }).fill('');
  });
  await test.step('mailed links that no longer work', async () => {
    await page.goto(`/reset-password#${'A'.repeat(43)}`);
    await page.getByLabel('New password').fill('another-horse-8');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
  });
  expect(errors).toEqual([]);
});

test('a session that another device ended logs its refused refresh once', async ({ page, world }) => {
  const errors = errorsOf(page);
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  const refused = page.waitForResponse('**/api/auth/refresh');
  await person.ask(CALLS.endAllSessions);
  expect((await refused).status()).toBe(401);
  await expect(page).toHaveURL(/\/login/);
  expect(errors).toEqual([expect.stringMatching(/401 .*\/api\/auth\/refresh$/)]);
});
