import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { PADDLE } from '../kit/providers/paddle-api.ts';
import { signUp } from '../kit/product/people.ts';
import { startPaddleWorld } from './paddle-world.ts';
import { startApi } from './test-api.ts';

const priceBody = { price_id: PADDLE.priceId };

describeAnyDatabase('The price list', (open) => {
  it('has Paddle’s price, which the server requests at most once a minute', async () => {
    const { api, paddle } = await startPaddleWorld(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const products = async () => (await alice.ask(CALLS.listProducts)).ok.data;

    const [premium] = await products();
    expect(premium).toEqual({
      product_id: PADDLE.productId,
      price_id: PADDLE.priceId,
      unit_price: 499,
      currency: 'USD',
    });
    paddle.price = { status: 'active', amount: '599', interval: 'month' };
    await Promise.all([products(), products()]);
    expect(paddle.asked).toEqual([`GET /prices/${PADDLE.priceId}`]);
    api.clock.advance(60_000);
    expect((await products())[0]?.unit_price).toBe(599);
  });

  it('is empty if the price is archived, deleted or not monthly', async () => {
    const { api, paddle } = await startPaddleWorld(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const withdrawn = [
      { status: 'archived', amount: '499', interval: 'month' },
      { status: 'active', amount: '4999', interval: 'year' },
      null,
    ] as const;
    for (const price of withdrawn) {
      paddle.price = price;
      expect((await alice.ask(CALLS.listProducts)).ok.data).toEqual([]);
      const refused = await alice.ask(CALLS.openCheckout, { body: priceBody });
      expect(refused.problem).toMatchObject({ status: 409, code: 'price_gone' });
      api.clock.advance(60_000);
    }
  });

  it('answers 503 while Paddle is down, and the API key is not logged', async () => {
    const { api, paddle, logged } = await startPaddleWorld(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    for (const mood of ['broken', 'html'] as const) {
      paddle.behave(mood);
      expect((await alice.ask(CALLS.listProducts)).problem).toMatchObject({
        status: 503,
        code: 'payments_unavailable',
      });
      const checkout = await alice.ask(CALLS.openCheckout, { body: priceBody });
      expect(checkout.problem.code).toBe('payments_unavailable');
    }
    expect(logged.join('\n')).toContain('Paddle');
    expect(logged.join('\n')).not.toContain(PADDLE.apiKey);
    // The failures were not cached.
    paddle.behave('well');
    expect((await alice.ask(CALLS.listProducts)).ok.data).toHaveLength(1);
    await paddle.stop();
    expect((await alice.ask(CALLS.listProducts)).ok.data).toHaveLength(1);
    api.clock.advance(60_000);
    expect((await alice.ask(CALLS.listProducts)).problem.code).toBe('payments_unavailable');
  });
});

describeAnyDatabase('A request to Paddle', (open) => {
  it('times out at its deadline, and the call answers payments_unavailable', async () => {
    const { api, paddle } = await startPaddleWorld(open, { deadlineMs: 100 });
    const alice = await signUp(api.send, { name: 'Alice' });
    paddle.behave('silent');
    expect((await alice.ask(CALLS.listProducts)).problem.code).toBe('payments_unavailable');
  });
});

describeAnyDatabase('A checkout', (open) => {
  it('has the price, the email address, a signed reference and the customer if there is one', async () => {
    const { api, deliver, subscriptionEventOf, buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const checkout = async () => (await alice.ask(CALLS.openCheckout, { body: priceBody })).ok.data;
    expect(await checkout()).toEqual({
      price_id: PADDLE.priceId,
      customer_id: '',
      email: alice.email,
      reference: alice.reference,
    });

    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await deliver(subscriptionEventOf({ status: 'canceled', period: null, after: 1 }));
    expect((await checkout()).customer_id).toBe('ctm_1');
    expect((await alice.ask(CALLS.currentUser)).ok.data?.paddle_id).toBe('ctm_1');
    const charlie = await signUp(api.send, { name: 'Charlie' });
    const other = (await charlie.ask(CALLS.openCheckout, { body: priceBody })).ok.data;
    expect(other.reference).not.toBe(alice.reference);
  });

  it('is refused for an unknown price', async () => {
    const { buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    for (const price_id of ['pri_01other', `${PADDLE.priceId} `])
      expect((await alice.ask(CALLS.openCheckout, { body: { price_id } })).problem.code).toBe('price_gone');
  });

  it('is refused while a subscription is running, and the answer says what to do', async () => {
    const { deliver, subscriptionEventOf, buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const refusal = async () => {
      const { problem } = await alice.ask(CALLS.openCheckout, { body: priceBody });
      expect(problem).toMatchObject({ status: 409, code: 'already_subscribed' });
      return problem.detail;
    };
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    expect(await refusal()).toContain('already have Premium');
    await deliver(subscriptionEventOf({ status: 'past_due', after: 1 }));
    expect(await refusal()).toContain('payment failed');
    await deliver(subscriptionEventOf({ status: 'paused', period: null, after: 2 }));
    expect(await refusal()).toContain('paused');
  });
});

describeAnyDatabase('The customer portal', (open) => {
  it('is open only to customers with a verified address', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, verify } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const billing = () => alice.ask(CALLS.billing);
    expect((await billing()).ok.data).toEqual({ url: '' });

    await deliver(subscriptionEventOf({ reference: alice.reference }));
    expect((await billing()).problem).toMatchObject({ status: 403, code: 'email_not_verified' });
    expect(paddle.asked.filter((call) => call.includes('/customers/'))).toEqual([]);

    await verify(alice);
    paddle.customers.set('ctm_1', alice.email.toUpperCase());
    expect((await billing()).ok.data.url).toMatch(/^https:\/\/customer-portal\.example\.test\/ctm_1/);
    paddle.behave('broken');
    expect((await billing()).problem).toMatchObject({ status: 503, code: 'payments_unavailable' });
  });

  it('stays closed to an account that paid with another person’s customer', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, verify } = await startPaddleWorld(open);
    const mallory = await buyer('Mallory');
    const bob = await buyer('Bob');
    // Paddle has one customer per email address, even if somebody else entered the address.
    paddle.customers.set('ctm_bob', bob.email);
    await deliver(
      subscriptionEventOf({ subscription: 'sub_m', customer: 'ctm_bob', reference: mallory.reference }),
    );
    await deliver(
      subscriptionEventOf({ subscription: 'sub_b', customer: 'ctm_bob', reference: bob.reference }),
    );
    await verify(mallory);
    await verify(bob);

    expect((await mallory.ask(CALLS.billing)).problem).toMatchObject({
      status: 403,
      code: 'billing_elsewhere',
    });
    expect((await bob.ask(CALLS.billing)).ok.data.url).toContain('ctm_bob');
  });

  it('opens at most ten times a minute', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, verify } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await verify(alice);
    paddle.customers.set('ctm_1', alice.email);
    for (let opened = 0; opened < 10; opened++) expect((await alice.ask(CALLS.billing)).status).toBe(200);
    expect((await alice.ask(CALLS.billing)).problem.code).toBe('too_many_requests');
  });
});

describeAnyDatabase('A deployment', (open) => {
  it('a deployment without billing answers not_found to all payment calls', async () => {
    const api = await startApi(open, { payments: null, config: { billing: { mode: 'unset' } } });
    const alice = await signUp(api.send, { name: 'Alice' });
    const calls = [
      alice.ask(CALLS.listProducts),
      alice.ask(CALLS.openCheckout, { body: priceBody }),
      alice.ask(CALLS.paymentWebhook),
      alice.ask(CALLS.testPay, { body: { ...priceBody, reference: 'x' } }),
      alice.ask(CALLS.testSubscription),
      alice.ask(CALLS.testEvent, { body: { event: 'renew' } }),
    ];
    for (const { problem } of await Promise.all(calls)) expect(problem.code).toBe('not_found');
    expect((await alice.ask(CALLS.billing)).ok.data).toEqual({ url: '' });
  });

  it('a deployment that sells through Paddle has no test mode', async () => {
    const { buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const body = { ...priceBody, reference: alice.reference };
    expect((await alice.ask(CALLS.testPay, { body })).problem.code).toBe('not_found');
    expect((await alice.ask(CALLS.testSubscription)).problem.code).toBe('not_found');
    expect((await alice.ask(CALLS.testEvent, { body: { event: 'renew' } })).problem.code).toBe('not_found');
  });
});
