import { expect, it } from 'vitest';
import { certificateDers, pruneOrphanCertificates } from '../../server/store/checks/certificates.ts';
import { findMonitor, removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { alternateChain, postureAt } from '../kit/product/observation.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  recordCheck,
  watch,
} from './samples.ts';
import { certificateHistory } from '../../server/store/checks/certificate-history.ts';

describeEachDatabase('recording a check', (open) => {
  it('stores the certificate, the verdict and the time of the next check', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const [leaf, intermediate] = [certificate(), certificate({ subject: 'R10' })];
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));
    await check(store, NOW, [leaf, intermediate], { nextCheckAt: NOW + 15 * MINUTE });

    expect(await findMonitor(store, key)).toMatchObject({
      certificate: leaf.facts,
      verdict: { reached: true, leafFingerprint: leaf.facts.fingerprint },
      lastCheckedAt: NOW,
      nextCheckAt: NOW + 15 * MINUTE,
      unreachableSince: null,
      checking: false,
    });
    expect(await certificateDers(store, [leaf.facts.fingerprint])).toEqual([leaf.der]);
    expect(await certificateDers(store, [intermediate.facts.fingerprint])).toEqual([intermediate.der]);
    expect(await certificateDers(store, ['unknown'])).toBeNull();
    expect(signals).toEqual([{ topic: 'domain', ...key, change: 'changed' }, { topic: 'icons' }]);
  });

  it('stores the evidence with fingerprints instead of DER', async () => {
    const store = await open();
    await createMonitor(store);
    const leaf = certificate();
    await check(store, NOW, [leaf]);
    const { observation, ...row } = await store.db
      .selectFrom('evidence')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ first_seen_at: NOW });
    expect(JSON.parse(observation)).toMatchObject({
      endpoint: { host: 'www.example.org', port: 443 },
      addresses: [{ outcome: 'handshake', presentedChain: [leaf.facts.fingerprint] }],
    });
  });

  it('stores fetched intermediates and the leaf of another key type, but does not add them to the history', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const [leaf, fetched, other] = [certificate(), certificate(), certificate()];
    const claimed = await claimOne(store, NOW);
    const made = checkOf(claimed, NOW, [leaf]);
    const [address] = made.observation.addresses;
    if (address?.outcome !== 'handshake') throw new Error('It has no chain');
    const observation = {
      ...made.observation,
      addresses: [{ ...address, staple: new Uint8Array(70) }],
      authorities: [{ der: fetched.der, source: 'fetched' as const, url: 'http://ca.example/i.der' }],
      posture: postureAt(NOW, { alternates: [alternateChain('rsa', [other.der])] }),
    };
    await recordCheck(store, { ...made, observation, certificates: [leaf, fetched, other] });

    for (const { der, facts } of [fetched, other])
      expect(await certificateDers(store, [facts.fingerprint])).toEqual([der]);
    expect(await certificateHistory(store, key)).toMatchObject([{ fingerprint: leaf.facts.fingerprint }]);
    expect(await pruneOrphanCertificates(store)).toBe(0);
    const row = await store.db.selectFrom('evidence').select('observation').executeTakeFirstOrThrow();
    expect(JSON.parse(row.observation)).toMatchObject({
      addresses: [{ presentedChain: [leaf.facts.fingerprint], staple: 70 }],
      authorities: [
        { fingerprint: fetched.facts.fingerprint, source: 'fetched', url: 'http://ca.example/i.der' },
      ],
      posture: { alternates: [{ presentedChain: [other.facts.fingerprint] }] },
    });
    expect(row.observation.length).toBeLessThan(1_500);
    // Once all clients get this leaf, it enters the history.
    await check(store, NOW + DAY, [other]);
    expect(await certificateHistory(store, key)).toHaveLength(2);
  });

  it('accepts a previous verdict of an older version and fills its missing fields with defaults', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const leaf = certificate();
    await check(store, NOW, [leaf]);
    const revocation = { state: 'unknown', source: null, at: null };
    const finding = { code: 'legacy_tls', severity: 'warning', message: 'Old', addresses: [] };
    const findings = [{ ...finding, fingerprint: null }];
    const limiting = { fingerprint: 'a', notBefore: 1, notAfter: 2, role: 'leaf', name: 'a' };
    const lastSeen = { at: 1, leafFingerprint: 'a', expiring: [limiting], findings: [] };
    const address = { address: '192.0.2.1', family: 4, fingerprint: 'a', notAfter: 2, failure: null };
    const older = {
      judgedAt: NOW,
      observedAt: NOW,
      reached: true,
      failure: null,
      trusted: true,
      leafFingerprint: 'a',
      trustStoreHash: 'roots',
      addresses: [{ ...address, tlsVersion: null }],
      findings,
      revocation,
      limiting,
      lastSeen,
    };
    const verdict = JSON.stringify(older);
    await store.db.updateTable('verdicts').set({ verdict }).execute();
    await store.db.updateTable('monitor_states').set({ moment: null }).execute();

    expect((await findMonitor(store, key))?.verdict).toMatchObject({
      path: [],
      chainToServe: null,
      renewal: null,
      posture: null,
      revocation: { ...revocation, reason: null, revokedAt: null, sources: [] },
      addresses: [{ ...address, group: null, durationMs: 0 }],
      findings: [
        {
          code: 'legacy_tls',
          severity: 'warning',
          addresses: [],
          keyType: null,
          attachment: null,
          facts: {
            kind: 'stored_words',
            words: { message: 'Old', fix: null, command: null, evidence: [] },
          },
        },
      ],
      limiting: { ...limiting, renewalWindow: null },
      lastSeen: { ...lastSeen, revoked: [], turns: [], expiring: [{ ...limiting, renewalWindow: null }] },
    });
    // The next check can use it as the previous verdict.
    await check(store, NOW + DAY, [leaf]);
  });

  it('stores an unreadable certificate, but not in the history', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const broken = certificate();
    await check(store, NOW, [broken], { certificates: [] });
    expect(await certificateDers(store, [broken.facts.fingerprint])).toEqual([broken.der]);
    expect(await certificateHistory(store, key)).toEqual([]);
    expect(await findMonitor(store, key)).toMatchObject({ certificate: null });
  });

  it('keeps the last certificate of an unreachable host and the time since when it is unreachable', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const leaf = certificate();
    await check(store, NOW, [leaf]);
    for (const day of [1, 2]) await check(store, NOW + day * DAY, []);
    expect(await findMonitor(store, key)).toMatchObject({
      certificate: leaf.facts,
      verdict: { reached: false, failure: { stage: 'connect', reason: 'refused' } },
      unreachableSince: NOW + DAY,
    });
    await check(store, NOW + 3 * DAY, [leaf]);
    expect(await findMonitor(store, key)).toMatchObject({ unreachableSince: null });
  });

  it('adds one history entry per leaf certificate, also when two alternate', async () => {
    const store = await open();
    const key = await createMonitor(store);
    const [old, renewed, intermediate] = [certificate(), certificate(), certificate()];
    for (const [day, leaf] of [old, renewed, old, renewed].entries())
      await check(store, NOW + day * DAY, [leaf, intermediate]);
    const entries = await certificateHistory(store, key);
    expect(entries).toMatchObject([
      { fingerprint: renewed.facts.fingerprint, firstSeenAt: NOW + DAY, lastSeenAt: NOW + 3 * DAY },
      { fingerprint: old.facts.fingerprint, firstSeenAt: NOW, lastSeenAt: NOW + 2 * DAY, facts: old.facts },
    ]);
  });

  it('stores a new verdict only if its findings or the reachability change', async () => {
    const store = await open();
    await createMonitor(store);
    const leaf = certificate();
    const changes: string[] = [];
    store.signals.subscribe((signal) => signal.topic === 'domain' && changes.push(signal.change));
    const finding = (cipher: string, addresses: string[]) => ({
      code: 'legacy_tls' as const,
      severity: 'warning' as const,
      facts: { kind: 'legacy_tls' as const, tlsVersion: 'TLSv1', evidence: { cipher } },
      addresses,
      fingerprint: null,
      keyType: null,
      attachment: null,
    });
    await check(store, NOW, [leaf]);
    await check(store, NOW + DAY, [leaf]);
    await check(store, NOW + 2 * DAY, [leaf], { findings: [finding('AES128-SHA', ['a', 'b'])] });
    await check(store, NOW + 3 * DAY, [leaf], { findings: [finding('AES256-SHA', ['b', 'a'])] });
    await check(store, NOW + 4 * DAY, []);
    expect(changes).toEqual(['changed', 'checked', 'changed', 'checked', 'changed']);
    const judged = await store.db.selectFrom('verdicts').select('judged_at').orderBy('judged_at').execute();
    expect(judged.map(({ judged_at }) => (judged_at - NOW) / DAY)).toEqual([0, 2, 4]);
  });

  it('queues an alert once, although the next check shows the same problem', async () => {
    const store = await open();
    await createMonitor(store);
    const leaf = endingSoon();
    const topics: string[] = [];
    store.signals.subscribe(({ topic }) => topic === 'deliveries' && topics.push(topic));
    await check(store, NOW, [leaf]);
    await check(store, NOW + DAY, [leaf]);
    expect(topics).toHaveLength(1);
    const deliveries = await store.db.selectFrom('deliveries').selectAll().execute();
    expect(deliveries).toMatchObject([{ state: 'waiting', attempts: 0, next_attempt_at: NOW }]);
    expect(deliveries[0]?.message_id).toMatch(/^<[\w-]+@[\w.]+>$/);
  });

  it('keeps certificates until the last monitor that served them is removed', async () => {
    const store = await open();
    const key = await createMonitor(store);
    await check(store, NOW, [certificate()]);
    await check(store, NOW + DAY, [certificate()]);
    expect(await pruneOrphanCertificates(store)).toBe(0);
    expect(await certificateHistory(store, key)).toHaveLength(2);
    await removeMonitor(store, { ...key, now: NOW });
    expect(await pruneOrphanCertificates(store)).toBe(2);
  });
});

async function createMonitor(store: Store): Promise<{ accountId: string; monitorId: string }> {
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, 'www.example.org');
  return { accountId, monitorId };
}
