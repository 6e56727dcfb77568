import type { Page } from '@playwright/test';
import { freePort } from '../kit/product/app.ts';
import { OIDC_CLIENT, type OidcServer, startOidcServer } from '../kit/providers/oidc-server.ts';
import { expectAccessible } from './axe.ts';
import { createAccount, expect, test as journey, logIn, logOut, newPerson } from './world.ts';
import { spec } from '../spec/spec.ts';

const test = journey.extend<object, { provider: OidcServer; place: { port: number } }>({
  // The provider must know the product's address, and the product the provider's, so the port is chosen before.
  place: [async ({}, use) => use({ port: await freePort() }), { scope: 'worker' }],
  provider: [
    async ({ place }, use) => {
      const callback = `http://localhost:${place.port}/api/identity/oauth2/callback/oidc`;
      const provider = await startOidcServer({ redirectUris: [callback] });
      await use(provider);
      await provider.stop();
    },
    { scope: 'worker' },
  ],
  environment: [
    async ({ provider, place }, use) =>
      use({
        PORT: String(place.port),
        OIDC_ISSUER: provider.issuer,
        OIDC_NAME: 'Orchard ID',
        OIDC_CLIENT_ID: OIDC_CLIENT.clientId,
        OIDC_CLIENT_SECRET: OIDC_CLIENT.clientSecret,
      }),
    { scope: 'worker' },
  ],
});

/** Creates a person with an account at the provider. */
function personOf(provider: OidcServer, more: object = {}): { id: string; email: string; name: string } {
  const { email, name } = newPerson();
  const id = email.split('@')[0] ?? '';
  provider.users.set(id, { email, email_verified: true, name, ...more });
  return { id, email, name };
}

/** Clicks the button of the provider, and on its page the button for the person `who`. */
async function continueAs(page: Page, button: string, who: string): Promise<void> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: button }).click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: who, exact: true }).click();
  await closed;
}

const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: /^Notifications/ }).getByText(text);

test('a person signs up and in with an OpenID provider', async ({ page, provider }) => {
  const { id, email, name } = personOf(provider);
  await page.goto('/signup');
  await expect(page.getByText('Or continue with')).toBeVisible();
  await expectAccessible(page);
  await continueAs(page, 'Sign Up with Orchard ID', id);
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto('/profile');
  await expect(page.getByLabel('Email')).toHaveValue(email);
  await expect(page.getByLabel('Full Name')).toHaveValue(name);
  spec('7.18', 'Google opens a popup, and the name comes from the provider');
  await expect(page.getByText('your account has none. Use Reset Password to set one.')).toBeVisible();

  await logOut(page);
  await expect(page.getByRole('heading', { name: 'Login' })).toBeVisible();
  await expectAccessible(page);
  // The provider remembers the person and asks nothing.
  await page.getByRole('button', { name: 'Sign In with Orchard ID' }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  spec('1.21', 'People sign up and in through an external identity provider');
});

test('an OpenID sign-up keeps the trial offer', async ({ page, provider }) => {
  const { id } = personOf(provider);
  await page.goto('/signup?trial=1');
  await expect(page.getByText('Your free trial: 14 days of Premium, no credit card required.')).toBeVisible();
  await continueAs(page, 'Sign Up with Orchard ID', id);
  await expect(page).toHaveURL(/\/dashboard/);
  const premium = await page.evaluate(async () => (await fetch('/api/user/premium')).json() as unknown);
  expect(premium).toEqual({ data: true });
  spec('7.23', 'The question whether the user has Premium has yes or no for an answer');
});

test('an OpenID sign-in shows no error if cancelled, and the reason if it failed', async ({
  page,
  provider,
}) => {
  const { id } = personOf(provider, { email_verified: false });
  await page.goto('/login');
  await continueAs(page, 'Sign In with Orchard ID', 'cancel');
  await expect(page.getByRole('button', { name: 'Sign In with Orchard ID' })).toBeEnabled();
  await continueAs(page, 'Sign In with Orchard ID', id);
  await expect(toast(page, /^Failed to login: The sign-in service has not verified/)).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
});

test('an OpenID sign-in works again after its window was closed', async ({ page, provider }) => {
  const { id } = personOf(provider);
  await page.goto('/login');
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Sign In with Orchard ID' }).click();
  const popup = await opened;
  await popup.getByRole('button', { name: id, exact: true }).waitFor();
  await popup.close();
  await expect(page.getByRole('button', { name: 'Sign In with Orchard ID' })).toBeEnabled();
  await continueAs(page, 'Sign In with Orchard ID', id);
  await expect(page).toHaveURL(/\/dashboard/);
});

test('a password login works while the OpenID provider is down', async ({ page, provider, world }) => {
  const person = await createAccount(page, world, { session: false });
  await page.goto('/login');
  await provider.down();
  try {
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Sign In with Orchard ID' }).click();
    await (await opened).close();
    await expect(page.getByRole('button', { name: 'Sign In with Orchard ID' })).toBeEnabled();
    await logIn(page, person);
    await expect(page).toHaveURL(/\/dashboard/);
  } finally {
    await provider.up();
  }
});

test('a new passkey needs a sign-in by the same person at the OpenID provider', async ({
  page,
  provider,
}) => {
  const { id } = personOf(provider);
  const stranger = personOf(provider);
  await page.goto('/signup');
  await continueAs(page, 'Sign Up with Orchard ID', id);
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto('/profile');
  // Answers as if five minutes had passed since the sign-in.
  await page.route('**/api/identity/resume', (route) =>
    route.fulfill({ json: { data: { resumed: false } } }),
  );
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.context().clearCookies({ domain: '127.0.0.1' });
  await continueAs(page, 'Continue with Orchard ID', stranger.id);
  await expect(toast(page, `That sign-in belongs to another account, ${stranger.email}.`)).toBeVisible();
  await page.context().clearCookies({ domain: '127.0.0.1' });
  await continueAs(page, 'Continue with Orchard ID', id);
  await expect(page.getByRole('button', { name: 'Create passkey' })).toBeVisible();
});
