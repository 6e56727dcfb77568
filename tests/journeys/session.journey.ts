import { createAccount, expect, fillSignUp, newPerson, test } from './world.ts';
import { promise } from '../security/promise.ts';
import { spec } from '../spec/spec.ts';

test('without a session, protected pages redirect to the login, which refuses bad input and leads back', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world, { session: false });
  for (const path of ['/dashboard', '/profile']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/login/);
  }
  spec('2P.03', 'Nobody signed in: the page leads to /login');
  spec('2R.09', '/dashboard needs a session');
  spec('2R.10', '/profile needs a session');
  spec('6.02', 'Protected pages lead anonymous people to /login');

  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  spec('5.01', 'The email is required');
  await expect(page.getByText('Please enter your password')).toBeVisible();
  spec('5.03', 'The password is required');
  const email = page.getByLabel('Email');
  const password = page.getByLabel('Password', { exact: true });
  await expect(email).toHaveAttribute('autocomplete', 'username');
  await expect(password).toHaveAttribute('autocomplete', 'current-password');
  const isPasted = await password.evaluate((field) =>
    field.dispatchEvent(new Event('paste', { bubbles: true, cancelable: true })),
  );
  expect(isPasted).toBe(true);
  promise('6.2.7');
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  promise('6.2.6');

  await email.fill('nobody');
  await password.fill('short');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  spec('5.02', 'The email has to be one');
  await expect(page.getByText('Password must be at least 7 characters long')).toBeVisible();
  spec('5.04', 'The password has at least 7 characters');
  spec('9.07', 'A password has at least 7 characters');

  await email.fill(person.email);
  await password.fill('wrong-horse-7');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText(/^Failed to login: /)).toBeVisible();
  await password.fill(person.password);
  await page.getByRole('button', { name: 'Login' }).click();
  // The login leads back to the page that required it, not to the dashboard.
  await expect(page).toHaveURL(/\/profile$/);
});

test('an expired access cookie is renewed; without any cookie the page leads to the login', async ({
  page,
  context,
  world,
}) => {
  await createAccount(page, world);
  await context.clearCookies({ name: /session$/ });
  const refreshed = page.waitForResponse('**/api/auth/refresh');
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile');
  expect((await refreshed).status()).toBe(200);
  // Leave the profile first: its calls that run while the cookies vanish would be refused too.
  await page.goto('about:blank');
  await context.clearCookies();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(response.url());
  });
  await page.goto('/dashboard');
  await expect(page).toHaveURL(/\/login/);
  expect(refused).toEqual([]);
});

test('the profile saves a new name', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/profile');
  const update = page.getByRole('button', { name: 'Update Profile' });
  await expect(update).toBeDisabled();
  await page.getByLabel('Full Name').fill('Alice Berg');
  await update.click();
  await expect(page.getByText('User updated successfully')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Full Name')).toHaveValue('Alice Berg');
});

test('the chosen theme survives a reload', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/profile');
  await page.getByRole('button', { name: /theme/i }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('an interrupted sign-up is completed by submitting it again', async ({ page }) => {
  let attempts = 0;
  await page.route('**/api/auth/firebase', (route) => {
    attempts += 1;
    expect(Object.keys(route.request().postDataJSON() as object)).toEqual(['token', 'name', 'company']);
    return attempts === 1 ? route.fulfill({ status: 500 }) : route.continue();
  });
  const person = newPerson();
  await page.goto('/signup?trial=1');
  await fillSignUp(page, person);
  const submit = page.getByRole('button', { name: 'Sign Up', exact: true });
  await submit.click();
  await expect(page.getByText(/^Failed to login: /)).toBeVisible();
  await submit.click();
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();
  await page.goto('/profile');
  await expect(page.getByLabel('Company')).toHaveValue(person.company);
});

test('a sign-up waits for a refresh in another account’s tab, then both tabs show the new account', async ({
  page,
  context,
  world,
}) => {
  await createAccount(page, world);
  await page.goto('/profile');
  const newcomer = newPerson();
  const second = await context.newPage();
  await second.goto('/signup');
  await fillSignUp(second, newcomer);
  let exchanges = 0;
  second.on('request', (request) => {
    if (request.url().endsWith('/api/auth/firebase')) exchanges += 1;
  });
  // Simulates a running refresh in the first tab.
  const release = await page.evaluateHandle(
    () =>
      new Promise<() => void>((resolve) => {
        void navigator.locks.request('certlantern-session-refresh', () => new Promise<void>(resolve));
      }),
  );
  const vouched = second.waitForResponse((response) => response.url().endsWith('/api/identity/token'));
  await second.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await vouched;
  await expect
    .poll(() => second.evaluate(async () => (await navigator.locks.query()).pending?.length))
    .toBe(1);
  expect(exchanges).toBe(0);
  await release.evaluate((letGo) => letGo());
  await expect(second).toHaveURL(/\/dashboard/);
  for (const tab of [page, second]) {
    await tab.goto('/profile');
    await expect(tab.getByLabel('Email')).toHaveValue(newcomer.email);
  }
});

test('sign-up with an existing address says so once, in the toast', async ({ page, world }) => {
  const person = await createAccount(page, world, { session: false });
  await page.goto('/signup');
  const other = newPerson();
  await page.getByLabel('Name', { exact: true }).fill(other.name);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(`${person.password} of somebody else`);
  await page.getByRole('button', { name: 'Sign Up' }).click();
  const text = 'This address already has an account. Log in instead.';
  await expect(page.getByText(`Failed to login: ${text}`, { exact: true })).toBeVisible();
  await expect(page.getByText(text)).toHaveCount(1);
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('');
  await expect(page).toHaveURL(/\/signup/);
});

test('the error message of a failed login disappears on the sign-up page', async ({ page }) => {
  await page.goto('/login');
  await page.getByLabel('Email').fill('nobody@session.example');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const message = page.getByRole('region', { name: /^Notifications/ }).getByText(/^Failed to login: /);
  // A message under the pointer would stay.
  await message.hover();
  await page.getByRole('link', { name: 'Sign up' }).press('Enter');
  await expect(page).toHaveURL(/\/signup/);
  await expect(message).toBeHidden();
});
