import { expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../server/store/alerts/claimed-delivery.ts';
import {
  claimDueDeliveries,
  deferDelivery,
  retryDelivery,
  settleDelivery,
} from '../../server/store/alerts/deliveries.ts';
import { queueAlerts } from '../../server/store/alerts/alerts.ts';
import { replayDelivery, sendTest } from '../../server/store/alerts/channel-sending.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { AlertStep, Problem } from '../../server/core/alerting/alert.ts';
import type { AlertRoute, ChannelKind } from '../../server/core/alerting/route.ts';
import { leaseClock } from '../../server/store/db/dialect.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { findBouncedMail, recordBounce } from '../../server/store/mail/bounces.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, NOW, person } from './samples.ts';
import { promise } from '../security/promise.ts';

const SECOND = 1_000;
const LEASE = 60 * SECOND;
const claim = { now: NOW, limit: 4, leaseMs: LEASE, claimedBy: 'a worker' };
const MAIL: AlertRoute = { key: 'email', kind: 'email', leavesAt: 0 };

interface Queued {
  problem?: Problem;
  step?: AlertStep;
  route?: Partial<AlertRoute>;
  now?: number;
}

/** Opens an incident for each of these new domains and queues an alert about it, as checks do. Returns the ids of the monitors. */
async function queueOutages(
  store: Store,
  accountId: string,
  hosts: readonly string[],
  { problem = 'down', step = 'opened', route = {}, now = NOW }: Queued = {},
): Promise<string[]> {
  const outages = hosts.map((host) => ({ host, incidentId: crypto.randomUUID(), id: crypto.randomUUID() }));
  await store.db
    .insertInto('monitors')
    .values(
      outages.map(({ id, host }) => ({
        id,
        account_id: accountId,
        host,
        port: 443,
        check_every_minutes: 1440,
        revoked: 0,
        created_at: now,
        next_check_at: now + DAY,
      })),
    )
    .execute();
  await insertIncidents(
    store.db,
    outages.map(({ incidentId, id }) => ({
      account_id: accountId,
      id: incidentId,
      monitor_id: id,
      problem,
      fingerprint: '',
      started_at: now,
      confirmed_at: now,
      ended_at: step === 'resolved' ? now : null,
      recovered: 0,
      cause: 'timeout',
      message: '',
      facts: '{}',
    })),
  );
  const facts = { certificate: null, asOf: now, message: null, fix: null, successor: null };
  await store.db.transaction().execute(async (trx) => {
    for (const { incidentId, id: monitorId } of outages)
      await queueAlerts(trx, {
        accountId,
        monitorId,
        alerts: [
          {
            incidentId,
            problem,
            step,
            fingerprint: '',
            severity: 'critical' as const,
            facts: { ...facts, startedAt: now, endedAt: null },
            routes: [{ ...MAIL, leavesAt: now, ...route }],
          },
        ],
        leaseClock: leaseClock(store, now),
        now,
      });
  });
  return outages.map(({ id }) => id);
}

/** Adds a channel to which nothing is ever sent. Returns a route that leads to it. */
async function channel(
  store: Store,
  accountId: string,
  kind: ChannelKind,
): Promise<Omit<AlertRoute, 'leavesAt'>> {
  const key = crypto.randomUUID();
  await store.db
    .insertInto('channels')
    .values({
      id: key,
      account_id: accountId,
      kind,
      name: kind,
      created_at: NOW,
      confirmed_at: NOW,
      config: '{}',
    })
    .execute();
  return { key, kind };
}

const numbered = (many: number): string[] => Array.from({ length: many }, (_, host) => `h${host}.example`);

/** Returns the hosts that a message is about, sorted by name. */
const hostsOf = (message: ClaimedDelivery | undefined): string[] =>
  message === undefined
    ? []
    : [message, ...message.others].map(({ monitor }) => monitor?.host ?? '').toSorted();

/** Returns the hosts of each message, sorted by the first host. */
const hostsOfEach = (messages: readonly ClaimedDelivery[]): string[][] =>
  messages.map(hostsOf).toSorted(([left = ''], [right = '']) => left.localeCompare(right));

/** Returns the lease of a message and its deliveries. */
const leaseOf = ({ leaseToken, id, others, firstAttemptAt }: ClaimedDelivery) => ({
  leaseToken,
  rows: { ids: [id, ...others.map((other) => other.id)], firstAttemptAt },
});

const claimAt = (store: Store, now: number, more: Partial<Parameters<typeof claimDueDeliveries>[1]> = {}) =>
  claimDueDeliveries(store, { ...claim, now, ...more });

const rowsOf = (store: Store) =>
  store.db.selectFrom('deliveries').selectAll().orderBy('created_at').orderBy('id').execute();

describeEachDatabase('deliveries about outages', (open) => {
  it('become one message after ten seconds without another', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await queueOutages(store, id, ['a.example']);
    await queueOutages(store, id, ['b.example'], { now: NOW + 6 * SECOND });
    await queueOutages(store, id, ['c.example'], { now: NOW + 12 * SECOND });
    expect(await claimAt(store, NOW + 22 * SECOND - 1)).toEqual([]);
    const messages = await claimAt(store, NOW + 22 * SECOND);
    expect(messages.map(hostsOf)).toEqual([['a.example', 'b.example', 'c.example']]);
    expect(await claimAt(store, NOW + 60 * SECOND)).toEqual([]);
  });

  it('leave after thirty seconds, even if others follow every few seconds', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    for (let second = 0; second < 30; second += 5)
      await queueOutages(store, id, [`h${second}.example`], { now: NOW + second * SECOND });
    expect(await claimAt(store, NOW + 30 * SECOND - 1)).toEqual([]);
    const [message] = await claimAt(store, NOW + 30 * SECOND);
    expect(hostsOf(message)).toHaveLength(6);
    await queueOutages(store, id, ['late.example'], { now: NOW + 31 * SECOND });
    expect((await claimAt(store, NOW + 41 * SECOND)).map(hostsOf)).toEqual([['late.example']]);
  });

  it('are settled together, and each stores the attempt and the reply of the server', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await queueOutages(store, id, ['a.example', 'b.example', 'c.example']);
    const [message] = await claimAt(store, NOW + 10 * SECOND);
    const { leaseToken = '', messageId } = message ?? {};
    const settled = { leaseToken, outcome: 'delivered', detail: '250 OK', now: NOW + 11 * SECOND } as const;
    expect(await settleDelivery(store, settled)).toBe(true);
    expect(await settleDelivery(store, settled)).toBe(false);
    for (const row of await rowsOf(store))
      expect(row).toMatchObject({ state: 'delivered', detail: '250 OK', message_id: messageId, attempts: 1 });
    const attempts = await store.db.selectFrom('delivery_attempts').selectAll().execute();
    expect(attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', '250 OK']),
    );
  });

  it('stay together under one Message-ID after a worker was killed, and later outages do not join them', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const [monitorId = ''] = await queueOutages(store, id, ['a.example']);
    await queueOutages(store, id, ['b.example'], { now: NOW + SECOND });
    await queueOutages(store, id, ['c.example'], { now: NOW + 2 * SECOND });
    const [killed] = await claimAt(store, NOW + 12 * SECOND);
    const later = NOW + 12 * SECOND + LEASE;
    await queueOutages(store, id, ['d.example'], { now: later - 20 * SECOND });
    // The Message-ID stays the one of the delivery about this domain, even if the domain is removed.
    await removeMonitor(store, { accountId: id, monitorId, now: later });
    const messages = await claimAt(store, later);
    expect(hostsOfEach(messages)).toEqual([['b.example', 'c.example'], ['d.example']]);
    const again = messages.find(({ others }) => others.length === 1);
    expect(again).toMatchObject({ messageId: killed?.messageId, attempt: 2 });
    expect(messages.find(({ others }) => others.length === 0)?.messageId).not.toBe(killed?.messageId);
    const late = { leaseToken: killed?.leaseToken ?? '', detail: null, now: later };
    expect(await settleDelivery(store, { ...late, outcome: 'failed' })).toBe(false);
    const retry = {
      leaseToken: again?.leaseToken ?? '',
      nextAttemptAt: later + LEASE,
      detail: '451',
      now: later,
    };
    expect(await retryDelivery(store, retry)).toBe(true);
    expect((await claimAt(store, later + LEASE)).map(hostsOf)).toContainEqual(['b.example', 'c.example']);
  });

  it('become delivered, and no others do, if a worker learns after its lease was lost that the message was accepted', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await grantPremium(store, accountId, { grant: { endsAt: null }, now: NOW });
    await queueOutages(store, accountId, ['a.example', 'b.example', 'c.example']);
    const now = NOW + 10 * SECOND + LEASE;
    const [late] = await claimAt(store, now - LEASE);
    const [again] = await claimAt(store, now);
    if (late === undefined || again === undefined) throw new Error('no message was claimed');
    const { ids, firstAttemptAt } = leaseOf(late).rows;
    const [outdated = '', ...named] = ids;
    // The first worker left out this delivery, and a person then sent it again.
    const rows = { ids: [outdated], firstAttemptAt };
    const superseded = { leaseToken: again.leaseToken, rows, detail: null, now };
    await settleDelivery(store, { ...superseded, outcome: 'superseded' });
    await replayDelivery(store, { accountId, deliveryId: outdated, now });
    const accepted = {
      leaseToken: late.leaseToken,
      rows: { ids: named, firstAttemptAt },
      detail: '250 OK',
      now,
    };
    expect(await settleDelivery(store, { ...accepted, outcome: 'delivered' })).toBe(true);
    expect(
      await settleDelivery(store, { ...accepted, leaseToken: again.leaseToken, outcome: 'delivered' }),
    ).toBe(false);
    for (const { id, state } of await rowsOf(store))
      expect(state).toBe(id === outdated ? 'waiting' : 'delivered');
  });

  it.each<[string, Problem]>([
    ['merged outages', 'down'],
    ['another problem', 'wrong_name'],
  ])(
    'stay queued if a person sends them again before a worker learns that the first message was accepted (%s)',
    async (_, problem) => {
      const store = await open();
      const { id: accountId } = await person(store, 'alice');
      await grantPremium(store, accountId, { grant: { endsAt: null }, now: NOW });
      await queueOutages(store, accountId, ['a.example', 'b.example'], { problem });
      const now = NOW + 10 * SECOND + LEASE;
      const late = await claimAt(store, now - LEASE);
      for (const { leaseToken } of await claimAt(store, now))
        await settleDelivery(store, { leaseToken, outcome: 'delivered', detail: '250 OK', now });
      for (const { id } of await rowsOf(store))
        await replayDelivery(store, { accountId, deliveryId: id, now });
      for (const message of late)
        expect(
          await settleDelivery(store, { ...leaseOf(message), outcome: 'delivered', detail: '250 OK', now }),
        ).toBe(false);
      expect((await rowsOf(store)).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
      expect(await claimAt(store, now)).toHaveLength(2);
    },
  );

  it('get a Message-ID for each message if they were held as one and are sent as two', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const route = await channel(store, id, 'webhook');
    await queueOutages(store, id, numbered(100), { route });
    const [held] = await claimAt(store, NOW + 10 * SECOND);
    if (held === undefined) throw new Error('no message was claimed');
    const until = NOW + 60 * SECOND;
    await deferDelivery(store, { ...leaseOf(held), until, detail: 'The clock is wrong.' });
    // These are due earlier. So the message that is claimed first has some of the held deliveries and some of these.
    await queueOutages(store, id, ['x.example', 'y.example'], { route, now: NOW + 20 * SECOND });
    const messages = [...(await claimAt(store, until)), ...(await claimAt(store, until))];
    expect(messages.map((one) => hostsOf(one).length).toSorted((a, b) => b - a)).toEqual([100, 2]);
    expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('are each in exactly one message when several workers claim at once', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await queueOutages(store, id, numbered(40));
    const now = NOW + 30 * SECOND;
    const messages: ClaimedDelivery[] = [];
    while (messages.reduce((sum, { others }) => sum + others.length + 1, 0) < 40) {
      const claims = await Promise.all([1, 2, 3].map(() => claimAt(store, now)));
      messages.push(...claims.flat());
    }
    const named = messages.flatMap(({ id: first, others }) => [first, ...others.map((one) => one.id)]);
    expect(named).toHaveLength(40);
    expect(new Set(named).size).toBe(40);
    expect(messages.length).toBeLessThan(10);
  });

  it('are merged neither with recoveries nor across accounts and channels, nor for PagerDuty', async () => {
    const store = await open();
    const { id: alice } = await person(store, 'alice');
    const { id: bob } = await person(store, 'bob');
    const duty = await channel(store, bob, 'pagerduty');
    const chat = await channel(store, bob, 'slack');
    const hosts = ['a.example', 'b.example'];
    const named = (name: string) => hosts.map((host) => `${name}.${host}`);
    await queueOutages(store, alice, hosts);
    await queueOutages(store, alice, named('up'), { step: 'resolved' });
    await queueOutages(store, bob, hosts);
    await queueOutages(store, bob, named('chat'), { route: chat });
    await queueOutages(store, bob, named('pages'), { route: duty });
    await queueOutages(store, bob, named('names'), { problem: 'wrong_name' });
    // Alerts that are not merged do not wait for others.
    const alone = await claimAt(store, NOW, { limit: 20 });
    expect(hostsOfEach(alone)).toEqual([
      ['names.a.example'],
      ['names.b.example'],
      ['pages.a.example'],
      ['pages.b.example'],
    ]);
    const merged = await claimAt(store, NOW + 10 * SECOND, { limit: 20 });
    expect(hostsOfEach(merged)).toEqual([hosts, hosts, named('chat'), named('up')]);
  });

  it('have at most 100 domains in one webhook, so that it names all of them', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await queueOutages(store, id, numbered(130), { route: await channel(store, id, 'webhook') });
    const sizes: number[] = [];
    for (const _ of [1, 2])
      for (const message of await claimAt(store, NOW + 30 * SECOND)) sizes.push(hostsOf(message).length);
    expect(sizes.toSorted((left, right) => left - right)).toEqual([30, 100]);
  });

  it('are not sent early with others while quiet hours hold them', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const leavesAt = NOW + 15 * SECOND;
    await queueOutages(store, id, ['quiet.example'], { step: 'resolved', route: { leavesAt } });
    await queueOutages(store, id, ['b.example'], { step: 'resolved' });
    expect((await claimAt(store, NOW + 10 * SECOND)).map(hostsOf)).toEqual([['b.example']]);
    expect((await claimAt(store, NOW + 31 * SECOND)).map(hostsOf)).toEqual([['quiet.example']]);
  });

  it('are sent alone with an id of their own when a person sends one again', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await grantPremium(store, id, { grant: { endsAt: null }, now: NOW });
    await queueOutages(store, id, ['a.example', 'b.example', 'c.example']);
    const [message] = await claimAt(store, NOW + 10 * SECOND);
    const { leaseToken = '', messageId, others = [] } = message ?? {};
    await settleDelivery(store, { leaseToken, outcome: 'failed', detail: '550', now: NOW });
    await queueOutages(store, id, ['d.example'], { now: NOW + 20 * SECOND });
    const deliveryId = others[0]?.id ?? '';
    const accountId = id;
    await replayDelivery(store, { accountId, deliveryId, now: NOW + 21 * SECOND });
    await sendTest(store, { accountId, channelKey: 'email', now: NOW + 21 * SECOND });
    const again = await claimAt(store, NOW + 21 * SECOND);
    expect(again.map(({ others: more }) => more)).toEqual([[], []]);
    const replayed = again.find(({ id: one }) => one === deliveryId);
    expect(replayed?.messageId).toContain(deliveryId);
    expect(replayed?.messageId).not.toBe(messageId);
  });

  it('all fail when their mail bounces', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await queueOutages(store, id, ['a.example', 'b.example']);
    const [message] = await claimAt(store, NOW + 10 * SECOND);
    const { leaseToken = '', messageId = '' } = message ?? {};
    await settleDelivery(store, { leaseToken, outcome: 'delivered', detail: '250', now: NOW });
    const mail = await findBouncedMail(store, messageId.slice(1, messageId.indexOf('@')));
    if (mail === null) throw new Error('the mail was not found');
    await recordBounce(store, { mail, detail: '5.1.1', isPermanent: false, now: NOW + DAY / 24 });
    expect((await rowsOf(store)).map(({ state }) => state)).toEqual(['failed', 'failed']);
    const due = await store.db.selectFrom('monitors').select('next_check_at').execute();
    for (const { next_check_at: at } of due) expect(at).toBeLessThanOrEqual(NOW + DAY / 24);
  });
});

describeEachDatabase('the queue of deliveries', (open) => {
  it('sends the first alert of an account before the fourth alert of an account with hundreds', async () => {
    const store = await open();
    const { id: alice } = await person(store, 'alice');
    const { id: bob } = await person(store, 'bob');
    await queueOutages(store, alice, numbered(60), { problem: 'wrong_name' });
    await queueOutages(store, bob, ['bob.example'], { problem: 'wrong_name', now: NOW + SECOND });
    const claimed = await claimAt(store, NOW + SECOND);
    expect(claimed.map(({ account }) => account.email)).toContain('bob@example.com');
    expect(claimed).toHaveLength(claim.limit);
    promise('queues');
  });
});
