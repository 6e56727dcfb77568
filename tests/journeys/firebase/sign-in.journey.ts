import type { Page } from '@playwright/test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, startApp, temporaryFolder } from '../../kit/app.ts';
import {
  type FirebaseEmulator,
  type FirebaseMail,
  startFirebaseEmulator,
} from '../../kit/firebase-emulator.ts';
import { expect, newPerson, test as journey } from '../world.ts';

interface Firebase {
  app: App;
  emulator: FirebaseEmulator;
  /** The same product, but able to delete users at Firebase by itself. */
  withCredentials: App;
}

const test = journey.extend<object, { firebase: Firebase }>({
  firebase: [
    async ({}, use) => {
      const folder = temporaryFolder();
      const emulator = await startFirebaseEmulator();
      const start = (name: string, more: Record<string, string> = {}) =>
        startApp({
          DATA_DIR: join(folder.path, name),
          FIREBASE_PROJECT_ID: emulator.projectId,
          FIREBASE_API_KEY: 'any',
          FIREBASE_EMULATOR_URL: emulator.url,
          ...more,
        });
      const key = join(folder.path, 'account.json');
      writeFileSync(key, JSON.stringify({ client_email: 'lantern@example.com', private_key: anyKey() }));
      const app = await start('one');
      const withCredentials = await start('two', { FIREBASE_SERVICE_ACCOUNT_FILE: key });
      await use({ app, emulator, withCredentials });
      expect(await Promise.all([app.stop(), withCredentials.stop()])).toEqual([0, 0]);
      await emulator.stop();
      folder.remove();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ firebase }, use) => use(firebase.app.url),
});

/** The emulator asks for none; what is configured must still be one. */
function anyKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

async function mailed({ emulator }: Firebase, email: string, about: FirebaseMail['requestType']) {
  const mails = await emulator.mails();
  const mail = mails.find((entry) => entry.email === email && entry.requestType === about);
  if (mail === undefined) throw new Error(`No such mail: ${JSON.stringify(mails)}`);
  return mail;
}

async function signUp(page: Page): Promise<ReturnType<typeof newPerson>> {
  const person = newPerson();
  await page.goto('/signup');
  await page.getByLabel('Name', { exact: true }).fill(person.name);
  await page.getByLabel('Company').fill(person.company);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  return person;
}

async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account/i }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login/);
}

test('signs up, logs out and in again, by Firebase’s SDK', async ({ page, firebase }) => {
  const person = await signUp(page);
  const { email } = person;
  expect((await firebase.emulator.users()).find((user) => user.email === email)).toMatchObject({
    displayName: person.name,
  });
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');

  await logOut(page);
  await logIn(page, { email, password: 'not-the-password' });
  await expect(page.getByText('Failed to login: ')).toBeVisible();
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
});

test('sets a new password by mail', async ({ page, firebase }) => {
  const { email } = await signUp(page);
  await logOut(page);
  await page.goto('/forgot-password');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Password reset email sent.')).toBeVisible();

  await firebase.emulator.follow(await mailed(firebase, email, 'PASSWORD_RESET'), 'a-new-horse-8');
  await logIn(page, { email, password: 'a-new-horse-8' });
  await expect(page).toHaveURL(/\/dashboard/);
});

test('knows that the address was verified at Firebase', async ({ page, firebase }) => {
  const person = await signUp(page);
  const isVerified = async () => {
    const response = await page.request.get('/api/user/standing');
    return ((await response.json()) as { data: { email_verified: boolean } }).data.email_verified;
  };
  expect(await isVerified()).toBe(false);
  await firebase.emulator.follow(await mailed(firebase, person.email, 'VERIFY_EMAIL'));
  await logOut(page);
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
  expect(await isVerified()).toBe(true);
});

for (const deletedBy of ['page', 'server'] as const)
  test(`deletes the account, and the user at Firebase, by the ${deletedBy}`, async ({
    browser,
    firebase,
  }) => {
    const { url } = deletedBy === 'page' ? firebase.app : firebase.withCredentials;
    const page = await browser.newPage({ baseURL: url });
    const { email, password } = await signUp(page);
    await page.goto('/profile');
    await page.getByRole('button', { name: 'Delete Account' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect(page).toHaveURL(/\/login/);
    await expect(page.getByText('but not your sign-in')).toBeHidden();
    expect((await firebase.emulator.users()).map((user) => user.email)).not.toContain(email);
    await logIn(page, { email, password });
    await expect(page.getByText('Failed to login: ')).toBeVisible();
    await page.close();
  });

test('says so while Firebase is unreachable, and sessions go on', async ({ page }) => {
  const person = await signUp(page);
  await page.context().route(/identitytoolkit\.googleapis\.com/, (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await logOut(page);
  await logIn(page, person);
  await expect(page.getByText('Failed to login: ')).toBeVisible();
});
