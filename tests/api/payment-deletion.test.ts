import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { createIdentityProvider } from '../../server/providers/identity/built-in.ts';
import { IdentityUnavailable } from '../../server/providers/identity/identity-provider.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { signUp } from '../kit/product/people.ts';
import { adjustmentEvent } from '../kit/providers/paddle-api.ts';
import { startPaddleWorld } from './paddle-world.ts';
import { SECRETS, startApi } from './test-api.ts';

describeAnyDatabase('The deletion of an account', (open) => {
  it('cancels its running subscriptions at Paddle, and later events about them are ignored', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, logged } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    for (const id of ['sub_1', 'sub_2', 'sub_3']) paddle.subscriptions.set(id, 'active');
    const { reference } = alice;
    await deliver(subscriptionEventOf({ subscription: 'sub_1', reference }));
    await deliver(subscriptionEventOf({ subscription: 'sub_1', status: 'canceled', period: null, after: 1 }));
    await deliver(
      subscriptionEventOf({ subscription: 'sub_2', reference, status: 'paused', period: null, after: 2 }),
    );

    expect((await alice.ask(CALLS.deleteUser)).ok).toEqual({ data: null });
    expect(Object.fromEntries(paddle.subscriptions)).toEqual({
      sub_1: 'active',
      sub_2: 'canceled',
      sub_3: 'active',
    });
    expect(await api.store.db.selectFrom('payment_events').selectAll().execute()).toEqual([]);

    const at = api.clock.now() + 10;
    const late = [
      subscriptionEventOf({ subscription: 'sub_2', status: 'canceled', period: null, reference, after: 5 }),
      subscriptionEventOf({ subscription: 'sub_2', status: 'active', after: 3 }),
      adjustmentEvent({ subscription: 'sub_2', at }),
    ];
    for (const event of late) expect(await deliver(event)).toEqual({ status: 200, code: null });
    expect(await api.store.db.selectFrom('subscriptions').selectAll().execute()).toEqual([]);
    // Only the event that reports `sub_2` as active is logged: the operator must end that subscription.
    expect(logged.filter((line) => line.includes('belongs to no account'))).toHaveLength(1);
  });

  it('also cancels a subscription whose first event arrives after the account was deleted', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, logged } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    expect((await alice.ask(CALLS.deleteUser)).ok).toEqual({ data: null });

    paddle.subscriptions.set('sub_1', 'active');
    const created = subscriptionEventOf({ subscription: 'sub_1', reference });
    paddle.behave('broken');
    expect((await deliver(created)).status).toBe(503);
    paddle.behave('well');
    expect(await deliver(created)).toEqual({ status: 200, code: null });
    expect(paddle.subscriptions.get('sub_1')).toBe('canceled');
    expect(await api.store.db.selectFrom('subscriptions').selectAll().execute()).toEqual([]);
    expect(logged.filter((line) => line.includes('bought for a deleted account'))).toHaveLength(1);
  });

  it('fails if the subscription cannot be cancelled', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    for (const mood of ['broken', 'html'] as const) {
      paddle.behave(mood);
      const { problem } = await alice.ask(CALLS.deleteUser);
      expect(problem).toMatchObject({ status: 503, code: 'cancel_failed' });
      expect(problem.detail).toContain('nothing was deleted');
    }
    paddle.behave('well');
    // Paddle does not know the subscription: perhaps the key belongs to another seller.
    expect((await alice.ask(CALLS.deleteUser)).problem.code).toBe('cancel_failed');
    expect(await isPremium(alice)).toBe(true);

    paddle.subscriptions.set('sub_1', 'canceled');
    expect((await alice.ask(CALLS.deleteUser)).status).toBe(200);
  });

  it('fails while the identity provider is unavailable', async () => {
    const store = await open();
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const publicUrl = new URL('http://localhost:8080');
    const builtIn = createIdentityProvider({
      database: store.identityDatabase,
      secret: SECRETS.identity,
      publicUrl,
      productName: 'X',
      log,
      events: createIdentityEvents({ store, publicUrl, clock: { now: Date.now } }),
    });
    let reachable = false;
    const deleteUser = async () => {
      if (!reachable) throw new IdentityUnavailable('No answer');
    };
    const identity = { ...builtIn, deleteUser };
    const api = await startApi(() => Promise.resolve(store), { identity, log });
    const alice = await signUp(api.send, { name: 'Alice' });
    expect((await alice.ask(CALLS.deleteUser)).problem).toMatchObject({
      status: 503,
      code: 'identity_unavailable',
    });
    expect((await alice.ask(CALLS.currentUser)).status).toBe(200);
    reachable = true;
    expect((await alice.ask(CALLS.deleteUser)).status).toBe(200);
  });

  it('ends test subscriptions in test mode', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const [product] = (await alice.ask(CALLS.listProducts)).ok.data;
    const price_id = product?.price_id ?? '';
    const { reference } = (await alice.ask(CALLS.openCheckout, { body: { price_id } })).ok.data;
    await alice.ask(CALLS.testPay, { body: { price_id, reference } });
    expect((await alice.ask(CALLS.deleteUser)).status).toBe(200);
    expect(await api.store.db.selectFrom('subscriptions').selectAll().execute()).toEqual([]);
  });

  it('fails if the deployment no longer sells but a subscription still runs', async () => {
    const { api, deliver, subscriptionEventOf, buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    for (const overrides of [{ payments: null }, {}]) {
      const later = await startApi(() => Promise.resolve(api.store), { log: quiet, ...overrides });
      const answer = await later.send('/api/user/me', {
        method: 'DELETE',
        headers: { cookie: [...alice.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ') },
      });
      expect(await answer.json()).toMatchObject({ status: 503, code: 'cancel_failed' });
    }
  });
});
