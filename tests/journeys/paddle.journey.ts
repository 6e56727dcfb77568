import type { Page } from '@playwright/test';
import {
  PADDLE,
  type PaddleApi,
  signedWebhook,
  startPaddleApi,
  subscriptionEvent,
} from '../kit/paddle-api.ts';
import { addHost, expect, signUp, test as base } from './world.ts';

const MEASUREMENT_ID = 'G-TEST123456';
const PADDLE_SCRIPT = 'https://cdn.paddle.com/paddle/v2/paddle.js';
const ANALYTICS_SCRIPT = 'https://www.googletagmanager.com/**';
const MONTH_MS = 30 * 86_400_000;

// Paddle's API and scripts are not ours: each has a stand-in where the network would be.
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

/** What the script of the checkout is to the page, as far as it is called. */
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
  await expect(page.getByRole('dialog')).toContainText('Sandbox — nothing is really charged');
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

test('Premium begins when Paddle says so, also after the page was loaded anew', async ({ page, world }) => {
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

  const { email } = await signUp(page);
  await addHost(page, await world.serve('measured.example'));
  const checkout = await openCheckout(page);
  const { environment, initialised } = await paddleCalls(page);
  expect(environment).toEqual(['sandbox']);
  expect(initialised).toEqual([{ token: PADDLE.clientToken, pwCustomer: {} }]);
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
  // Paddle leaves for the success address, and its webhook comes after that.
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

test('a blocked checkout says what to do, and can be tried again', async ({ page }) => {
  await serveScripts(page);
  await page.route(PADDLE_SCRIPT, (route) => route.abort());
  await signUp(page);
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await startButton(page).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'The checkout could not be loaded.' }),
  ).toBeVisible();
  await page.unroute(PADDLE_SCRIPT);
  await serveScripts(page);
  await startButton(page).click();
  await expect(startButton(page)).toBeHidden();
  expect((await paddleCalls(page)).opened).toHaveLength(1);
  expect((await measured(page)).filter(([name]) => name === 'begin_checkout')).toHaveLength(1);
});

test('a checkout that is closed leaves everything as it was', async ({ page }) => {
  await serveScripts(page);
  await signUp(page);
  await openCheckout(page);
  await page.evaluate(() => (window as unknown as PaddlePage).tellPaddle({ name: 'checkout.closed' }));
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeFocused();
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await startButton(page).click();
  await expect.poll(async () => (await paddleCalls(page)).opened.length).toBe(2);
  expect((await paddleCalls(page)).initialised).toHaveLength(1);
});

test('a payment that is slow to be confirmed is no reason to wait', async ({ page }) => {
  await serveScripts(page);
  await page.clock.install();
  await signUp(page);
  await openCheckout(page);
  await page.evaluate((event) => (window as unknown as PaddlePage).tellPaddle(event), completed);
  await page.clock.fastForward(31_000);
  await expect(page.getByText('Your payment is being confirmed.')).toBeVisible();
});

test('billing opens in a new tab, and only where there is something to bill', async ({ page, context }) => {
  await serveScripts(page);
  await signUp(page);
  const openBilling = async () => {
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Billing' }).click();
    return await opening;
  };
  const idle = await openBilling();
  await expect(page.getByText('There is nothing to bill yet.')).toBeVisible();
  expect(idle.isClosed()).toBe(true);

  const portalUrl = 'https://customer-portal.example.test/ctm_01';
  await context.route(portalUrl, (route) => route.fulfill({ contentType: 'text/html', body: 'Invoices' }));
  await page.route('**/api/payment/billing', (route) =>
    route.fulfill({ json: { data: { url: portalUrl } } }),
  );
  const portal = await openBilling();
  await expect(portal.getByText('Invoices')).toBeVisible();
  expect(await portal.evaluate(() => window.opener as unknown)).toBeNull();

  await page.route('**/api/payment/billing', (route) => route.fulfill({ status: 503 }));
  const refused = await openBilling();
  await expect(page.getByText('Failed to get me.')).toBeVisible();
  expect(refused.isClosed()).toBe(true);
});

for (const [name, value] of [
  ['doNotTrack', '1'],
  ['globalPrivacyControl', true],
] as const)
  test(`nothing is measured with ${name}`, async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    await serveScripts(page);
    await page.addInitScript(
      ([property, signal]) => Object.defineProperty(navigator, property, { get: () => signal }),
      [name, value] as const,
    );
    await signUp(page);
    await openCheckout(page);
    expect(await measured(page)).toEqual([]);
    expect(asked).not.toContain('www.googletagmanager.com');
  });
