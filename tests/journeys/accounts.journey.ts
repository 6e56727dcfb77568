import type { BrowserContext, Locator, Page } from '@playwright/test';
import { encode } from 'uqr';
import { createAuthenticatorApp } from '../kit/providers/one-time-codes.ts';
import { expectAccessible } from './axe.ts';
import {
  createAccount,
  expect,
  keepToasts,
  logIn,
  logOut,
  newPerson,
  signUp,
  test,
  type World,
} from './world.ts';
import { spec } from '../spec/spec.ts';
import { promise } from '../security/promise.ts';

const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: /^Notifications/ }).getByText(text);

/** Returns the link to a page in the newest mail of its kind to `email`. */
async function mailedLink(world: World, email: string, page: 'verify' | 'reset-password'): Promise<string> {
  const link = new RegExp(String.raw`http\S+/${page}#\S+`);
  const mail = await world.mail.waitFor(({ to, text }) => to.includes(email) && link.test(text));
  return link.exec(mail.text)?.[0] ?? '';
}

/** Returns the rows of a drawn QR code, true where it is dark. */
async function drawnModules(code: Locator): Promise<boolean[][]> {
  const [, size = '0'] = /^0 0 (\d+)/.exec((await code.getAttribute('viewBox')) ?? '') ?? [];
  const path = (await code.locator('path').getAttribute('d')) ?? '';
  const dark = new Set(Array.from(path.matchAll(/M(\d+ \d+)/g), ([, place]) => place));
  const places = Array.from({ length: Number(size) }, (_, place) => place);
  return places.map((y) => places.map((x) => dark.has(`${x} ${y}`)));
}

/** Opens a second browser with the same language. */
const otherBrowser = async (page: Page): Promise<{ context: BrowserContext; other: Page }> => {
  const browser = page.context().browser();
  if (!browser) throw new Error('A browser of its own is needed');
  const context = await browser.newContext({ locale: 'en-GB' });
  await keepToasts(context);
  return { context, other: await context.newPage() };
};

test.describe('the link that verifies an address', () => {
  test('verifies the address in a session of its account', async ({ page, world }) => {
    const { email } = await signUp(page, world);
    await page.goto(await mailedLink(world, email, 'verify'));
    await expect(toast(page, 'Email address confirmed.')).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  });

  test('asks a browser without a session to log in first', async ({ page, world }) => {
    const person = await signUp(page, world);
    const link = await mailedLink(world, person.email, 'verify');
    const { context, other } = await otherBrowser(page);
    await other.goto(link);
    await expect(other.getByText('This was not me: set a new password')).toBeVisible();
    await expect(other).not.toHaveURL(/#/);
    await other.getByRole('link', { name: 'Login' }).click();
    await logIn(other, person);
    await expect(toast(other, 'Email address confirmed.')).toBeVisible();
    await context.close();
  });

  test('does not work for another account, which can request a new link', async ({ page, world }) => {
    const { email } = await signUp(page, world);
    const link = await mailedLink(world, email, 'verify');
    const { context, other } = await otherBrowser(page);
    const stranger = await createAccount(other, world);
    await other.goto(link);
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
    await expect(other.getByText(`You are logged in as ${stranger.email}.`)).toBeVisible();
    await expectAccessible(other);
    await other.getByRole('button', { name: 'Send a new link' }).click();
    await expect(toast(other, 'We sent the email.')).toBeVisible();
    await context.close();
  });
});

test('a password reset by mail ends every session', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  const { context, other } = await otherBrowser(page);
  await other.goto(new URL('/login', page.url()).href);
  await other.getByRole('link', { name: 'Forgot password?' }).click();
  // The login page has a field of the same name.
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Forgot password');
  await other.getByLabel('Email').fill(person.email);
  await other.getByRole('button', { name: 'Send link' }).click();
  await expect(toast(other, 'Password reset email sent.')).toBeVisible();
  await expect(other).toHaveURL(/\/login$/);

  const link = await mailedLink(world, person.email, 'reset-password');
  await other.goto(link);
  const field = other.getByLabel('New password', { exact: true });
  await field.fill('qwerty123');
  await other.getByRole('button', { name: 'Set password' }).click();
  await expect(other.getByRole('alert')).toContainText('known from data breaches');
  await expectAccessible(other);
  await field.fill('another-horse-8');
  await other.getByRole('button', { name: 'Set password' }).click();
  await expect(toast(other, 'Password changed. Log in with the new one.')).toBeVisible();

  await test.step('a password reset logs the other browser out', async () => {
    await expect(page).toHaveURL(/\/login/);
  });
  await test.step('the old password no longer works, the new one does', async () => {
    await logIn(other, person);
    await expect(toast(other, 'Failed to login: Wrong email or password.')).toBeVisible();
    const password = other.getByLabel('Password', { exact: true });
    await expect(password).toBeFocused();
    await expect(password).toHaveAttribute('aria-invalid', 'true');
    await expect(other.getByText('Wrong email or password.')).toHaveCount(1);
    await logIn(other, { ...person, password: 'another-horse-8' });
    await expect(other).toHaveURL(/\/dashboard/);
  });
  await test.step('the reset link works once', async () => {
    await other.goto(link);
    await other.getByLabel('New password', { exact: true }).fill('a-third-horse-9');
    await other.getByRole('button', { name: 'Set password' }).click();
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
  });
  await context.close();
});

test('with an authenticator app, the login needs a code of the app or an unused backup code', async ({
  page,
  world,
}) => {
  // Seven logins, each with a password to be hashed.
  test.slow();
  const person = await createAccount(page, world);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  await dialog.getByLabel('Password', { exact: true }).fill('not-my-horse');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('The password is wrong.');
  await expectAccessible(page);
  await dialog.getByLabel('Password', { exact: true }).fill(person.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();

  const address = await dialog.getByRole('link', { name: 'Open in the app' }).getAttribute('href');
  const app = createAuthenticatorApp(address ?? '');
  expect(await drawnModules(dialog.getByRole('img', { name: /^QR code/ }))).toEqual(
    encode(address ?? '', { border: 4 }).data,
  );
  await expectAccessible(page);
  await dialog.getByLabel(/Enter the code/).fill(app.wrong());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The code is wrong');
  await dialog.getByLabel(/Enter the code/).fill(app.next());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('We show them only now.')).toBeVisible();
  await expectAccessible(page);
  const backupCodes = await dialog.getByRole('listitem').allInnerTexts();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('certlantern-backup-codes.txt');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('On. We ask for a code when you log in with your password.')).toBeVisible();

  await test.step('a login asks for a code of the app', async () => {
    await logOut(page);
    await logIn(page, person);
    await expect(page.getByLabel('Enter the code from your authenticator app')).toBeFocused();
    await expectAccessible(page);
    await page.getByLabel(/Enter the code/).fill(app.next());
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page).toHaveURL(/\/dashboard/);
  });
  await test.step('a backup code works once instead of a code of the app', async () => {
    for (const outcome of ['accepted', 'refused']) {
      await logOut(page);
      await logIn(page, person);
      await page.getByRole('button', { name: 'Use a backup code instead' }).click();
      await page.getByLabel('Enter one of your backup codes').fill(backupCodes[0] ?? '');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      if (outcome === 'accepted') await expect(page).toHaveURL(/\/dashboard/);
    }
    const wrong = 'The code is wrong or was already used.';
    await expect(toast(page, `Failed to login: ${wrong}`)).toBeVisible();
    const field = page.getByLabel('Enter one of your backup codes');
    await expect(field).toBeFocused();
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByText(wrong)).toHaveCount(1);
    await field.press('Backspace');
    await expect(field).not.toHaveAttribute('aria-invalid');
  });
  await test.step('password and code are needed to turn it off', async () => {
    await page.goto('/login');
    await logIn(page, person);
    await page.getByRole('button', { name: 'Use a backup code instead' }).click();
    await page.getByLabel('Enter one of your backup codes').fill(backupCodes[1] ?? '');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page).toHaveURL(/\/dashboard/);
    await page.goto('/profile');
    await page.getByRole('button', { name: 'Turn off' }).click();
    const asking = page.getByRole('dialog', { name: 'Turn off the authenticator app' });
    await asking.getByLabel('Password', { exact: true }).fill(person.password);
    await asking.getByRole('button', { name: 'Continue' }).click();
    await asking.getByRole('button', { name: 'Use a backup code instead' }).click();
    await expectAccessible(page);
    const field = asking.getByLabel('Enter one of your backup codes');
    await field.fill(backupCodes[0] ?? '');
    await asking.getByRole('button', { name: 'Continue' }).click();
    await expect(asking.getByRole('alert')).toHaveText('The code is wrong or was already used.');
    await expect(field).toBeFocused();
    await expect(toast(page, /The code is wrong/)).toBeHidden();
    await field.fill(backupCodes[2] ?? '');
    await asking.getByRole('button', { name: 'Continue' }).click();
    await expect(toast(page, 'Authenticator app turned off.')).toBeVisible();
    await logOut(page);
    await logIn(page, person);
    await expect(page).toHaveURL(/\/dashboard/);
  });
});

test('a passkey logs in without a password until it is removed', async ({ page, world }) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await createAccount(page, world);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  // Shortly after the sign-up, the person need not sign in again to add a passkey.
  await dialog.getByLabel('Name').fill('My laptop');
  await dialog.getByRole('button', { name: 'Create passkey' }).click();
  await expect(toast(page, 'Passkey added.')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'My laptop' })).toBeVisible();

  await logOut(page);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(page).toHaveURL(/\/dashboard/);

  await page.goto('/profile');
  await page.getByRole('button', { name: 'Remove the passkey My laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click();
  await expect(toast(page, 'Passkey removed.')).toBeVisible();
  await expect(page.getByText('My laptop')).toBeHidden();
  await logOut(page);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(toast(page, /^Failed to login: /)).toBeVisible();
});

test('the list of sessions on the profile page can log out one browser or all of them', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world);
  const { context, other } = await otherBrowser(page);
  await other.goto(new URL('/login', world.app.url).href);
  await logIn(other, person);
  await expect(other).toHaveURL(/\/dashboard/);

  await page.goto('/profile');
  await expect(page.getByText('This browser')).toHaveCount(1);
  await page.getByRole('button', { name: /^Log out (?!everywhere)/ }).click();
  await expect(other).toHaveURL(/\/login/);
  await expect(page.getByRole('button', { name: /^Log out (?!everywhere)/ })).toBeHidden();

  await logIn(other, person);
  await expect(other).toHaveURL(/\/dashboard/);
  await page.getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(page).toHaveURL(/\/login/);
  await expect(other).toHaveURL(/\/login/);
  await context.close();
  promise('7.5.2');
});

test('a logout and a login in one tab take effect in the other tab', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  const tab = await page.context().newPage();
  await tab.goto('/profile');
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await logOut(page);
  await expect(tab).toHaveURL(/\/login/);
  await logIn(tab, person);
  await expect(tab).toHaveURL(/\/dashboard/);
  await tab.close();
});

test('account data can be downloaded as a file', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/profile');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download my data' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('certlantern-data.json');
  const content: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) content.push(chunk as Buffer);
  expect(Buffer.concat(content).toString()).toContain(person.email);
});

test('sign-up refuses a password known from data breaches', async ({ page }) => {
  const { name, email } = newPerson();
  await page.goto('/signup');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('qwerty123');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(toast(page, /^Failed to login: This password is known from data breaches/)).toBeVisible();
  spec('5.17', 'The identity provider has a password policy of its own');
  await expect(page.getByText('known from data breaches')).toHaveCount(1);
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await expect(page).toHaveURL(/\/signup/);
});

test('a logout that does not reach the server shows an error and removes the session record', async ({
  page,
  world,
}) => {
  await createAccount(page, world);
  await page.goto('/profile');
  await page.route('**/api/auth/logout', (route) => route.abort());
  await logOut(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Login');
  const failed = toast(
    page,
    'Failed to logout: The server could not be reached. Your monitoring keeps running.',
  );
  // A toast under the pointer stays, unless the redirect to the login closes it.
  await failed.hover();
  await page.getByLabel('Email').fill('alice@orchard.example');
  await expect(failed).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem('authToken'))).toBeNull();
});
