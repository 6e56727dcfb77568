import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { type App, runServer, startApp, temporaryFolder } from '../kit/product/app.ts';
import { PADDLE, signedWebhook, startPaddleApi, subscriptionEvent } from '../kit/providers/paddle-api.ts';
import { type Person, sendTo, signUp } from '../kit/product/people.ts';

let folder: ReturnType<typeof temporaryFolder>;
let running: App | null = null;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await running?.kill();
  folder.remove();
});

async function start(env: Record<string, string> = {}): Promise<App> {
  await running?.stop();
  running = await startApp({ DATA_DIR: join(folder.path, 'data'), ...env });
  return running;
}

const KEYS = {
  PADDLE_API_KEY: PADDLE.apiKey,
  PADDLE_CLIENT_TOKEN: PADDLE.clientToken,
  PADDLE_WEBHOOK_SECRET: PADDLE.webhookSecret,
  PADDLE_PRICE_ID: PADDLE.priceId,
};
const LIVE_KEYS = {
  ...KEYS,
  PADDLE_API_KEY: 'pdl_live_apikey_of_the_tests',
  PADDLE_CLIENT_TOKEN: 'live_client_token_of_the_tests',
};
const IN_PUBLIC = { PUBLIC_URL: 'https://certs.example.com' };
const SANDBOX_LINE = 'Payments: Paddle’s sandbox. Test cards buy Premium, and nobody is charged.';
const METRICS_TOKEN = 'metrics-token-of-the-payments';

const sandboxAlarm = async ({ url }: App) => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  return /^certlantern_alarm\{code="paddle_sandbox"\} (\d)$/m.exec(metrics)?.[1];
};

async function checkoutOf(person: Person) {
  const [product] = (await person.ask(CALLS.listProducts)).ok.data;
  const checkout = await person.ask(CALLS.openCheckout, { body: { price_id: product?.price_id } });
  return checkout.ok.data;
}
const isPremium = async (person: Person) => (await person.ask(CALLS.premium)).ok.data;

it('Without keys the server sells Premium in test mode and says so; this Premium ends once Paddle’s keys are set', async () => {
  const first = await start();
  expect(first.output()).toContain('Payments: test mode, no money moves');
  const alice = await signUp(sendTo(first.url), { name: 'Alice' });
  const { price_id, reference } = await checkoutOf(alice);
  await alice.ask(CALLS.testPay, { body: { price_id, reference } });
  expect(await isPremium(alice)).toBe(true);

  const paddle = await startPaddleApi();
  onTestFinished(() => paddle.stop());
  const port = new URL(first.url).port;
  const second = await start({
    PORT: port,
    ...KEYS,
    PADDLE_API_URL: paddle.url,
  });
  expect(second.output()).toContain(SANDBOX_LINE);
  expect(await isPremium(alice)).toBe(false);

  const paid = await checkoutOf(alice);
  const event = subscriptionEvent({
    subscription: 'sub_1',
    customer: 'ctm_1',
    status: 'active',
    reference: paid.reference,
    at: Date.now(),
  });
  const webhook = { method: 'POST', ...signedWebhook(event) };
  expect((await fetch(`${second.url}/api/payment/webhook`, webhook)).status).toBe(200);
  expect(await isPremium(alice)).toBe(true);
}, 150_000);

it('On a public URL without keys the server says that Premium cannot be bought; BILLING=none prints no line about payments', async () => {
  const inTheWorld = await start({ PUBLIC_URL: 'https://certs.example.com' });
  expect(inTheWorld.output()).toContain('nobody can buy Premium');
  expect(inTheWorld.output()).toContain('BILLING=none');
  const none = await start({ BILLING: 'none' });
  expect(none.output()).not.toContain('Payments:');
}, 150_000);

it('Paddle’s sandbox on this machine raises an alarm unless BILLING=sandbox is set', async () => {
  const alarmWith = async (env: Record<string, string>) => {
    const app = await start({ METRICS_TOKEN, ...env });
    return { alarm: await sandboxAlarm(app), said: app.output().includes(SANDBOX_LINE) };
  };
  expect(await alarmWith(KEYS)).toEqual({ alarm: '1', said: true });
  expect(await alarmWith(LIVE_KEYS)).toEqual({ alarm: '0', said: false });
  expect(await alarmWith({ BILLING: 'paddle', ...KEYS })).toEqual({ alarm: '1', said: true });
  expect(await alarmWith({ BILLING: 'sandbox', ...KEYS })).toEqual({ alarm: '0', said: true });
}, 150_000);

it('Paddle’s sandbox on a public URL is refused unless BILLING=sandbox is set', async () => {
  for (const billing of ['', 'paddle']) {
    const refused = await runServer({
      DATA_DIR: join(folder.path, 'data'),
      PORT: '0',
      ...IN_PUBLIC,
      ...KEYS,
      BILLING: billing,
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^PADDLE_CLIENT_TOKEN [^\n]+ BILLING=sandbox[^\n]*\n$/);
    expect(refused.stderr).not.toContain(PADDLE.clientToken);
  }
  for (let starts = 0; starts < 2; starts++) {
    const app = await start({ METRICS_TOKEN, ...IN_PUBLIC, ...KEYS, BILLING: 'sandbox' });
    expect(app.output()).toContain(SANDBOX_LINE);
    expect(await sandboxAlarm(app)).toBe('0');
  }
}, 150_000);

it('The server refuses to start with sandbox and live keys together', async () => {
  const refused = await runServer({
    DATA_DIR: join(folder.path, 'data'),
    PORT: '0',
    ...LIVE_KEYS,
    PADDLE_API_KEY: PADDLE.apiKey,
  });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^PADDLE_API_KEY [^\n]+\n$/) });
});
