import type { Page } from '@playwright/test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp, temporaryFolder } from '../../kit/product/app.ts';
import {
  type FirebaseEmulator,
  type FirebaseMail,
  startFirebaseEmulator,
} from '../../kit/providers/firebase-emulator.ts';
import { expect, test as journey, logIn, logOut, signUpOnPage } from '../world.ts';

const settingsOf = (emulator: FirebaseEmulator) => ({
  FIREBASE_PROJECT_ID: emulator.projectId,
  FIREBASE_API_KEY: 'any',
  FIREBASE_EMULATOR_URL: emulator.url,
});

const test = journey.extend<object, { emulator: FirebaseEmulator }>({
  emulator: [
    async ({}, use) => {
      const emulator = await startFirebaseEmulator();
      await use(emulator);
      await emulator.stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  environment: [async ({ emulator }, use) => use(settingsOf(emulator)), { scope: 'worker' }],
});

async function findMail(emulator: FirebaseEmulator, email: string, about: FirebaseMail['requestType']) {
  const mails = await emulator.mails();
  const mail = mails.find((entry) => entry.email === email && entry.requestType === about);
  if (mail === undefined) throw new Error(`No such mail: ${JSON.stringify(mails)}`);
  return mail;
}

async function deleteAccount(page: Page, { password }: { password: string }): Promise<void> {
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).toHaveURL(/\/login/);
}

async function expectGone(
  page: Page,
  person: { email: string; password: string },
  emulator: FirebaseEmulator,
) {
  await expect(page.getByText('but not your sign-in at the identity provider')).toBeHidden();
  expect((await emulator.users()).map(({ email }) => email)).not.toContain(person.email);
  await logIn(page, person);
  await expect(page.getByText('Failed to login: ')).toBeVisible();
}

test('a person signs up, logs out and logs in with Firebase’s SDK', async ({ page, emulator }) => {
  const person = await signUpOnPage(page);
  const { email } = person;
  expect((await emulator.users()).find((user) => user.email === email)?.displayName).toBe(person.name);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');

  await logOut(page);
  await logIn(page, { email, password: 'not-the-password' });
  await expect(page.getByText('Failed to login: ')).toBeVisible();
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
});

test('a person sets a new Firebase password by mail', async ({ page, emulator }) => {
  const { email } = await signUpOnPage(page);
  await logOut(page);
  await page.goto('/forgot-password');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Password reset email sent.')).toBeVisible();
  await expect(page).toHaveURL(/\/login/);

  await emulator.follow(await findMail(emulator, email, 'PASSWORD_RESET'), 'a-new-horse-8');
  await logIn(page, { email, password: 'a-new-horse-8' });
  await expect(page).toHaveURL(/\/dashboard/);
});

test('an address is verified after Firebase has verified it', async ({ page, emulator }) => {
  const person = await signUpOnPage(page);
  const isVerified = async () => {
    const response = await page.request.get('/api/user/standing');
    return ((await response.json()) as { data: { email_verified: boolean } }).data.email_verified;
  };
  expect(await isVerified()).toBe(false);
  await emulator.follow(await findMail(emulator, person.email, 'VERIFY_EMAIL'));
  await logOut(page);
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
  expect(await isVerified()).toBe(true);
});

test('deleting the account also deletes the user at Firebase', async ({ page, emulator }) => {
  const person = await signUpOnPage(page);
  await deleteAccount(page, person);
  await expectGone(page, person, emulator);
});

test('the server deletes the user at Firebase with a service account if one is configured', async ({
  browser,
  emulator,
}) => {
  const folder = temporaryFolder();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const key = join(folder.path, 'account.json');
  writeFileSync(key, JSON.stringify({ client_email: 'lantern@example.com', private_key }));
  const app = await startApp({
    DATA_DIR: join(folder.path, 'data'),
    FIREBASE_SERVICE_ACCOUNT_FILE: key,
    ...settingsOf(emulator),
  });
  const page = await browser.newPage({ baseURL: app.url });
  const person = await signUpOnPage(page);
  await deleteAccount(page, person);
  await expectGone(page, person, emulator);
  await page.close();
  expect(await app.stop()).toBe(0);
  folder.remove();
});

test('a login shows an error while Firebase is unreachable, and sessions continue', async ({ page }) => {
  const person = await signUpOnPage(page);
  await page.context().route(/identitytoolkit\.googleapis\.com/, (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await logOut(page);
  await logIn(page, person);
  await expect(page.getByText('Failed to login: ')).toBeVisible();
});
