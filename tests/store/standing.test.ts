import { describe, expect, it } from 'vitest';
import { claimDueDeliveries, settleDelivery } from '../../server/store/alerts/deliveries.ts';
import { mailDownSince, mailIsFailing } from '../../server/store/accounts/account-health.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { liftSuppression, suppress } from '../../server/store/mail/suppressions.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, MINUTE, NOW, person } from './samples.ts';

const HOUR = 60 * MINUTE;
const UNREACHABLE = 'connect ECONNREFUSED 192.0.2.25:587';
const FULL = '452 4.2.2 Mailbox full';

/** Adds a mail to this address. Sending it has failed since `since`. */
async function waits(
  store: Store,
  recipient: string,
  { since = NOW - HOUR, detail = FULL as string | null },
) {
  await mail(store, { recipient, state: 'waiting', first_attempt_at: since, detail });
}

const arrives = (store: Store, at: number) =>
  mail(store, { recipient: 'carol@dune.example', state: 'delivered', settled_at: at });

async function mail(
  store: Store,
  row: { recipient: string; state: 'waiting' | 'delivered' | 'failed' } & Partial<{
    account_id: string;
    kind: 'verify_email';
    first_attempt_at: number;
    settled_at: number;
    detail: string | null;
  }>,
) {
  const id = crypto.randomUUID();
  await store.db
    .insertInto('mails')
    .values({
      id,
      account_id: null,
      kind: 'feedback',
      data: '{}',
      message_id: id,
      attempts: 6,
      unanswered: 0,
      next_attempt_at: NOW,
      created_at: NOW - DAY,
      expires_at: null,
      ...row,
    })
    .execute();
}

/** Adds an alert to one of the account's channels, or to its own address if `channel` is absent. */
async function alertTo(
  store: Store,
  accountId: string,
  row: {
    state: 'waiting' | 'delivered' | 'failed';
    at: number;
    detail?: string;
    channel?: { id: string; config: string };
  },
) {
  const id = crypto.randomUUID();
  const { state, at, detail = null, channel } = row;
  if (channel !== undefined)
    await store.db
      .insertInto('channels')
      .values({
        id: channel.id,
        account_id: accountId,
        kind: 'email',
        name: 'Ops',
        config: channel.config,
        created_at: NOW - DAY,
        confirmed_at: NOW - DAY,
        confirm_hash: null,
        disabled_at: null,
        disabled_by: null,
        failing_since: null,
        delivered_at: null,
      })
      .execute();
  await store.db
    .insertInto('alerts')
    .values({
      id,
      account_id: accountId,
      monitor_id: null,
      incident_id: null,
      kind: 'test',
      step: 'opened',
      fingerprint: '',
      severity: 'info',
      facts: JSON.stringify({ asOf: NOW, startedAt: NOW }),
      created_at: at,
    })
    .execute();
  await store.db
    .insertInto('deliveries')
    .values({
      id,
      account_id: accountId,
      alert_id: id,
      incident_id: null,
      channel: 'email',
      state,
      detail,
      channel_key: channel?.id ?? 'email',
      channel_id: channel?.id ?? null,
      dedupe_key: id,
      message_id: id,
      attempts: 6,
      unanswered: 0,
      next_attempt_at: at,
      first_attempt_at: at,
      settled_at: state === 'waiting' ? null : at,
      created_at: at,
    })
    .execute();
}

describeEachDatabase('the mail server', (open) => {
  it('counts as down if it cannot be reached, even if only one mail is waiting', async () => {
    const store = await open();
    await waits(store, 'bob@fjord.example', { detail: UNREACHABLE });
    expect(await mailDownSince(store, NOW)).toBe(NOW - HOUR);
  });

  it('does not count as down while only mailboxes of one domain defer mail', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await waits(store, 'bob@fjord.example', { since: NOW - 3 * DAY });
    await waits(store, 'Eve@Fjord.example', { detail: '451-4.7.1 Greylisted' });
    const channel = { id: 'ops', config: '{"kind":"email","address":"ops@fjord.example"}' };
    await alertTo(store, id, { state: 'waiting', at: NOW - HOUR, detail: '550 5.7.1 Blocked', channel });
    expect(await mailDownSince(store, NOW)).toBeNull();
    // The account's own address is in a domain other than that of the mailboxes.
    await alertTo(store, id, { state: 'waiting', at: NOW - HOUR, detail: FULL });
    expect(await mailDownSince(store, NOW)).toBe(NOW - 3 * DAY);
  });

  it('does not count as down if other mail arrived since mailboxes began to defer', async () => {
    const store = await open();
    await waits(store, 'bob@fjord.example', {});
    await waits(store, 'dan@moss.example', {});
    expect(await mailDownSince(store, NOW)).toBe(NOW - HOUR);
    await arrives(store, NOW - 30 * MINUTE);
    expect(await mailDownSince(store, NOW)).toBeNull();
    expect(await mailDownSince(store, NOW + DAY)).toBeNull();
  });

  it('counts as down since the last delivered mail if it is unreachable afterwards', async () => {
    const store = await open();
    await waits(store, 'bob@fjord.example', { detail: UNREACHABLE });
    await arrives(store, NOW - 30 * MINUTE);
    // No mail may have been tried since the last delivered one.
    expect(await mailDownSince(store, NOW)).toBeNull();
    expect(await mailDownSince(store, NOW + HOUR)).toBe(NOW - 30 * MINUTE);
  });

  it('counts as down only after 15 minutes', async () => {
    const store = await open();
    await waits(store, 'bob@fjord.example', { since: NOW - 15 * MINUTE + 1, detail: UNREACHABLE });
    expect(await mailDownSince(store, NOW)).toBeNull();
    expect(await mailDownSince(store, NOW + 1)).toBe(NOW - 15 * MINUTE + 1);
  });

  it('is not judged by mail that got no answer yet or belongs to a disabled account', async () => {
    const store = await open();
    await waits(store, 'bob@fjord.example', { detail: null });
    const { id } = await person(store, 'alice');
    await alertTo(store, id, { state: 'waiting', at: NOW - HOUR, detail: UNREACHABLE });
    expect(await mailDownSince(store, NOW)).toBe(NOW - HOUR);
    await store.db.updateTable('accounts').set({ disabled_at: NOW }).execute();
    expect(await mailDownSince(store, NOW)).toBeNull();
  });
});

describeEachDatabase('mail to the address of an account', (open) => {
  const channel = { id: 'ops', config: '{"kind":"email","address":"ops@fjord.example"}' };

  it('counts as failing while the address is suppressed, even if another channel delivers', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    expect(await mailIsFailing(store, alice, NOW)).toBe(false);
    await inTransaction(store, (trx) =>
      suppress(trx, { address: alice.email, reason: 'refused', detail: '550 No such user', now: NOW }),
    );
    await alertTo(store, alice.id, { state: 'delivered', at: NOW, channel });
    expect(await mailIsFailing(store, alice, NOW)).toBe(true);
    await inTransaction(store, (trx) => liftSuppression(trx, alice.email));
    expect(await mailIsFailing(store, alice, NOW)).toBe(false);
  });

  it.each([
    ['failed', 'delivered', true],
    ['delivered', 'failed', false],
  ] as const)(
    'counts as failing by the newest message to its own address (newest: %s, other: %s, failing: %s)',
    async (newest, other, failing) => {
      const store = await open();
      for (const name of ['alice', 'bob']) {
        const { id, email } = await person(store, name);
        const [alertAt, mailAt] = name === 'alice' ? [NOW, NOW - HOUR] : [NOW - HOUR, NOW];
        const [alert, account] = name === 'alice' ? [newest, other] : [other, newest];
        await alertTo(store, id, { state: alert, at: alertAt });
        await mail(store, {
          account_id: id,
          kind: 'verify_email',
          recipient: email,
          state: account,
          settled_at: mailAt,
        });
        expect(await mailIsFailing(store, { id, email }, NOW), name).toBe(failing);
      }
    },
  );

  it('publishes an account signal when an alert is delivered, unlike other channels', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const heard: string[] = [];
    store.signals.subscribe(({ topic }) => heard.push(topic));
    for (const to of [channel, undefined]) {
      await alertTo(store, id, { state: 'waiting', at: NOW, ...(to && { channel: to }) });
      const [claimed] = await claimDueDeliveries(store, {
        now: NOW,
        limit: 1,
        leaseMs: MINUTE,
        claimedBy: 'a worker',
      });
      if (claimed === undefined) throw new Error('nothing was due');
      await settleDelivery(store, { ...claimed, outcome: 'delivered', detail: '250 OK', now: NOW });
      expect(heard.includes('account')).toBe(to === undefined);
    }
  });

  describe('before a later delivery on another channel', () => {
    it.each([
      ['delivered', 'failed', false],
      ['failed', 'delivered', true],
    ] as const)(
      'counts as failing only if the mail itself failed (mail: %s, other channel: %s, failing: %s)',
      async (own, other, failing) => {
        const store = await open();
        const alice = await person(store, 'alice');
        await alertTo(store, alice.id, { state: own, at: NOW - HOUR });
        await alertTo(store, alice.id, { state: other, at: NOW, channel });
        expect(await mailIsFailing(store, alice, NOW)).toBe(failing);
      },
    );
  });
});
