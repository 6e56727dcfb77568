import { describe, expect, it } from 'vitest';
import type { AlertSettings } from '../../server/core/alerting/settings.ts';
import { displayName } from '../../server/core/endpoint.ts';
import { writeTarget } from '../../server/core/target.ts';
import { alertedDomains } from '../../server/store/alerts/shared-incidents.ts';
import { changeMonitorAlerts } from '../../server/store/alerts/alert-settings.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { changeIncident } from '../../server/store/alerts/monitor-incidents.ts';
import { pruneHistory } from '../../server/store/checks/retention.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  DAY,
  MINUTE,
  NOW,
  recordCheck,
  type SampleCertificate,
  watch,
} from './samples.ts';
import {
  createCertificateWorld,
  HOSTS,
  lastIncident,
  RENEWED_WILDCARD,
  WILDCARD,
} from './certificate-world.ts';

const LEAVE = { removed: removeMonitor, paused: pauseMonitor };

async function addChannel({ db }: Store, accountId: string, id: string) {
  const channel = { id, account_id: accountId, kind: 'slack' as const, name: id, config: '{}' };
  const times = { created_at: NOW, confirmed_at: NOW };
  await db
    .insertInto('channels')
    .values({ ...channel, ...times })
    .execute();
}

describeEachDatabase('a certificate that expires on several domains', (open) => {
  it('is reported once per step with all domains that serve it, even those that are checked later', async () => {
    const store = await open();
    const { see, queued, named, deliverAll } = await createCertificateWorld(store);
    // All hosts serve the certificate before its first step.
    const early = { ...WILDCARD, facts: { ...WILDCARD.facts, notAfter: NOW + 80 * DAY } };
    for (const host of HOSTS) await see(host, NOW - MINUTE, early);
    await see('b', NOW, WILDCARD);
    expect(await queued()).toEqual(['expiry critical']);
    expect(await named(NOW)).toEqual(['abc', 0]);
    await deliverAll(NOW);
    await see('a', NOW + 60 * MINUTE, WILDCARD);
    await see('c', NOW + 180 * MINUTE, WILDCARD);
    expect(await queued()).toEqual(['expiry critical delivered']);
    for (const host of HOSTS) await see(host, NOW + 2 * DAY + MINUTE, WILDCARD);
    expect(await queued()).toEqual(['expiry critical delivered', 'expiry three_days']);
  });

  it('is reported with the targets of domains that share a host', async () => {
    const store = await open();
    const { accountId, ids, see } = await createCertificateWorld(store);
    const backend = { host: 'a.shop.example', target: writeTarget({ connect_to: '10.0.0.7' }) };
    await store.db.updateTable('monitors').set(backend).where('id', '=', ids.b).execute();
    for (const host of HOSTS) await see(host, NOW);
    const about = { accountId, problem: 'expiry' as const, fingerprint: WILDCARD.facts.fingerprint };
    const incidentId = await lastIncident(store, about.problem);
    const request = { ...about, incidentId, step: 'critical' as const, channelKey: 'email', now: NOW };
    const { domains } = await alertedDomains(store, request);
    expect(domains.map(displayName)).toEqual([
      'a.shop.example',
      'a.shop.example via 10.0.0.7',
      'c.shop.example',
    ]);
  });

  it('can be acknowledged after the domain that began the incident was removed', async () => {
    const store = await open();
    const { accountId, ids, see, renew } = await createCertificateWorld(store);
    for (const host of HOSTS) await see(host, NOW);
    const incidentId = await lastIncident(store, 'expiry');
    await renew('b', NOW + MINUTE);
    await removeMonitor(store, { accountId, monitorId: ids.a, now: NOW + 5 * MINUTE });
    const change = { acknowledged: true };
    const changed = await changeIncident(store, { accountId, incidentId, change, now: NOW + 6 * MINUTE });
    expect(changed).toMatchObject({ monitorId: ids.c, endedAt: null });
  });

  it('is resolved when its last domain is renewed; until then, alerts name only the domains that are left', async () => {
    const store = await open();
    const { see, renew, queued: allQueued, named, deliverAll } = await createCertificateWorld(store);
    const queued = async () => (await allQueued()).filter((one) => one.startsWith('expiry'));
    for (const host of HOSTS) await see(host, NOW);
    await deliverAll(NOW);
    await renew('a', NOW + 60 * MINUTE);
    await renew('c', NOW + 90 * MINUTE);
    expect(await queued()).toEqual(['expiry critical delivered']);
    expect(await named(NOW + 120 * MINUTE)).toEqual(['b', 2]);
    await see('b', NOW + 2 * DAY + MINUTE);
    expect(await queued()).toEqual(['expiry critical delivered', 'expiry three_days']);
    await deliverAll(NOW + 2 * DAY + MINUTE);
    await renew('b', NOW + 2 * DAY + 60 * MINUTE);
    expect((await queued()).at(-1)).toBe('expiry resolved');
    expect(await named(NOW + 3 * DAY, 'resolved')).toEqual(['abc', 0]);
  });

  it.each(['removed', 'paused'] as const)('is resolved when the last domain with it is %s', async (how) => {
    const store = await open();
    const { accountId, ids, see, renew, queued, deliverAll } = await createCertificateWorld(store);
    for (const host of HOSTS) await see(host, NOW);
    await deliverAll(NOW);
    for (const host of ['a', 'b'] as const) await renew(host, NOW + 60 * MINUTE);
    expect(await queued()).toEqual(['expiry critical delivered']);
    const now = NOW + 120 * MINUTE;
    await LEAVE[how](store, { accountId, monitorId: ids.c, now });
    await check(store, now, [RENEWED_WILDCARD]);
    expect(await queued()).toEqual(['expiry critical delivered', 'expiry resolved']);
  });

  it('is reported again if it returns after its end was reported, even if its first domain is paused and still has it', async () => {
    const store = await open();
    const { accountId, ids, see, renew, queued, deliverAll } = await createCertificateWorld(store);
    await see('a', NOW);
    await see('b', NOW + MINUTE);
    await deliverAll(NOW + MINUTE);
    await pauseMonitor(store, { accountId, monitorId: ids.a, now: NOW + 2 * MINUTE });
    await renew('b', NOW + 3 * MINUTE);
    const before = await queued();
    await see('c', NOW + 10 * MINUTE);
    expect(await queued()).toEqual([...before, 'expiry critical']);
  });

  it('is reported once on each channel, and at each step, that any of its domains uses', async () => {
    const store = await open();
    const { accountId, ids, see, queued } = await createCertificateWorld(store);
    const choose = (host: (typeof HOSTS)[number], own: Partial<AlertSettings>) =>
      changeMonitorAlerts(store, { accountId, monitorId: ids[host] }, own, NOW);
    for (const id of ['ops', 'web']) await addChannel(store, accountId, id);
    for (const host of HOSTS) await see(host, NOW - 3 * DAY);
    await store.db.deleteFrom('alerts').execute();
    await store.db.deleteFrom('incidents').execute();
    await choose('a', { channels: ['email', 'ops'] });
    await choose('b', { channels: ['ops'] });
    await choose('c', { channels: ['web'], steps: ['2d'] });
    await see('b', NOW);
    expect(await queued()).toEqual(['expiry critical', 'expiry critical ops', 'expiry critical web']);
    await see('a', NOW + MINUTE);
    await see('c', NOW + 2 * MINUTE);
    expect(await queued()).toHaveLength(3);
    await see('c', NOW + 3 * DAY + MINUTE);
    expect((await queued()).filter((one) => one.startsWith('expiry 2d'))).toHaveLength(3);
  });

  it('is reported without the domains that are in maintenance, paused or unsubscribed', async () => {
    const store = await open();
    const { accountId, ids, see, named } = await createCertificateWorld(store);
    for (const host of HOSTS) await see(host, NOW);
    expect(await named(NOW)).toEqual(['abc', 0]);
    const window = { startsAt: NOW - 1, endsAt: NOW + 60 * MINUTE, repeats: 'never' as const };
    await addMaintenance(store, { accountId, monitorId: ids.b, window, note: '', max: 9, now: NOW });
    expect(await named(NOW)).toEqual(['ac', 0]);
    expect(await named(NOW + 61 * MINUTE)).toEqual(['abc', 0]);
    await pauseMonitor(store, { accountId, monitorId: ids.a, now: NOW });
    expect(await named(NOW + 61 * MINUTE)).toEqual(['bc', 0]);
    await store.db
      .insertInto('unsubscriptions')
      .values({ id: 'u', account_id: accountId, channel_key: 'email', monitor_id: ids.c, created_at: NOW })
      .execute();
    expect(await named(NOW + 61 * MINUTE)).toEqual(['b', 0]);
  });

  it('is acknowledged for all its domains at once', async () => {
    const store = await open();
    const { accountId, see, queued, deliverAll, incidentOf } = await createCertificateWorld(store);
    for (const host of HOSTS) await see(host, NOW);
    await deliverAll(NOW);
    const { id } = await incidentOf('b', NOW);
    await changeIncident(store, {
      accountId,
      incidentId: id,
      change: { acknowledged: true },
      now: NOW + MINUTE,
    });
    for (const host of HOSTS) {
      expect(await incidentOf(host, NOW)).toMatchObject({ acknowledgedAt: NOW + MINUTE });
      await see(host, NOW + 2 * DAY + MINUTE);
    }
    expect(await queued()).toEqual(['expiry critical delivered']);
  });

  it('is not reported again after the domain of the first alert is removed, and waiting alerts are still sent', async () => {
    const store = await open();
    const { accountId, ids, see, renew, queued, deliverAll } = await createCertificateWorld(store);
    await see('a', NOW);
    for (const host of ['b', 'c'] as const) await see(host, NOW + MINUTE);
    await removeMonitor(store, { accountId, monitorId: ids.a, now: NOW });
    expect(await queued()).toEqual(['expiry critical']);
    await deliverAll(NOW);
    await removeMonitor(store, { accountId, monitorId: ids.b, now: NOW });
    await see('c', NOW + 60 * MINUTE);
    expect(await queued()).toEqual(['expiry critical delivered']);
    await renew('c', NOW + 120 * MINUTE);
    expect(await queued()).toEqual(['expiry critical delivered', 'expiry resolved']);
  });

  it('is not reported again even if its first incident ended 800 days ago, after which incidents are usually deleted', async () => {
    const store = await open();
    const { see, renew, queued, deliverAll } = await createCertificateWorld(store);
    for (const host of HOSTS) await see(host, NOW);
    await deliverAll(NOW);
    for (const host of ['a', 'b'] as const) await renew(host, NOW + 60 * MINUTE);
    await see('c', NOW + 6 * DAY);
    await deliverAll(NOW + 6 * DAY);
    const before = await queued();
    const later = NOW + 800 * DAY;
    await pruneHistory(store, later);
    await see('c', later);
    expect(await queued()).toEqual(before);
  });
});

describe.skipIf(!hasDatabase('postgres'))('several workers that check one certificate (postgres)', () => {
  it('report its expiry once and its renewal once', async () => {
    const database = await freshDatabase('postgres');
    try {
      const stores = await Promise.all([1, 2, 3].map(() => database.open()));
      const [store] = stores as [Store];
      const { accountId, queued, deliverAll } = await createCertificateWorld(store);
      for (let index = 0; index < 20; index++) await watch(store, accountId, `${index}.shop.example`);
      const checkAll = async (now: number, leaf: SampleCertificate) => {
        await store.db.updateTable('monitors').set({ next_check_at: now }).execute();
        const claimed = await claimDue(store, { now, limit: 100, leaseMs: 30_000, claimedBy: 'test' });
        expect(claimed).toHaveLength(23);
        await Promise.all(
          claimed.map((one, index) => recordCheck(stores[index % 3] ?? store, checkOf(one, now, [leaf]))),
        );
      };
      await checkAll(NOW, WILDCARD);
      expect(await queued()).toEqual(['expiry critical']);
      await deliverAll(NOW);
      await checkAll(NOW + 60 * MINUTE, RENEWED_WILDCARD);
      await checkAll(NOW + 62 * MINUTE, RENEWED_WILDCARD);
      expect(await queued()).toEqual(['expiry critical delivered', 'expiry resolved']);
    } finally {
      await database.remove();
    }
  });
});

describeEachDatabase('a certificate that was renewed on one of its domains', (open) => {
  const old = certificate({ subject: '*.shop.example', sans: ['*.shop.example'] });
  async function renewedOn(store: Store, host: 'a') {
    const all = await createCertificateWorld(store);
    for (const each of HOSTS) await all.see(each, NOW, old);
    await all.see(host, NOW + DAY, RENEWED_WILDCARD);
    return {
      ...all,
      alerts: async () => (await all.queued()).filter((one) => one.startsWith('not_deployed')),
    };
  }

  it('leads to one alert a day later that names the domains with the old certificate, and to another when none is left', async () => {
    const store = await open();
    const { accountId, ids, see, alerts, deliverAll } = await renewedOn(store, 'a');
    const due = await store.db.selectFrom('monitors').select(['id', 'next_check_at as at']).execute();
    for (const { id, at } of due) if (id !== ids.a) expect(at).toBeLessThanOrEqual(NOW + 2 * DAY);
    await see('b', NOW + DAY + 60 * MINUTE, old);
    expect(await alerts()).toEqual([]);
    await see('b', NOW + 2 * DAY, old);
    await see('c', NOW + 2 * DAY, old);
    expect(await alerts()).toEqual(['not_deployed opened']);
    const about = {
      accountId,
      problem: 'not_deployed' as const,
      fingerprint: RENEWED_WILDCARD.facts.fingerprint,
    };
    const group = await alertedDomains(store, {
      ...about,
      incidentId: await lastIncident(store, about.problem),
      step: 'opened',
      channelKey: 'email',
      now: NOW + 2 * DAY,
    });
    expect([group.domains.map(({ host }) => host), group.fixedCount]).toEqual([
      ['b.shop.example', 'c.shop.example'],
      1,
    ]);
    await deliverAll(NOW + 2 * DAY);
    for (const host of ['b', 'c'] as const)
      for (const minutes of [0, 2]) await see(host, NOW + 3 * DAY + minutes * MINUTE, RENEWED_WILDCARD);
    expect(await alerts()).toEqual(['not_deployed opened delivered', 'not_deployed resolved']);
  });

  it('leads to no alert if the other domains follow within a day or the first one is reverted', async () => {
    const store = await open();
    const { see, alerts } = await renewedOn(store, 'a');
    for (const host of ['b', 'c'] as const) await see(host, NOW + DAY + 60 * MINUTE, RENEWED_WILDCARD);
    for (const host of HOSTS) await see(host, NOW + 3 * DAY, RENEWED_WILDCARD);
    expect(await alerts()).toEqual([]);
    const other = await open();
    const undone = await renewedOn(other, 'a');
    await undone.see('a', NOW + DAY + 60 * MINUTE, old);
    for (const host of HOSTS) await undone.see(host, NOW + 3 * DAY, old);
    expect(await undone.alerts()).toEqual([]);
    const left = await other.db
      .selectFrom('incident_members')
      .select('problem')
      .where('ended_at', 'is', null)
      .where('problem', '=', 'not_deployed')
      .execute();
    expect(left).toEqual([]);
  });

  it('leads to no alert if the new certificate has other names, because that is not a renewal', async () => {
    const store = await open();
    const { see } = await createCertificateWorld(store);
    await see('a', NOW, old);
    await see('b', NOW, old);
    await see('c', NOW, certificate({ sans: ['c.shop.example'] }));
    await see('a', NOW + DAY, certificate({ sans: ['a.shop.example'], notBefore: NOW }));
    const problems = () =>
      store.db.selectFrom('incident_members').select(['problem', 'monitor_id']).execute();
    expect((await problems()).filter(({ problem }) => problem === 'not_deployed')).toEqual([]);
  });
});

describeEachDatabase('a domain registration that expires soon', (open) => {
  it('is reported once for all hosts under the registered domain', async () => {
    const store = await open();
    const { ids, queued, see } = await createCertificateWorld(store);
    const expiresAt = NOW + 20 * DAY;
    const registration = { outcome: 'expires' as const, domain: 'shop.example', expiresAt, registrar: null };
    for (const host of HOSTS) await see(host, NOW, RENEWED_WILDCARD, { registration });
    expect(await queued()).toEqual(['registration 30d']);
    const incidents = await store.db
      .selectFrom('incident_members')
      .select(['monitor_id', 'incident_id'])
      .execute();
    expect(incidents.map(({ monitor_id: id }) => id).toSorted()).toEqual(Object.values(ids).toSorted());
    expect(new Set(incidents.map(({ incident_id: id }) => id)).size).toBe(1);
  });
});
