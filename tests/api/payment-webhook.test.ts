import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { adjustmentEvent, PADDLE, signedWebhook } from '../kit/providers/paddle-api.ts';
import { DAY, startPaddleWorld } from './paddle-world.ts';
import { promise } from '../security/promise.ts';

describeEachDatabase('A Paddle webhook', (open) => {
  it('grants Premium to the account that opened the checkout, and ends it on cancellation', async () => {
    const { deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const charlie = await buyer('Charlie');
    expect(
      await deliver(subscriptionEventOf({ type: 'subscription.created', reference: alice.reference })),
    ).toEqual({
      status: 200,
      code: null,
    });
    expect([await isPremium(alice), await isPremium(charlie)]).toEqual([true, false]);
    expect((await alice.ask(CALLS.listDomains)).status).toBe(200);

    await deliver(
      subscriptionEventOf({ type: 'subscription.canceled', status: 'canceled', period: null, after: 1 }),
    );
    expect(await isPremium(alice)).toBe(false);
  });

  it('a Paddle webhook with an invalid signature is refused and not stored', async () => {
    const { api, deliver, subscriptionEventOf, buyer, isPremium, logged } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const event = subscriptionEventOf({ reference: alice.reference });
    const { body, headers } = signedWebhook(event);
    const right = headers['paddle-signature'] ?? '';
    const send = (signature: string | null, sent: string) =>
      alice.send('/api/payment/webhook', {
        method: 'POST',
        body: sent,
        headers: signature === null ? {} : { 'paddle-signature': signature },
      });
    const second = right.slice(3, right.indexOf(';'));
    const zeros = '0'.repeat(64);
    const sha1 = createHmac('sha1', PADDLE.webhookSecret).update(`${second}:${body}`).digest('hex');
    const wrong: [string | null, string][] = [
      [null, body],
      ['', body],
      ['ts=;h1=', body],
      [right.replace(/h1=.*/, `h1=${zeros}`), body],
      [right.replace(/h1=.*/, `h1=${sha1}`), body],
      [right.replace(/h1=.*/, 'h1='), body],
      [right.toUpperCase(), body],
      [right.replace('ts=', 'ts=1'), body],
      [right.replace('ts=', 'ts= '), body],
      [right.split(';')[0] ?? '', body],
      [right.split(';')[1] ?? '', body],
      [signedWebhook(event, { secret: 'another' }).headers['paddle-signature'] ?? '', body],
      [signedWebhook(event, { secret: '' }).headers['paddle-signature'] ?? '', body],
      // A replay of a webhook that was signed ten seconds ago.
      [signedWebhook(event, { at: Date.now() - 10_000 }).headers['paddle-signature'] ?? '', body],
      // The same JSON, written with other bytes.
      [right, JSON.stringify(event)],
      [right, body.replace('"active"', '"trialing"')],
      [right, `${body} `],
      [right, ''],
    ];
    for (const [signature, sent] of wrong) {
      const answer = await send(signature, sent);
      expect([signature, answer.status]).toEqual([signature, 401]);
      expect(((await answer.json()) as { code: string }).code).toBe('invalid_signature');
    }
    expect(await api.store.db.selectFrom('payment_events').selectAll().execute()).toEqual([]);
    expect(await isPremium(alice)).toBe(false);
    // The log mentions refused webhooks once a minute, however many there are.
    expect(logged.filter((line) => line.includes('signature'))).toHaveLength(1);
    // Paddle signs with both secrets while its secret is being changed.
    const both = right.replace(';', `;h1=${zeros};`);
    expect((await send(both, body)).status).toBe(200);
    expect(await deliver(event)).toEqual({ status: 200, code: null });
    promise('payments');
  });

  it('changes nothing when it is delivered again', async () => {
    const { deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const created = subscriptionEventOf({ reference: alice.reference });
    await deliver(created);
    await deliver(subscriptionEventOf({ status: 'canceled', period: null, after: 5 }));
    for (let time = 0; time < 3; time++) expect((await deliver(created)).status).toBe(200);
    expect(await isPremium(alice)).toBe(false);
    promise('payments');
  });

  it('leads to the latest state of the subscription, even out of order and with concurrent deliveries', async () => {
    const { deliver, subscriptionEventOf, buyer, subscriptions, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    const events = [
      subscriptionEventOf({ type: 'subscription.created', status: 'trialing', reference, after: 0 }),
      subscriptionEventOf({ type: 'subscription.activated', reference, after: 10 }),
      subscriptionEventOf({ type: 'subscription.past_due', status: 'past_due', reference, after: 20 }),
      subscriptionEventOf({
        type: 'subscription.paused',
        status: 'paused',
        period: null,
        reference,
        after: 30,
      }),
      subscriptionEventOf({ type: 'subscription.resumed', reference, after: 40 }),
    ];
    const answers = await Promise.all([...events.toReversed(), ...events].map((event) => deliver(event)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await subscriptions(alice)).toEqual({ sub_1: 'active' });
    expect(await isPremium(alice)).toBe(true);
    promise('payments');
  });

  it('a Paddle webhook of another event type is accepted and ignored', async () => {
    const { deliver, buyer, isPremium, subscriptionEventOf } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const others = ['transaction.completed', 'customer.updated', 'report.created', 'something.new'];
    for (const event_type of others)
      expect((await deliver({ ...subscriptionEventOf({}), event_type, data: null })).status).toBe(200);
    expect(await isPremium(alice)).toBe(false);
  });

  it('is refused from browsers of other sites and above 64 kB', async () => {
    const { deliver, subscriptionEventOf, buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const event = subscriptionEventOf({ reference: alice.reference });
    expect(await deliver(event, { origin: 'https://elsewhere.example' })).toMatchObject({ status: 403 });
    expect(await deliver({ ...event, more: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
  });
});

describeEachDatabase('The account of a Paddle webhook', (open) => {
  it('is found by subscription or customer if the event has no reference', async () => {
    const { deliver, subscriptionEventOf, buyer, subscriptions, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await deliver(subscriptionEventOf({ status: 'canceled', period: null, after: 1 }));
    expect(await isPremium(alice)).toBe(false);
    // The operator sells a second subscription in Paddle's dashboard to a known customer.
    await deliver(subscriptionEventOf({ subscription: 'sub_2', after: 2 }));
    expect(await subscriptions(alice)).toEqual({ sub_1: 'canceled', sub_2: 'active' });
    expect(await isPremium(alice)).toBe(true);
  });

  it('is not found by a forged reference, and stays the same for the life of a subscription', async () => {
    const { deliver, subscriptionEventOf, buyer, subscriptions, logged } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const mallory = await buyer('Mallory');
    const [, signature = ''] = alice.reference.split('.');
    const forged = [
      mallory.id,
      `${mallory.id}.`,
      `${mallory.id}.${signature}`,
      `${mallory.id}.${'A'.repeat(43)}`,
      `${mallory.reference}.x`,
      mallory.reference.slice(0, -2),
      'x'.repeat(501),
      '',
    ];
    for (const [index, reference] of forged.entries())
      expect(
        (await deliver(subscriptionEventOf({ subscription: `sub_f${index}`, customer: 'ctm_m', reference })))
          .status,
      ).toBe(200);
    expect(await subscriptions(mallory)).toEqual({});
    expect(logged.join()).toContain('belongs to no account');

    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await deliver(subscriptionEventOf({ reference: mallory.reference, after: 1 }));
    expect(await subscriptions(mallory)).toEqual({});
    expect(await subscriptions(alice)).toEqual({ sub_1: 'active' });
    promise('payments');
  });

  it('keeps its Paddle customer, even if another account’s checkout names the same one', async () => {
    const { api, deliver, subscriptionEventOf, buyer, subscriptions, isPremium } =
      await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const mallory = await buyer('Mallory');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    // The checkout names Alice's customer id: Mallory pays and gets Premium, but nothing else of Alice's.
    await deliver(
      subscriptionEventOf({ subscription: 'sub_m', customer: 'ctm_1', reference: mallory.reference }),
    );
    await deliver(subscriptionEventOf({ customer: 'ctm_9', after: 1 }));
    const customers = await api.store.db.selectFrom('accounts').select(['id', 'paddle_id']).execute();
    const customerOf = ({ id }: { id: string }) => customers.find((each) => each.id === id)?.paddle_id;
    expect([customerOf(alice), customerOf(mallory)]).toEqual(['ctm_1', '']);
    expect(await subscriptions(alice)).toEqual({ sub_1: 'active' });
    expect(await isPremium(mallory)).toBe(true);
    promise('8.4.1');
  });

  it('gets no Premium for another product of the seller', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, isPremium, logged } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    const cheap = subscriptionEventOf({ reference, price: 'pri_01cheap', product: 'pro_01sticker' });
    expect((await deliver(cheap)).status).toBe(200);
    expect(await isPremium(alice)).toBe(false);
    expect(logged.join()).toContain('something else');

    // An older price of the same product is accepted too. The product is cached since the first event, so Paddle is not
    // asked.
    const earlier = subscriptionEventOf({ subscription: 'sub_2', reference, price: 'pri_00premium' });
    paddle.behave('broken');
    expect((await deliver(earlier)).status).toBe(200);
    expect(await isPremium(alice)).toBe(true);
  });

  it('gets Premium on redelivery after the webhook answered 503 because Paddle could not identify the price', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    api.clock.advance(60_000);
    const event = subscriptionEventOf({ reference: alice.reference, price: 'pri_00premium' });
    paddle.behave('broken');
    expect(await deliver(event)).toEqual({ status: 503, code: 'payments_unavailable' });
    paddle.behave('well');
    expect((await deliver(event)).status).toBe(200);
    expect(await isPremium(alice)).toBe(true);
  });
});

describeEachDatabase('The end of a subscription', (open) => {
  it('comes 14 days after the first failed payment', async () => {
    const { api, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await deliver(subscriptionEventOf({ type: 'subscription.past_due', status: 'past_due', after: 1 }));
    // Paddle retries on the fifth day; the grace period still counts from the first failure.
    await deliver(subscriptionEventOf({ status: 'past_due', after: 5 * DAY }));
    api.clock.advance(14 * DAY - 60_000);
    const again = async () => alice.ask(CALLS.refreshSession);
    await again();
    expect(await isPremium(alice)).toBe(true);
    api.clock.advance(120_000);
    expect(await isPremium(alice)).toBe(false);

    // The payment succeeded in the end.
    await deliver(subscriptionEventOf({ status: 'active', after: 14 * DAY + 1 }));
    expect(await isPremium(alice)).toBe(true);
    await deliver(subscriptionEventOf({ status: 'past_due', after: 15 * DAY }));
    expect(await isPremium(alice)).toBe(true);
  });

  it('comes at the time that Paddle gives for a cancellation, unless the cancellation is withdrawn', async () => {
    const { api, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const cancelsAt = api.clock.now() + 60_000;
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    await deliver(subscriptionEventOf({ cancelsAt, after: 1 }));
    expect(await isPremium(alice)).toBe(true);
    api.clock.advance(60_000);
    expect(await isPremium(alice)).toBe(false);
    // The cancellation was withdrawn in time.
    await deliver(subscriptionEventOf({ after: 2 }));
    expect(await isPremium(alice)).toBe(true);
  });
});

describeEachDatabase('A refund', (open) => {
  it('a refund in full ends Premium, and its reversal restores it', async () => {
    const { api, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    const at = api.clock.now() + 10;
    const about = { subscription: 'sub_1' };
    const nothing = [
      { status: 'pending_approval' as const },
      { status: 'rejected' as const },
      { kind: 'partial' as const },
      { action: 'credit' as const },
    ];
    for (const change of nothing) await deliver(adjustmentEvent({ ...about, ...change, at }));
    expect(await isPremium(alice)).toBe(true);

    const approved = adjustmentEvent({ ...about, at: at + 1 });
    await deliver(approved);
    expect(await isPremium(alice)).toBe(false);
    await deliver(adjustmentEvent({ ...about, action: 'chargeback', at: at + 2 }));
    await deliver(adjustmentEvent({ ...about, action: 'chargeback', status: 'reversed', at: at + 3 }));
    expect(await isPremium(alice)).toBe(true);
    await deliver(approved);
    expect(await isPremium(alice)).toBe(true);
  });

  it('a refund of an earlier month leaves the later paid month, in any order of events', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const now = api.clock.now();
    for (const [name, order] of [
      ['Alice', [0, 1, 2]],
      ['Bob', [2, 0, 1]],
      ['Charlie', [0, 2, 1]],
    ] as const) {
      const person = await buyer(name);
      const { reference } = person;
      const subscription = `sub_${name}`;
      const transaction = `txn_${name}`;
      paddle.periodEnds.set(transaction, new Date(now + 30 * DAY).toISOString());
      const about = { subscription, customer: `ctm_${name}`, reference };
      const events = [
        subscriptionEventOf(about),
        subscriptionEventOf({ ...about, period: [now + 30 * DAY, now + 60 * DAY], after: 30 * DAY }),
        adjustmentEvent({ subscription, transaction, at: now + 31 * DAY }),
      ];
      for (const index of order) await deliver(events[index] ?? {});
      expect([name, await isPremium(person)]).toEqual([name, true]);
    }
  });

  it('a refund before its subscription’s first event takes effect once that event arrives', async () => {
    const { api, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(adjustmentEvent({ subscription: 'sub_1', at: api.clock.now() + 100 }));
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    expect(await isPremium(alice)).toBe(false);
  });

  it('a refund webhook gets 503 while Paddle cannot say which payment it is for, and is applied on redelivery', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    await deliver(subscriptionEventOf({ reference: alice.reference }));
    const refund = adjustmentEvent({ subscription: 'sub_1', at: api.clock.now() + 10 });
    paddle.behave('broken');
    expect((await deliver(refund)).code).toBe('payments_unavailable');
    paddle.behave('well');
    expect((await deliver(refund)).status).toBe(200);
    expect(await isPremium(alice)).toBe(false);
  });
});

describeEachDatabase('Two concurrent checkouts', (open) => {
  it('leave one subscription: Paddle is asked to cancel the other', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer, subscriptions, isPremium, logged } =
      await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    const both = ['sub_1', 'sub_2'];
    for (const subscription of both) paddle.subscriptions.set(subscription, 'active');
    await Promise.all(both.map((subscription) => deliver(subscriptionEventOf({ subscription, reference }))));

    const cancelled = both.filter((id) => paddle.subscriptions.get(id) === 'canceled');
    expect(cancelled).toHaveLength(1);
    expect(logged.join()).toContain('subscribed more than once');
    await deliver(
      subscriptionEventOf({ subscription: cancelled[0] ?? '', status: 'canceled', period: null, after: 5 }),
    );
    expect(Object.values(await subscriptions(alice)).toSorted()).toEqual(['active', 'canceled']);
    expect(await isPremium(alice)).toBe(true);
  });

  it('a webhook about a second subscription gets 503 until Paddle cancels that subscription', async () => {
    const { paddle, deliver, subscriptionEventOf, buyer } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    await deliver(subscriptionEventOf({ reference }));
    const second = subscriptionEventOf({ subscription: 'sub_2', reference, after: 1 });
    paddle.subscriptions.set('sub_2', 'locked');
    for (let time = 0; time < 2; time++)
      expect(await deliver(second)).toEqual({ status: 503, code: 'payments_unavailable' });
    paddle.subscriptions.set('sub_2', 'active');
    expect((await deliver(second)).status).toBe(200);
    expect(paddle.subscriptions.get('sub_2')).toBe('canceled');
    // Paddle may answer that the subscription is already cancelled.
    expect((await deliver(second)).status).toBe(200);
  });

  it('a new checkout after a refund leaves only the new subscription', async () => {
    const { api, paddle, deliver, subscriptionEventOf, buyer, isPremium } = await startPaddleWorld(open);
    const alice = await buyer('Alice');
    const { reference } = alice;
    for (const id of ['sub_1', 'sub_2']) paddle.subscriptions.set(id, 'active');
    await deliver(subscriptionEventOf({ reference }));
    await deliver(adjustmentEvent({ subscription: 'sub_1', at: api.clock.now() + 10 }));
    const checkout = await alice.ask(CALLS.openCheckout, { body: { price_id: PADDLE.priceId } });
    expect(checkout.status).toBe(200);
    await deliver(subscriptionEventOf({ subscription: 'sub_2', reference, after: 1 }));
    expect(Object.fromEntries(paddle.subscriptions)).toEqual({ sub_1: 'canceled', sub_2: 'active' });
    expect(await isPremium(alice)).toBe(true);
  });
});
