import { expect, it } from 'vitest';
import type { RevokedCertificate } from '../../server/core/index.ts';
import { record } from '../../server/store/checks.ts';
import { claimDueDeliveries, settleDelivery } from '../../server/store/deliveries.ts';
import type { Store } from '../../server/store/open-store.ts';
import { describeEachDatabase } from '../kit/database.ts';
import {
  alertFor,
  certificate,
  checkOf,
  claimOne,
  DAY,
  NOW,
  person,
  type SampleCertificate,
  watch,
} from './samples.ts';

const claim = { limit: 10, leaseMs: 60_000, claimedBy: 'a worker' };

describeEachDatabase('alerts about revocation', (open) => {
  it('carry who said so, when and why, beside the expiry of the same certificate', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    const [told, ...others] = await claimDueDeliveries(store, { ...claim, now: NOW });
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      alert: { kind: 'revoked', step: 'revoked', fingerprint: leaf.facts.fingerprint },
      revoked: { source: 'crl', reason: 'keyCompromise', revokedAt: NOW - DAY },
      superseded: false,
    });
    await checked(store, NOW + DAY, leaf, { served: true, alerts: ['expiry'] });
    // The first one's lease has run out: it is due again, and the later alert of another kind does not supersede it.
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + DAY })).toMatchObject([
      { alert: { kind: 'revoked' }, superseded: false },
      { alert: { kind: 'expiry' }, revoked: null, superseded: false },
    ]);
  });

  it('are told once for each certificate and monitor', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    const [told] = await claimDueDeliveries(store, { ...claim, now: NOW });
    if (told === undefined) throw new Error('Nothing was due');
    await settleDelivery(store, { ...told, now: NOW, outcome: 'delivered', detail: null });
    const claimed = await checked(store, NOW + DAY, leaf, { served: true, alerts: ['revoked'] });
    expect(claimed.alerted).toEqual([{ fingerprint: leaf.facts.fingerprint, step: 'revoked' }]);
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + 9 * DAY })).toEqual([]);
  });

  it('are superseded where the certificate was replaced before they left', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    await checked(store, NOW + DAY, certificate(), { served: false, alerts: [], revoked: leaf });
    const [told] = await claimDueDeliveries(store, { ...claim, now: NOW + DAY });
    expect(told).toMatchObject({ alert: { kind: 'revoked' }, superseded: true });
  });

  it('are superseded with an intermediate that no server ever sent', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await watch(store, id, 'www.example.org');
    const [leaf, intermediate] = [certificate(), certificate()];
    await checked(store, NOW, leaf, { served: true, alerts: ['revoked'], revoked: intermediate });
    await checked(store, NOW + DAY, leaf, { served: false, alerts: [], revoked: intermediate });
    const [told] = await claimDueDeliveries(store, { ...claim, now: NOW + DAY });
    expect(told).toMatchObject({
      alert: { fingerprint: intermediate.facts.fingerprint },
      superseded: true,
    });
  });
});

/** Alice's host shows a certificate that was just found to be revoked. */
async function revokedAt(store: Store): Promise<SampleCertificate> {
  const { id } = await person(store, 'alice');
  await watch(store, id, 'www.example.org');
  const leaf = certificate();
  await checked(store, NOW, leaf, { served: true, alerts: ['revoked'] });
  return leaf;
}

/** Records a check that read `shown` and knows that `revoked` (itself unless told) was revoked. */
async function checked(
  store: Store,
  now: number,
  shown: SampleCertificate,
  {
    served,
    alerts,
    revoked = shown,
  }: { served: boolean; alerts: ('revoked' | 'expiry')[]; revoked?: SampleCertificate },
) {
  const claimed = await claimOne(store, now);
  const { fingerprint, notBefore, notAfter, subject } = revoked.facts;
  const known: RevokedCertificate = {
    ...{ fingerprint, key: 'issuer 01', source: 'crl', at: NOW, revokedAt: NOW - DAY },
    ...{ reason: 'keyCompromise', role: 'leaf', name: subject, notBefore, notAfter, served },
  };
  const plain = checkOf(claimed, now, [shown]);
  const lastSeen = {
    at: now,
    leafFingerprint: shown.facts.fingerprint,
    ...{ expiring: [], findings: [], revoked: [known], turns: [] },
  };
  const planned = alerts.map((kind) =>
    alertFor(revoked, kind === 'revoked' ? { kind, step: 'revoked' } : { kind }),
  );
  const check = { ...plain, verdict: { ...plain.verdict, lastSeen }, alerts: planned };
  if (!(await record(store, check))) throw new Error('The lease was lost');
  return claimed;
}
