import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { applyPaymentEvent, type PaymentChange } from '../../server/store/billing/payment-events.ts';
import { findSubscription, listSubscriptions } from '../../server/store/billing/subscriptions.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, NOW, person } from './samples.ts';

const told = (
  occurredAt: number,
  change: Partial<Extract<PaymentChange['change'], { kind: 'subscription' }>> = {},
): PaymentChange => ({
  id: crypto.randomUUID(),
  type: 'subscription.updated',
  occurredAt,
  change: {
    kind: 'subscription',
    subscriptionId: 'sub_1',
    customerId: 'ctm_1',
    priceId: 'pri_1',
    status: 'active',
    periodStartsAt: NOW,
    periodEndsAt: NOW + 30 * DAY,
    cancelsAt: null,
    ...change,
  },
});

const refund = (
  occurredAt: number,
  { refunded = true, periodEndsAt = null }: { refunded?: boolean; periodEndsAt?: number | null } = {},
): PaymentChange => ({
  id: crypto.randomUUID(),
  type: 'adjustment.updated',
  occurredAt,
  change: { kind: 'refund', subscriptionId: 'sub_1', refunded, periodEndsAt },
});

const take = (store: Store, event: PaymentChange, referredTo: string | null = null) =>
  applyPaymentEvent(store, event, { referredTo, now: NOW });

/** Returns every order of the entries. */
function orders<T>(entries: readonly T[]): T[][] {
  if (entries.length <= 1) return [[...entries]];
  return entries.flatMap((entry, index) =>
    orders(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]),
  );
}

describeEachDatabase('payment events', (open) => {
  it('are applied once, even if they arrive several times at once', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const event = told(NOW);
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(store, event, id)));
    expect(taken.map(({ outcome }) => outcome).toSorted()).toEqual(['applied', ...Array(7).fill('repeated')]);
    expect(
      await store.db.selectFrom('payment_events').select(['id', 'outcome', 'account_id']).execute(),
    ).toEqual([{ id: event.id, outcome: 'applied', account_id: id }]);
  });

  it('lead to the state of the latest event when four arrive at once, in each of ten rounds', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await take(store, told(NOW), id);
    for (let round = 1; round <= 10; round++) {
      const latest = NOW + round * 10;
      const earlier = [3, 2, 1].map((before) => told(latest - before, { status: 'past_due' }));
      await Promise.all([told(latest), ...earlier].map((event) => take(store, event)));
      expect(await listSubscriptions(store, id)).toMatchObject([{ status: 'active' }]);
    }
  });

  it('payment events of a deleted or unknown account are ignored', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await store.db.deleteFrom('accounts').where('id', '=', id).execute();
    for (const referredTo of [id, null])
      expect(await take(store, told(NOW), referredTo)).toEqual({
        outcome: 'ignored',
        accountId: null,
        surplus: [],
      });
    expect(await findSubscription(store, 'sub_1')).toBeNull();
  });

  it('payment events that name a deleted account are ignored, although the customer has another account', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await take(store, told(NOW), id);
    const gone = crypto.randomUUID();
    const other = told(NOW, { subscriptionId: 'sub_2' });
    expect(await take(store, other, gone)).toMatchObject({ outcome: 'ignored' });
    expect(await listSubscriptions(store, id)).toHaveLength(1);
  });

  it('payment events of a subscription lead to the same state in every order', async () => {
    const store = await open();
    const steps = [
      { at: 1, status: 'trialing' as const },
      { at: 2, status: 'past_due' as const },
      { at: 3, status: 'active' as const, cancelsAt: NOW + DAY },
      { at: 4, status: 'canceled' as const, periodStartsAt: null, periodEndsAt: null },
    ];
    const { id } = await person(store, 'alice');
    for (const [index, order] of orders(steps).entries()) {
      const subscriptionId = `sub_${index}`;
      for (const { at, ...change } of order)
        await take(store, told(NOW + at, { ...change, subscriptionId }), id);
      expect(await findSubscription(store, subscriptionId)).toMatchObject({
        status: 'canceled',
        periodEndsAt: null,
        cancelsAt: null,
        pastDueSince: null,
      });
    }
  });

  it('never reactivate a cancelled subscription, not even at the same millisecond', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await take(store, told(NOW, { status: 'canceled' }), id);
    expect(await take(store, told(NOW), id)).toMatchObject({ outcome: 'stale' });
    expect(await take(store, told(NOW + 1), id)).toMatchObject({ outcome: 'stale' });
    expect((await findSubscription(store, 'sub_1'))?.status).toBe('canceled');
  });

  it('keep the time of the first past_due event until the payment arrives', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const since = async () => (await findSubscription(store, 'sub_1'))?.pastDueSince;
    await take(store, told(NOW + 1, { status: 'past_due' }), id);
    await take(store, told(NOW + 2, { status: 'past_due' }));
    expect(await since()).toBe(NOW + 1);
    await take(store, told(NOW + 3));
    expect(await since()).toBeNull();
    await take(store, told(NOW + 4, { status: 'past_due' }));
    expect(await since()).toBe(NOW + 4);
  });
});

describeEachDatabase('refunds', (open) => {
  it('give the same result in every order, even before the subscription is known', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const refundedAtAfter = async (events: PaymentChange[], orderOf: number[]) => {
      await store.db.deleteFrom('subscriptions').execute();
      for (const index of orderOf) {
        const event = events[index];
        if (event) await take(store, { ...event, id: crypto.randomUUID() }, id);
      }
      return (await findSubscription(store, 'sub_1'))?.refundedAt;
    };
    const month = 30 * DAY;
    const cases: [PaymentChange[], number | null][] = [
      // Refunded, and the refund reversed: the operator won a chargeback.
      [[told(NOW), refund(NOW + 1), refund(NOW + 2, { refunded: false })], null],
      [[told(NOW), refund(NOW + 1, { refunded: false }), refund(NOW + 2)], NOW + 2],
      // First the second month is refunded, then the first. The second stays refunded.
      [
        [
          told(NOW, { periodStartsAt: NOW + month }),
          refund(NOW + month + 1),
          refund(NOW + month + 2, { periodEndsAt: NOW + month }),
        ],
        NOW + month + 1,
      ],
    ];
    for (const [events, expected] of cases)
      for (const order of orders([0, 1, 2]))
        expect([order, await refundedAtAfter(events, order)]).toEqual([order, expected]);
  });

  it('refunds that arrive before their subscription are applied in the order in which they occurred', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const month = 30 * DAY;
    // The second month is refunded, that refund is reversed, and then the first month is refunded.
    const events = [
      refund(NOW + month + 1),
      refund(NOW + month + 2, { refunded: false }),
      refund(NOW + month + 3, { periodEndsAt: NOW + month }),
    ];
    for (const arrival of orders(events)) {
      const copies = arrival.map((event) => ({ ...event, id: crypto.randomUUID() }));
      for (const event of copies) await take(store, event);
      await take(store, told(NOW), id);
      expect(await findSubscription(store, 'sub_1')).toMatchObject({ refundedAt: NOW + month - 1 });
      await store.db.deleteFrom('subscriptions').execute();
    }
  });

  it('refunds that arrive before their subscription are assigned to the account later', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const early = refund(NOW);
    expect(await take(store, early)).toMatchObject({ outcome: 'ignored', accountId: null });
    await take(store, told(NOW), id);
    const row = await store.db
      .selectFrom('payment_events')
      .selectAll()
      .where('id', '=', early.id)
      .executeTakeFirst();
    expect(row).toMatchObject({ outcome: 'applied', account_id: id, refund_of: null });
  });
});

describeEachDatabase('the customer of an account', (open) => {
  it('is the first one that paid and belongs to no other account', async () => {
    const store = await open();
    const people = await Promise.all(['alice', 'bob', 'charlie'].map((name) => person(store, name)));
    for (const [index, { id }] of people.entries())
      await take(store, told(NOW, { subscriptionId: `sub_${index}` }), id);
    await Promise.all(
      people.map(({ id }, index) =>
        take(store, told(NOW + 1, { subscriptionId: `sub_${index}`, customerId: `ctm_${index + 2}` }), id),
      ),
    );
    const rows = await store.db
      .selectFrom('accounts')
      .select(['email', 'paddle_id'])
      .orderBy('email')
      .execute();
    expect(rows.map(({ paddle_id }) => paddle_id)).toEqual(['ctm_1', 'ctm_3', 'ctm_4']);
  });
});

describeEachDatabase('one customer', (open) => {
  it('belongs to one account even if five accounts pay with it at once', async () => {
    const store = await open();
    const names = ['alice', 'bob', 'charlie', 'dora', 'eve'];
    const people = await Promise.all(names.map((name) => person(store, name)));
    const taken = await Promise.all(
      people.map(({ id }, index) => take(store, told(NOW, { subscriptionId: `sub_${index}` }), id)),
    );
    expect(taken.map(({ outcome }) => outcome)).toEqual(Array(5).fill('applied'));
    const rows = await store.db.selectFrom('accounts').select('paddle_id').orderBy('paddle_id').execute();
    expect(rows.map(({ paddle_id }) => paddle_id)).toEqual(['', '', '', '', 'ctm_1']);
  });
});

describeEachDatabase('several subscriptions of an account', (open) => {
  it('report every subscription except the one in use as surplus, even when an event is repeated', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await take(store, told(NOW), id);
    const second = told(NOW, { subscriptionId: 'sub_2' });
    for (const outcome of ['applied', 'repeated'])
      expect(await take(store, second, id)).toEqual({ outcome, accountId: id, surplus: ['sub_2'] });
    await take(store, told(NOW + 1, { subscriptionId: 'sub_2', status: 'canceled' }));
    expect(await take(store, second, id)).toMatchObject({ surplus: [] });
  });
});
