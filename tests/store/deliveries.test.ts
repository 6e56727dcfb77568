import { expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../server/store/alerts/claimed-delivery.ts';
import {
  claimDueDeliveries,
  deferDelivery,
  oldestDueTimes,
  retryDelivery,
  settleDelivery,
} from '../../server/store/alerts/deliveries.ts';
import { removeChannel } from '../../server/store/alerts/channel-changes.ts';
import { knownIncidents } from '../../server/store/alerts/monitor-incidents.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import { HELD_BY_QUOTA, releaseHeldMail } from '../../server/store/mail/mail-quota.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { MAX_UNANSWERED_CLAIMS } from '../../server/store/mail/outbox.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  type SampleCertificate,
  watch,
} from './samples.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const LEASE = 60_000;
const claim = { now: NOW, limit: 10, leaseMs: LEASE, claimedBy: 'a worker' };

describeEachDatabase('deliveries', (open) => {
  it('are claimed with everything that a message needs', async () => {
    const store = await open();
    const { leaf, accountId, monitorId } = await queueAlert(store);
    expect(await claimDueDeliveries(store, claim)).toEqual([
      {
        id: expect.any(String),
        leaseToken: expect.any(String),
        attempt: 1,
        channel: { key: 'email', kind: 'email', name: '', config: null, isClosed: false },
        messageId: expect.any(String),
        firstAttemptAt: NOW,
        createdAt: NOW,
        alert: {
          id: expect.any(String),
          incidentId: expect.any(String),
          kind: 'expiry',
          step: 'critical',
          severity: 'critical',
          createdAt: NOW,
          fingerprint: leaf.facts.fingerprint,
          facts: expect.objectContaining({
            certificate: expect.objectContaining({ fingerprint: leaf.facts.fingerprint }),
            asOf: NOW,
          }),
        },
        account: expect.objectContaining({ id: accountId, email: 'alice@example.com' }),
        monitor: { id: monitorId, host: 'www.example.org', port: 443, lastCheckedAt: NOW },
        certificate: leaf.facts,
        revoked: null,
        superseded: false,
        unsubscribed: false,
        others: [],
      },
    ]);
  });

  it('are leased to one worker at a time, and each claim counts as an attempt', async () => {
    const store = await open();
    await queueAlert(store);
    const first = await claimOne(store, NOW);
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + LEASE - 1 })).toEqual([]);
    const second = await claimOne(store, NOW + LEASE);
    expect(second).toMatchObject({
      id: first.id,
      attempt: 2,
      messageId: first.messageId,
      firstAttemptAt: NOW,
    });

    // The late worker of the first attempt can no longer settle the delivery.
    const late = { leaseToken: first.leaseToken, now: NOW + LEASE + 1, detail: null };
    expect(await settleDelivery(store, { ...late, outcome: 'failed' })).toBe(false);
    expect(await retryDelivery(store, { ...late, nextAttemptAt: NOW })).toBe(false);
    expect(
      await settleDelivery(store, { ...late, leaseToken: second.leaseToken, outcome: 'delivered' }),
    ).toBe(true);
    expect(await attempts(store)).toEqual([null, 'delivered']);
  });

  it('are settled only once', async () => {
    const store = await open();
    await queueAlert(store);
    const { leaseToken } = await claimOne(store, NOW);
    const settled = { leaseToken, now: NOW + 1, outcome: 'delivered' as const, detail: '250 OK' };
    expect(await settleDelivery(store, settled)).toBe(true);
    expect(await settleDelivery(store, settled)).toBe(false);
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + 9 * DAY })).toEqual([]);
    expect(await store.db.selectFrom('deliveries').selectAll().execute()).toMatchObject([
      { state: 'delivered', settled_at: NOW + 1, detail: '250 OK', lease_token: null },
    ]);
  });

  it('become due again at the time of their retry', async () => {
    const store = await open();
    await queueAlert(store);
    const { id, leaseToken } = await claimOne(store, NOW);
    await retryDelivery(store, {
      leaseToken,
      nextAttemptAt: NOW + MINUTE,
      now: NOW,
      detail: '451 Later',
    });
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + MINUTE - 1 })).toEqual([]);
    expect(await claimOne(store, NOW + MINUTE)).toMatchObject({ id, attempt: 2 });
    expect(await attempts(store)).toEqual(['retry', null]);
  });

  it('fail after too many claims without a report from the worker, and make their monitor due', async () => {
    const store = await open();
    const { monitorId } = await queueAlert(store);
    const topics: string[] = [];
    store.signals.subscribe(({ topic }) => void topics.push(topic));
    let now = NOW;
    for (let count = 0; count < MAX_UNANSWERED_CLAIMS; count++, now += LEASE) await claimOne(store, now);
    expect(await claimDueDeliveries(store, { ...claim, now })).toEqual([]);
    expect(await store.db.selectFrom('deliveries').selectAll().execute()).toMatchObject([
      { state: 'failed', settled_at: now, detail: expect.stringContaining('We gave up') },
    ]);
    // The monitor is due. Its next check sends the alert on channels that still work.
    expect(await claimDue(store, { ...claim, now })).toMatchObject([{ id: monitorId }]);
    expect(topics).toEqual(['due']);
  });

  it('may be retried any number of times by workers that report back', async () => {
    const store = await open();
    await queueAlert(store);
    for (let count = 0; count <= MAX_UNANSWERED_CLAIMS; count++) {
      const { leaseToken } = await claimOne(store, NOW);
      await retryDelivery(store, { leaseToken, nextAttemptAt: NOW, now: NOW, detail: null });
    }
    expect(await claimOne(store, NOW)).toMatchObject({ attempt: MAX_UNANSWERED_CLAIMS + 2 });
  });

  it('are superseded by the next alert step and by a confirmed renewal, but not by an unreachable host', async () => {
    const store = await open();
    const { leaf } = await queueAlert(store);
    await check(store, NOW + DAY, []);
    expect(await supersededFlags(store, NOW + DAY)).toEqual([false]);
    // No worker holds the first delivery, so it is superseded at once.
    await check(store, NOW + 2 * DAY, [leaf]);
    expect(await supersededFlags(store, NOW + 2 * DAY)).toEqual([false]);
    expect(await states(store)).toEqual(['superseded', 'waiting']);
    const renewed = certificate();
    // The first two checks may have reached another server of the host. A third one, at least 90 s after the first, confirms
    // the renewal.
    for (const now of [NOW + 3 * DAY, NOW + 3 * DAY + MINUTE]) {
      await check(store, now, [renewed], { nextCheckAt: now + MINUTE });
      expect(await supersededFlags(store, now)).toEqual([false]);
    }
    await check(store, NOW + 3 * DAY + 2 * MINUTE, [renewed]);
    expect(await states(store)).toEqual(['superseded', 'superseded']);
  });

  it('become due again when the old certificate returns after they were superseded', async () => {
    const store = await open();
    const { leaf } = await queueAlert(store);
    const { id, leaseToken, messageId } = await claimOne(store, NOW);
    await settleDelivery(store, { leaseToken, now: NOW, outcome: 'superseded', detail: null });

    await check(store, NOW + DAY, [leaf], { nextCheckAt: NOW + DAY + MINUTE });
    const again = await claimOne(store, NOW + DAY);
    expect(again).toMatchObject({ id, messageId, attempt: 2, createdAt: NOW + DAY, superseded: false });
    expect(again.alert.facts.asOf).toBe(NOW + DAY);
    await settleDelivery(store, { ...again, now: NOW + DAY, outcome: 'delivered', detail: null });

    // The alert was delivered, so it is not queued again.
    await check(store, NOW + DAY + MINUTE, [leaf]);
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + 9 * DAY })).toEqual([]);
  });

  it('keep their order when the clock is set back between two of them', async () => {
    const store = await open();
    const { leaf } = await queueAlert(store);
    const { leaseToken } = await claimOne(store, NOW);
    await settleDelivery(store, { leaseToken, now: NOW, outcome: 'delivered', detail: null });
    // The clock was two days ahead at the first delivery and is right again before the second.
    await store.db
      .updateTable('deliveries')
      .set({ created_at: NOW + 4 * DAY })
      .execute();
    await check(store, NOW + 2 * DAY, [leaf]);
    expect(await claimOne(store, NOW + 2 * DAY)).toMatchObject({
      alert: { step: 'three_days' },
      createdAt: NOW + 4 * DAY + 1,
      superseded: false,
    });
  });

  it('are queued for the right alert step once a clock that ran ahead is corrected', async () => {
    const store = await open();
    const { leaf, accountId, monitorId } = await queueAlert(store);
    const claimed = await claimOne(store, NOW);
    await settleDelivery(store, { ...claimed, now: NOW, outcome: 'delivered', detail: null });
    const wrong = NOW + 400 * DAY;
    await check(store, wrong, [leaf]);
    expect(await states(store)).toEqual(['delivered', 'waiting']);

    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW + 2 * DAY })
      .execute();
    await check(store, NOW + 2 * DAY, [leaf]);
    expect(await knownIncidents(store.db, { accountId, monitorId, now: NOW + 2 * DAY })).toMatchObject([
      { problem: 'expiry', notifiedSteps: ['critical', 'three_days'] },
    ]);
    expect(await claimOne(store, NOW + 2 * DAY)).toMatchObject({ alert: { step: 'three_days' } });
  });

  it('deliveries over HTTP are limited per account, and to one at a time for a failing receiver', async () => {
    const store = await open();
    for (const name of ['alice', 'bob']) {
      const { id: accountId } = await person(store, name);
      const channelId = await withWebhook(store, accountId);
      for (let host = 0; host < 12; host++) {
        await watch(store, accountId, `host${host}.${name}.example`);
        await check(store, NOW, [endingSoon()]);
      }
      await store.db
        .updateTable('deliveries')
        .set({ channel: 'webhook', channel_key: channelId, channel_id: channelId })
        .where('account_id', '=', accountId)
        .execute();
    }
    const few = { ...claim, by: 'http' as const, limit: 4 };
    let taken: string[] = [];
    for (let some = await claimDueDeliveries(store, few); some.length > 0;)
      [taken, some] = [
        [...taken, ...some.map(({ account }) => account.email)],
        await claimDueDeliveries(store, few),
      ];
    for (const email of ['alice@example.com', 'bob@example.com']) {
      const underWay = taken.filter((one) => one === email).length;
      // A claim takes up to four deliveries, so the last claim may have started with seven under way.
      expect([underWay >= 8, underWay < 12]).toEqual([true, true]);
    }

    // After the leases expire, a receiver that has failed gets one message at a time.
    await store.db.updateTable('channels').set({ failing_since: NOW }).execute();
    const later = { ...few, now: NOW + LEASE, limit: 1 };
    expect(await claimDueDeliveries(store, later)).toHaveLength(1);
    expect(await claimDueDeliveries(store, later)).toHaveLength(1);
    expect(await claimDueDeliveries(store, later)).toHaveLength(0);
  });

  it('publish an account signal when their receiver answers that it is gone (HTTP 410)', async () => {
    const store = await open();
    const { accountId } = await queueAlert(store);
    const channelId = await withWebhook(store, accountId);
    await store.db
      .updateTable('deliveries')
      .set({ channel: 'webhook', channel_key: channelId, channel_id: channelId })
      .execute();
    const { leaseToken } = await claimOne(store, NOW);
    const topics: string[] = [];
    store.signals.subscribe(({ topic }) => void topics.push(topic));
    const because = { gone: true } as const;
    await settleDelivery(store, { leaseToken, because, now: NOW, outcome: 'failed', detail: 'HTTP 410' });
    expect(topics).toContain('account');
  });

  it('are superseded when their channel is removed, and the monitor is checked at once', async () => {
    const store = await open();
    const { accountId, monitorId } = await queueAlert(store);
    const [waiting] = await store.db.selectFrom('deliveries').select('id').execute();
    const channelId = await withWebhook(store, accountId);
    await store.db
      .updateTable('deliveries')
      .set({ channel: 'webhook', channel_key: channelId, channel_id: channelId })
      .execute();
    expect(await removeChannel(store, { accountId, channelId, now: NOW + MINUTE })).toBe(true);
    expect(await states(store)).toEqual(['superseded']);
    const [monitor] = await claimDue(store, { ...claim, now: NOW + MINUTE });
    expect(monitor).toMatchObject({ id: monitorId });
    expect(await knownIncidents(store.db, { accountId, monitorId, now: NOW + MINUTE })).toMatchObject([
      { notifiedSteps: [] },
    ]);
    expect(await store.db.selectFrom('deliveries').select(['id', 'channel_id']).execute()).toEqual([
      { id: waiting?.id, channel_id: null },
    ]);
  });

  it('are marked as unsubscribed at the next attempt if the person unsubscribed meanwhile', async () => {
    const store = await open();
    const { accountId, monitorId } = await queueAlert(store);
    const { id, leaseToken } = await claimOne(store, NOW);
    await setUnsubscribed(
      store,
      { accountId, channelKey: 'email', monitorId },
      { choice: 'domain', now: NOW },
    );
    // The attempt that was running when the person unsubscribed may end. The retry comes after it, so it is marked.
    await retryDelivery(store, { leaseToken, nextAttemptAt: NOW + MINUTE, now: NOW, detail: null });
    expect(await claimOne(store, NOW + MINUTE)).toMatchObject({ id, unsubscribed: true });
  });

  it('deliveries that wait for the end of quiet hours keep waiting when the address is verified', async () => {
    const store = await open();
    const { accountId } = await queueAlert(store);
    await store.db
      .updateTable('deliveries')
      .set({ next_attempt_at: NOW + DAY })
      .execute();
    await store.db.transaction().execute((trx) => releaseHeldMail(trx, accountId));
    expect(await claimDueDeliveries(store, claim)).toEqual([]);
    const { id, leaseToken } = await claimOne(store, NOW + DAY);
    await deferDelivery(store, { leaseToken, until: NOW + 2 * DAY, detail: HELD_BY_QUOTA });
    await store.db.transaction().execute((trx) => releaseHeldMail(trx, accountId));
    expect(await claimOne(store, NOW + DAY)).toMatchObject({ id });
  });

  it('are removed with their monitor', async () => {
    const store = await open();
    const { accountId, monitorId } = await queueAlert(store);
    const { leaseToken } = await claimOne(store, NOW);
    await removeMonitor(store, { accountId, monitorId, now: NOW });
    expect(await settleDelivery(store, { leaseToken, now: NOW, outcome: 'delivered', detail: null })).toBe(
      false,
    );
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + DAY })).toEqual([]);
  });

  it('the oldest due delivery and the oldest due check are found, each with its time', async () => {
    const store = await open();
    expect(await oldestDueTimes(store, NOW)).toEqual({ checkAt: null, deliveryAt: null });
    await queueAlert(store);
    expect(await oldestDueTimes(store, NOW - 1)).toEqual({ checkAt: null, deliveryAt: null });
    expect(await oldestDueTimes(store, NOW + 2 * DAY)).toEqual({ checkAt: NOW + DAY, deliveryAt: NOW });
  });
});

/** Creates Alice's monitor and records a check that queues one expiry alert. */
async function queueAlert(
  store: Store,
): Promise<{ leaf: SampleCertificate; accountId: string; monitorId: string }> {
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, 'www.example.org');
  const leaf = endingSoon();
  await check(store, NOW, [leaf]);
  return { leaf, accountId, monitorId };
}

async function withWebhook(store: Store, accountId: string): Promise<string> {
  const id = crypto.randomUUID();
  await store.db
    .insertInto('channels')
    .values({
      id,
      account_id: accountId,
      kind: 'webhook',
      name: 'Hook',
      created_at: NOW,
      confirmed_at: NOW,
      config: JSON.stringify({ kind: 'webhook', url: 'https://hooks.example/', secrets: [] }),
    })
    .execute();
  return id;
}

async function claimOne(store: Store, now: number): Promise<ClaimedDelivery> {
  const [claimed] = await claimDueDeliveries(store, { ...claim, now, limit: 1 });
  if (!claimed) throw new Error('Nothing was due');
  return claimed;
}

/** Claims the due deliveries, requeues them, and returns which of them were superseded, oldest first. */
async function supersededFlags(store: Store, now: number): Promise<boolean[]> {
  const claimed = await claimDueDeliveries(store, { ...claim, now });
  for (const { leaseToken } of claimed)
    await retryDelivery(store, { leaseToken, nextAttemptAt: now, now, detail: null });
  return claimed.toSorted((a, b) => a.createdAt - b.createdAt).map((delivery) => delivery.superseded);
}

async function states(store: Store): Promise<string[]> {
  const rows = await store.db.selectFrom('deliveries').select('state').orderBy('created_at').execute();
  return rows.map(({ state }) => state);
}

async function attempts(store: Store): Promise<(string | null)[]> {
  const rows = await store.db.selectFrom('delivery_attempts').select('outcome').orderBy('attempt').execute();
  return rows.map(({ outcome }) => outcome);
}
