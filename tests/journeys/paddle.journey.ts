import type { Page } from '@playwright/test';
import {
  PADDLE,
  type PaddleApi,
  signedWebhook,
  startPaddleApi,
  subscriptionEvent,
} from '../kit/providers/paddle-api.ts';
import { addHost, test as base, createAccount, expect, logIn, logOut, signUpOnPage } from './world.ts';
import { spec } from '../spec/spec.ts';

const MEASUREMENT_ID = 'G-TEST123456';
const PADDLE_SCRIPT = 'https://cdn.paddle.com/paddle/v2/paddle.js';
const ANALYTICS_SCRIPT = 'https://www.googletagmanager.com/**';
const MONTH_MS = 30 * 86_400_000;

// Paddle's API and scripts are replaced by fakes.
const test = base.extend<object, { paddle: PaddleApi }>({
  paddle: [
    async ({}, use) => {
      const paddle = await startPaddleApi();
      await use(paddle);
      await paddle.stop();
    },
    { scope: 'worker' },
  ],
  environment: [
    async ({ paddle }, use) =>
      use({
        PADDLE_API_KEY: PADDLE.apiKey,
        PADDLE_CLIENT_TOKEN: PADDLE.clientToken,
        PADDLE_WEBHOOK_SECRET: PADDLE.webhookSecret,
        PADDLE_PRICE_ID: PADDLE.priceId,
        PADDLE_API_URL: paddle.url,
        ANALYTICS_ID: MEASUREMENT_ID,
      }),
    { scope: 'worker' },
  ],
});

interface Checkout {
  items: object[];
  customer: object;
  customData: { account: string };
  settings: object;
}

interface PaddlePage {
  paddleCalls: { environment: string[]; initialised: Record<string, unknown>[]; opened: Checkout[] };
  tellPaddle: (event: object) => void;
  dataLayer?: ArrayLike<unknown>[];
}

/** The parts of the checkout script that the page calls. */
const PADDLE_STUB = `
  window.paddleCalls = { environment: [], initialised: [], opened: [] };
  window.PaddleBillingV1 = {
    Initialized: false,
    Environment: { set: (name) => paddleCalls.environment.push(name) },
    Initialize(options) {
      this.Initialized = true;
      const { eventCallback, ...rest } = options;
      window.tellPaddle = eventCallback;
      paddleCalls.initialised.push(rest);
    },
    Update() {},
    Checkout: { open: (options) => paddleCalls.opened.push(options) },
  };
`;

const serveScripts = async (page: Page) => {
  const script = { contentType: 'text/javascript' };
  await page.route(PADDLE_SCRIPT, (route) => route.fulfill({ ...script, body: PADDLE_STUB }));
  await page.route(ANALYTICS_SCRIPT, (route) => route.fulfill({ ...script, body: '' }));
};

const paddleCalls = (page: Page) => page.evaluate(() => (window as unknown as PaddlePage).paddleCalls);
const measured = (page: Page) =>
  page.evaluate(() =>
    ((window as unknown as PaddlePage).dataLayer ?? [])
      .map((call) => Array.from(call))
      .filter(([command]) => command === 'event')
      .map(([, name, facts]) => [name, facts]),
  );

const startButton = (page: Page) => page.getByRole('button', { name: 'Start Premium – Only $4.99/month' });

async function openCheckout(page: Page): Promise<Checkout> {
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await expect(page.getByRole('dialog')).toContainText('Sandbox: no real charges');
  await startButton(page).click();
  await expect(startButton(page)).toBeHidden();
  const [checkout] = (await paddleCalls(page)).opened;
  if (!checkout) throw new Error('No checkout was opened');
  return checkout;
}

const completed = {
  name: 'checkout.completed',
  data: {
    status: 'completed',
    currency_code: 'USD',
    totals: { subtotal: 4.99, tax: 1.25, total: 6.24 },
    transaction_id: 'txn_01journey',
  },
};

test('Premium begins with Paddle’s webhook, even after a reload', async ({ page, world }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.app.url)) asked.push(new URL(request.url()).hostname);
  });
  await serveScripts(page);
  const landing = await page.goto('/landing');
  const policy = landing?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self' https://cdn.paddle.com");
  expect(policy).not.toContain('firebase');
  await page.goto('/signup?trial=1');
  expect(asked).toEqual([]);

  const { email } = await signUpOnPage(page);
  await addHost(page, await world.serve('measured.example'));
  const checkout = await openCheckout(page);
  const { environment, initialised } = await paddleCalls(page);
  expect(environment).toEqual(['sandbox']);
  spec('7.21', 'A token that begins with test_ is the sandbox’s');
  expect(initialised).toEqual([{ token: PADDLE.clientToken, pwCustomer: {} }]);
  spec('7.20', 'The checkout’s script comes from its CDN and starts with the client token');
  expect(checkout).toEqual({
    items: [{ priceId: PADDLE.priceId, quantity: 1 }],
    customer: { email },
    customData: { account: expect.any(String) },
    settings: {
      displayMode: 'overlay',
      variant: 'one-page',
      theme: 'light',
      allowLogout: false,
      successUrl: `${world.app.url}/dashboard`,
    },
  });
  spec('1.23', 'Payment goes through the checkout of a third party');
  spec('2U.08', 'The checkout is an overlay of one page for one subscription and leads to /dashboard');

  await page.evaluate((event) => (window as unknown as PaddlePage).tellPaddle(event), completed);
  await expect
    .poll(() => measured(page))
    .toEqual([
      ['sign_up', expect.objectContaining({ email })],
      ['user_add_domain', expect.objectContaining({ count: 1 })],
      ['begin_checkout', expect.objectContaining({ currency: 'USD', value: 4.99 })],
      [
        'purchase',
        expect.objectContaining({ currency: 'USD', value: 6.24, transaction_id: 'txn_01journey' }),
      ],
    ]);
  spec('1.24', 'Analytics events go to the analytics service');
  spec('2U.10', 'A begun checkout is counted with currency and price');
  spec('3.21', 'An added domain is counted, with how many there are');
  spec('3.22', 'A purchase is counted with currency, value and transaction');
  spec('3.23', 'A begun checkout is counted with currency and value');
  spec('3.24', 'The purchase is counted on completion, with the total');
  // Paddle redirects to the success address before its webhook arrives.
  await page.goto('/dashboard');
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  const now = Date.now();
  const webhook = signedWebhook(
    subscriptionEvent({
      at: now,
      subscription: 'sub_01journey',
      customer: 'ctm_01journey',
      status: 'active',
      period: [now, now + MONTH_MS],
      reference: checkout.customData.account,
    }),
  );
  const answer = await fetch(`${world.app.url}/api/payment/webhook`, {
    method: 'POST',
    body: webhook.body,
    headers: webhook.headers,
  });
  expect(answer.status).toBe(200);
  await expect(page.getByText('Premium is active. Thank you.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();
  expect([...new Set(asked)].toSorted()).toEqual(['cdn.paddle.com', 'www.googletagmanager.com']);
});

test('the checkout gets the customer id if Paddle knows the customer', async ({ page, world }) => {
  await serveScripts(page);
  await createAccount(page, world);
  await page.goto('/dashboard');
  await page.route('**/api/payment/checkout', async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, customer_id: 'ctm_01known' } } });
  });
  const { customer, items } = await openCheckout(page);
  expect((await paddleCalls(page)).initialised).toMatchObject([{ pwCustomer: { id: 'ctm_01known' } }]);
  spec('7.22', 'The checkout is set up with the customer id where it is known');
  expect({ customer, items }).toEqual({
    customer: { id: 'ctm_01known' },
    items: [{ priceId: PADDLE.priceId, quantity: 1 }],
  });
  spec('2U.09', 'The checkout gets the price and the customer');
  spec('3.17', 'The checkout is for one of the price, by the customer');
});

test('a sign-in that creates the account is tracked as sign_up, any other as login', async ({ page }) => {
  await serveScripts(page);
  const person = await signUpOnPage(page);
  await logOut(page);
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
  await logOut(page);
  // Simulates a first sign-in with Google from the login page.
  await page.route('**/api/auth/firebase', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), created: true } });
  });
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard/);
  const facts = expect.objectContaining({ email: person.email, method: 'password' }) as unknown;
  await expect
    .poll(() => measured(page))
    .toEqual([
      ['sign_up', facts],
      ['login', facts],
      ['sign_up', facts],
    ]);
  spec('3.20', 'Sign-ups and logins are counted, with email and method');
});

test('a blocked checkout shows a message and can be retried', async ({ page, world }) => {
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await serveScripts(page);
  await page.route(PADDLE_SCRIPT, (route) => route.abort());
  await createAccount(page, world);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await startButton(page).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Could not load the checkout.' })).toBeVisible();
  expect(logged.join()).toContain('The checkout library could not be loaded.');
  spec('8.25', 'A checkout library that cannot be loaded is logged, and the dialog says so (decision 31)');
  await page.unroute(PADDLE_SCRIPT);
  await serveScripts(page);
  await startButton(page).click();
  await expect(startButton(page)).toBeHidden();
  expect((await paddleCalls(page)).opened).toHaveLength(1);
  expect((await measured(page)).filter(([name]) => name === 'begin_checkout')).toHaveLength(1);
});

test('closing the checkout allows opening it again', async ({ page, world }) => {
  await serveScripts(page);
  await createAccount(page, world);
  await page.goto('/dashboard');
  await openCheckout(page);
  await page.evaluate(() => (window as unknown as PaddlePage).tellPaddle({ name: 'checkout.closed' }));
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeFocused();
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await startButton(page).click();
  await expect.poll(async () => (await paddleCalls(page)).opened.length).toBe(2);
  expect((await paddleCalls(page)).initialised).toHaveLength(1);
});

test('a payment that is not confirmed within 30 seconds shows a message', async ({ page, world }) => {
  await serveScripts(page);
  await page.clock.install();
  await createAccount(page, world);
  await page.goto('/dashboard');
  await openCheckout(page);
  await page.evaluate((event) => (window as unknown as PaddlePage).tellPaddle(event), completed);
  await page.clock.fastForward(31_000);
  await expect(page.getByText('We are confirming your payment.')).toBeVisible();
});

test('billing opens in a new tab, which closes if there is nothing to bill', async ({
  page,
  context,
  world,
}) => {
  await serveScripts(page);
  await createAccount(page, world);
  await page.goto('/dashboard');
  const openBilling = async () => {
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Billing' }).click();
    return await opening;
  };
  const idle = await openBilling();
  await expect(page.getByText('You have no bills yet.')).toBeVisible();
  await expect.poll(() => idle.isClosed()).toBe(true);

  const portalUrl = 'https://customer-portal.example.test/ctm_01';
  await context.route(portalUrl, (route) => route.fulfill({ contentType: 'text/html', body: 'Invoices' }));
  await page.route('**/api/payment/billing', (route) =>
    route.fulfill({ json: { data: { url: portalUrl } } }),
  );
  const portal = await openBilling();
  await expect(portal.getByText('Invoices')).toBeVisible();
  spec('2H.09', '“Billing” opens the portal in a new tab where there is one');
  spec('7.09', 'GET /payment/billing answers with an address that opens where it is not empty');
  expect(await portal.evaluate(() => window.opener as unknown)).toBeNull();

  await page.route('**/api/payment/billing', (route) => route.fulfill({ status: 503 }));
  const refused = await openBilling();
  await expect(page.getByText('Failed to get me.')).toBeVisible();
  spec('8.09', 'A failure of billing is a toast with the error’s text');
  await expect.poll(() => refused.isClosed()).toBe(true);
});

for (const [name, value] of [
  ['doNotTrack', '1'],
  ['globalPrivacyControl', true],
] as const)
  test(`no analytics events are sent with ${name}`, async ({ page, world }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    await serveScripts(page);
    await page.addInitScript(
      ([property, signal]) => Object.defineProperty(navigator, property, { get: () => signal }),
      [name, value] as const,
    );
    await createAccount(page, world);
    await page.goto('/dashboard');
    await openCheckout(page);
    expect(await measured(page)).toEqual([]);
    expect(asked).not.toContain('www.googletagmanager.com');
  });
