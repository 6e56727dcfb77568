import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls.ts';
import { type App, startApp, temporaryFolder } from '../kit/app.ts';
import { PADDLE, signedWebhook, startPaddleApi, subscriptionEvent } from '../kit/paddle-api.ts';
import { type Person, sendTo, signUp } from '../kit/people.ts';

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

async function checkoutOf(person: Person) {
  const [product] = (await person.ask(CALLS.listProducts)).ok.data;
  const checkout = await person.ask(CALLS.openCheckout, { body: { price_id: product?.price_id } });
  return checkout.ok.data;
}
const isPremium = async (person: Person) => (await person.ask(CALLS.premium)).ok.data;

it('A start without keys sells in test mode and says so; its Premium ends where money begins', async () => {
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
    PADDLE_API_KEY: PADDLE.apiKey,
    PADDLE_CLIENT_TOKEN: PADDLE.clientToken,
    PADDLE_WEBHOOK_SECRET: PADDLE.webhookSecret,
    PADDLE_PRICE_ID: PADDLE.priceId,
    PADDLE_API_URL: paddle.url,
  });
  expect(second.output()).not.toContain('Payments:');
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
});

it('A start in the world without keys says that nothing can be bought, and one that sells nothing says nothing', async () => {
  const inTheWorld = await start({ PUBLIC_URL: 'https://certs.example.com' });
  expect(inTheWorld.output()).toContain('Premium cannot be bought');
  expect(inTheWorld.output()).toContain('BILLING=none');
  const none = await start({ BILLING: 'none' });
  expect(none.output()).not.toContain('Payments:');
});
