import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { suppress } from '../../server/store/mail/suppressions.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { pauseMonitor, resumeMonitor } from '../../server/store/monitors/monitor-pauses.ts';

const standing = async (person: Person) => (await person.ask(CALLS.standing)).ok.data;
const add = async (person: Person, host: string) =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;

let mails = 0;
/** Inserts a settled row of the mail outbox. */
async function insertSettledMail(
  store: Store,
  { id, email }: Person,
  state: 'delivered' | 'failed' | 'expired',
  settledAt: number,
  change: { kind?: string; recipient?: string } = {},
) {
  const row = { message_id: `${mails++}`, attempts: 1, unanswered: 0, next_attempt_at: 0, created_at: 0 };
  await store.db
    .insertInto('mails')
    .values({
      ...row,
      id: `${mails}`,
      account_id: id,
      recipient: email,
      kind: 'password_changed',
      state,
      settled_at: settledAt,
      ...change,
    })
    .execute();
}

describeAnyDatabase('The standing of an account', (open) => {
  it('reports late checks once an active domain of the account is ten minutes overdue', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { id: monitorId } = await add(alice, 'shop.example.com');
    const late = async (person: Person) => (await standing(person)).checks_late;
    api.clock.advance(9 * MINUTE_MS);
    expect(await late(alice)).toBe(false);
    api.clock.advance(2 * MINUTE_MS);
    expect([await late(alice), await late(bob)]).toEqual([true, false]);
    const key = { accountId: alice.id, monitorId };
    await pauseMonitor(api.store, { ...key, now: api.clock.now() });
    expect(await late(alice)).toBe(false);
    const now = api.clock.now();
    await resumeMonitor(api.store, { ...key, now, mayResume: () => true });
    expect(await late(alice)).toBe(false);
  });

  it('reports failing mail until a mail is delivered', async () => {
    const api = await startApi(open);
    const { store } = api;
    const { alice, bob } = await api.cast();
    const failing = async (person: Person) => (await standing(person)).mail_failing;
    expect(await failing(alice)).toBe(false);
    await insertSettledMail(store, alice, 'delivered', 10);
    expect(await failing(alice)).toBe(false);
    await insertSettledMail(store, alice, 'failed', 20);
    expect([await failing(alice), await failing(bob)]).toEqual([true, false]);
    // None of these mails says anything about this address.
    await insertSettledMail(store, alice, 'expired', 30);
    await insertSettledMail(store, alice, 'delivered', 31, {
      recipient: 'support@example.test',
      kind: 'feedback',
    });
    await insertSettledMail(store, alice, 'delivered', 32, { recipient: 'alice-of-old@example.test' });
    expect(await failing(alice)).toBe(true);
    await insertSettledMail(store, alice, 'delivered', 40);
    expect(await failing(alice)).toBe(false);
  });

  it('counts the channels that no longer receive alerts', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const dead = async (person: Person) => (await standing(person)).dead_channels;
    for (const path of ['a', 'b', 'c']) {
      const config = { kind: 'webhook', url: `https://hooks.example.com/${path}` } as const;
      expect((await bob.ask(CALLS.addChannel, { body: { config } })).status).toBe(200);
    }
    const channels = (await bob.ask(CALLS.listChannels)).ok.data;
    expect(await dead(bob)).toBe(0);
    for (const [index, disabledBy] of ['gone', 'failing', 'user'].entries())
      await api.store.db
        .updateTable('channels')
        .set({ disabled_at: 1, disabled_by: disabledBy as 'gone' })
        .where('id', '=', channels[index + 1]?.key ?? '')
        .execute();
    expect(await dead(bob)).toBe(2);
    // A channel of a former Premium account that is switched off by the plan needs no repair.
    await grantPremium(api.store, bob.id, { grant: null, now: api.clock.now() });
    expect(await dead(bob)).toBe(0);
    await inTransaction(api.store, (trx) =>
      suppress(trx, { address: alice.email, reason: 'refused', detail: '550 no such user', now: 1 }),
    );
    expect([await dead(alice), await dead(bob)]).toEqual([1, 0]);
  });

  it('reports late alerts once a delivery has been due for ten minutes', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const late = async (person: Person) => (await standing(person)).alerts_late;
    await alice.ask(CALLS.testChannel, { params: { key: 'email' } });
    api.clock.advance(9 * MINUTE_MS);
    expect(await late(alice)).toBe(false);
    api.clock.advance(2 * MINUTE_MS);
    expect([await late(alice), await late(bob)]).toEqual([true, false]);
    await api.store.db.updateTable('deliveries').set({ state: 'delivered' }).execute();
    expect(await late(alice)).toBe(false);
  });
});
