import { expect, it } from 'vitest';
import type { RevokedCertificate } from '../../server/core/verdict.ts';
import { claimDueDeliveries, settleDelivery } from '../../server/store/alerts/deliveries.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  checkOf,
  claimOne,
  DAY,
  MINUTE,
  NOW,
  person,
  recordSample,
  type SampleCertificate,
  watch,
} from './samples.ts';

const claim = { limit: 10, leaseMs: 60_000, claimedBy: 'a worker' };

describeEachDatabase('alerts about revocation', (open) => {
  it('include source, time and reason, and are not superseded by a later expiry alert', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    const [told, ...others] = await claimDueDeliveries(store, { ...claim, now: NOW });
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      alert: {
        kind: 'revoked',
        step: 'revoked',
        facts: { certificate: { fingerprint: leaf.facts.fingerprint } },
      },
      revoked: { source: 'crl', reason: 'keyCompromise', revokedAt: NOW - DAY },
      superseded: false,
    });
    await recordRevokedCheck(store, NOW + 60 * DAY, leaf, { served: true });
    // The lease of the first alert has expired, so it is due again: an alert of another kind does not supersede it.
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + 60 * DAY })).toMatchObject([
      { alert: { kind: 'revoked' }, superseded: false },
      { alert: { kind: 'expiry' }, revoked: null, superseded: false },
    ]);
  });

  it('alerts about revocation are sent once per certificate and monitor', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    const [told] = await claimDueDeliveries(store, { ...claim, now: NOW });
    if (told === undefined) throw new Error('Nothing was due');
    await settleDelivery(store, { ...told, now: NOW, outcome: 'delivered', detail: null });
    await recordRevokedCheck(store, NOW + DAY, leaf, { served: true });
    expect(await claimDueDeliveries(store, { ...claim, now: NOW + 9 * DAY })).toEqual([]);
  });

  it('are superseded if the certificate is replaced before they are sent', async () => {
    const store = await open();
    const leaf = await revokedAt(store);
    const replacement = certificate();
    for (const at of [NOW + DAY, NOW + DAY + MINUTE, NOW + DAY + 2 * MINUTE])
      await recordRevokedCheck(store, at, replacement, { served: false, revoked: leaf });
    expect(await states(store)).toEqual(['superseded']);
  });

  it('are superseded once the server no longer sends the revoked intermediate', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    await watch(store, id, 'www.example.org');
    const [leaf, intermediate] = [certificate(), certificate()];
    await recordRevokedCheck(store, NOW, leaf, { served: true, revoked: intermediate });
    for (const at of [NOW + DAY, NOW + DAY + MINUTE, NOW + DAY + 2 * MINUTE])
      await recordRevokedCheck(store, at, leaf, { served: false, revoked: intermediate });
    expect(await states(store)).toEqual(['superseded']);
  });
});

async function states(store: Store): Promise<string[]> {
  const rows = await store.db.selectFrom('deliveries').select('state').execute();
  return rows.map(({ state }) => state);
}

/** Records a check of Alice's host that found its certificate revoked. */
async function revokedAt(store: Store): Promise<SampleCertificate> {
  const { id } = await person(store, 'alice');
  await watch(store, id, 'www.example.org');
  const leaf = certificate();
  await recordRevokedCheck(store, NOW, leaf, { served: true });
  return leaf;
}

/** Records a check that read `shown` and found that `revoked` (by default the same certificate) is revoked. */
async function recordRevokedCheck(
  store: Store,
  now: number,
  shown: SampleCertificate,
  { served, revoked = shown }: { served: boolean; revoked?: SampleCertificate },
) {
  const claimed = await claimOne(store, now);
  const { fingerprint, notBefore, notAfter, subject } = revoked.facts;
  const known: RevokedCertificate = {
    fingerprint,
    key: 'issuer 01',
    source: 'crl',
    at: NOW,
    revokedAt: NOW - DAY,
    reason: 'keyCompromise',
    role: 'leaf',
    name: subject,
    notBefore,
    notAfter,
    served,
  };
  const made = checkOf(claimed, now, [shown], { revoked: [known], nextCheckAt: now + MINUTE });
  if (!(await recordSample(store, made))) throw new Error('The lease was lost');
  return claimed;
}
