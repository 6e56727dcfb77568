import { entitlementAt } from '../../server/core/plan.ts';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { TEST_EVENTS } from '../../contract/payment.ts';
import { findAccount } from '../../server/store/accounts/accounts.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { endTestSubscriptions } from '../../server/store/billing/subscriptions.ts';
import { isTestSubscription } from '../../server/providers/payments/test-mode.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { signedWebhook, subscriptionEvent } from '../kit/providers/paddle-api.ts';
import { type Person, signUp } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const DAY = 86_400_000;

async function startTestMode(open: () => Promise<Store>) {
  const api = await startApi(open);
  const alice = await signUp(api.send, { name: 'Alice' });
  const opened = new Map<string, string>();
  return {
    api,
    alice,
    pay: async (person: Person = alice) => {
      const [product] = (await person.ask(CALLS.listProducts)).ok.data;
      const price_id = product?.price_id ?? '';
      const checkout = await person.ask(CALLS.openCheckout, { body: { price_id } });
      // Reuse a checkout that is still open.
      if (checkout.status === 200) opened.set(person.id, checkout.ok.data.reference);
      const reference = opened.get(person.id) ?? 'none';
      return person.ask(CALLS.testPay, { body: { price_id, reference } });
    },
    simulate: async (event: (typeof TEST_EVENTS)[number]) =>
      (await alice.ask(CALLS.testEvent, { body: { event } })).ok,
    isPremium: async (person: Person = alice) => (await person.ask(CALLS.premium)).ok.data,
    subscription: async () => (await alice.ask(CALLS.testSubscription)).ok.data,
  };
}

describeAnyDatabase('Test mode', (open) => {
  it('sells Premium at the listed price without a real payment', async () => {
    const { alice, pay, isPremium, subscription } = await startTestMode(open);
    expect((await alice.ask(CALLS.listProducts)).ok.data).toMatchObject([
      { unit_price: 499, currency: 'USD' },
    ]);
    expect(await subscription()).toBeNull();
    expect(await isPremium()).toBe(false);

    expect((await pay()).ok.data).toMatchObject({ currency: 'USD', total: 499 });
    expect(await isPremium()).toBe(true);
    expect(await subscription()).toMatchObject({ status: 'active', cancels_at: null });
    expect((await alice.ask(CALLS.currentUser)).ok.data?.paddle_id).toMatch(/^ctm_test_/);
    expect((await pay()).problem).toMatchObject({ status: 409, code: 'already_subscribed' });
  });

  it('refuses unknown prices and checkouts of other accounts', async () => {
    const { api, alice, isPremium } = await startTestMode(open);
    const [product] = (await alice.ask(CALLS.listProducts)).ok.data;
    const price_id = product?.price_id ?? '';
    const referenceOf = async (person: Person) =>
      (await person.ask(CALLS.openCheckout, { body: { price_id } })).ok.data.reference;
    const refusal = async (body: object) => (await alice.ask(CALLS.testPay, { body })).problem.code;
    const charlie = await signUp(api.send, { name: 'Charlie' });

    const own = await referenceOf(alice);
    expect(await refusal({ price_id: 'pri_other', reference: own })).toBe('price_gone');
    for (const reference of [await referenceOf(charlie), alice.id, `${alice.id}.${'A'.repeat(43)}`])
      expect(await refusal({ price_id, reference })).toBe('not_found');
    expect([await isPremium(), await isPremium(charlie)]).toEqual([false, false]);
  });

  it('creates only one subscription for concurrent payments', async () => {
    const { api, alice, pay, isPremium } = await startTestMode(open);
    const answers = await Promise.all([pay(), pay(), pay()]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const rows = await api.store.db.selectFrom('subscriptions').select(['account_id', 'status']).execute();
    expect(rows).toEqual([{ account_id: alice.id, status: 'active' }]);
    expect(await isPremium()).toBe(true);
  });

  it('simulates every event of a subscription', async () => {
    const { pay, simulate, isPremium, subscription } = await startTestMode(open);
    await pay();
    const first = await subscription();
    const steps = [
      ['renew', 'active', true],
      ['past_due', 'past_due', true],
      ['renew', 'active', true],
      ['pause', 'paused', false],
      ['resume', 'active', true],
      ['cancel_at_period_end', 'active', true],
      ['resume', 'active', true],
      ['refund', 'active', false],
      ['renew', 'active', true],
      ['cancel', 'canceled', false],
    ] as const;
    for (const [event, status, premium] of steps) {
      await simulate(event);
      expect([event, (await subscription())?.status, await isPremium()]).toEqual([event, status, premium]);
    }
    await pay();
    expect((await subscription())?.id).not.toBe(first?.id);
    expect(await isPremium()).toBe(true);
  });

  it('ends a cancelled subscription at the end of its period', async () => {
    const { api, alice, pay, simulate, isPremium, subscription } = await startTestMode(open);
    await pay();
    await simulate('cancel_at_period_end');
    const { period_ends_at, cancels_at } = (await subscription()) ?? {};
    expect(cancels_at).toBe(period_ends_at);
    expect(Date.parse(cancels_at ?? '')).toBeGreaterThan(api.clock.now() + 29 * DAY);
    const endsAt = Date.parse(cancels_at ?? '');
    const account = await findAccount(api.store, alice.id);
    const planAt = (now: number) => account && entitlementAt(api.store, account.entitlement, now).plan;
    expect([planAt(endsAt - 1), planAt(endsAt)]).toEqual(['premium', 'free']);

    // An ended subscription does not block a new one.
    await api.store.db.updateTable('subscriptions').set({ cancels_at: api.clock.now() }).execute();
    expect((await pay()).status).toBe(200);
    expect(await isPremium()).toBe(true);
  });

  it('refuses to simulate events without a running subscription, and unknown events', async () => {
    const { alice, pay, simulate } = await startTestMode(open);
    const refused = async () => (await alice.ask(CALLS.testEvent, { body: { event: 'renew' } })).problem.code;
    expect(await refused()).toBe('not_found');
    await pay();
    await simulate('cancel');
    expect(await refused()).toBe('not_found');
    const unknown = await alice.ask(CALLS.testEvent, { body: { event: 'explode' } });
    expect(unknown.problem.code).toBe('invalid_request');
  });

  it('has a billing portal for verified addresses', async () => {
    const { api, alice, pay } = await startTestMode(open);
    expect((await alice.ask(CALLS.billing)).ok.data.url).toBe('');
    await pay();
    expect((await alice.ask(CALLS.billing)).problem.code).toBe('email_not_verified');
    await api.store.db
      .updateTable('accounts')
      .set({ email_verified: 1 })
      .where('id', '=', alice.id)
      .execute();
    expect((await alice.ask(CALLS.billing)).ok.data.url).toBe('http://localhost:8080/billing-test');
  });

  it('rejects webhooks that are signed with another secret', async () => {
    const { api, alice, isPremium } = await startTestMode(open);
    const [product] = (await alice.ask(CALLS.listProducts)).ok.data;
    const { reference } = (
      await alice.ask(CALLS.openCheckout, { body: { price_id: product?.price_id ?? '' } })
    ).ok.data;
    const event = subscriptionEvent({
      subscription: 'sub_test_1',
      customer: 'ctm_test_1',
      status: 'active',
      reference,
      price: product?.price_id ?? '',
      at: api.clock.now(),
    });
    const quiet = await startApi(() => Promise.resolve(api.store), {
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    for (const secret of ['', 'test', 'pdl_ntfset_test']) {
      const { body, headers } = signedWebhook(event, { secret });
      const answer = await quiet.send('/api/payment/webhook', { method: 'POST', body, headers });
      expect(answer.status).toBe(401);
    }
    expect(await isPremium()).toBe(false);
  });

  it('test subscriptions end once the deployment takes real payments, and real ones stay unchanged', async () => {
    const { api, alice, pay, isPremium } = await startTestMode(open);
    await pay();
    await api.store.db
      .insertInto('subscriptions')
      .values({
        id: 'sub_paid',
        account_id: alice.id,
        customer_id: 'ctm_paid',
        price_id: 'pri_paid',
        status: 'paused',
        told_at: 0,
        created_at: 0,
      })
      .execute();
    const end = () => endTestSubscriptions(api.store, { isTest: isTestSubscription, now: api.clock.now() });
    expect(await end()).toBe(1);
    expect(await isPremium()).toBe(false);
    expect(await end()).toBe(0);
    const rows = await api.store.db.selectFrom('subscriptions').select(['id', 'status']).execute();
    expect(rows.find(({ id }) => id === 'sub_paid')?.status).toBe('paused');
  });
});
