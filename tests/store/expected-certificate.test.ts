import { expect, it } from 'vitest';
import { expectCertificate } from '../../server/store/alerts/deployments.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  checkOf,
  DAY,
  MINUTE,
  NOW,
  person,
  recordCheck,
  type SampleCertificate,
  watch,
} from './samples.ts';

const HOST = 'a.shop.example';
const issuedAt = (notBefore: number) => certificate({ sans: [HOST], notBefore, notAfter: NOW + 80 * DAY });
const announced = issuedAt(NOW);

describeEachDatabase('a certificate that a user announced', (open) => {
  /** Returns the alerts after a host served a certificate until the deadline. */
  async function alertsAfter(served: SampleCertificate): Promise<string[]> {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    const see = async (now: number) => {
      await store.db.updateTable('monitors').set({ next_check_at: now }).execute();
      const [claimed] = await claimDue(store, { now, limit: 1, leaseMs: 30_000, claimedBy: 'test' });
      await recordCheck(store, checkOf(claimed ?? expect.fail(), now, [served]));
    };
    const alerts = async () => {
      const rows = await store.db.selectFrom('alerts').select(['kind', 'step']).execute();
      return rows.map(({ kind, step }) => `${kind} ${step}`);
    };
    await see(NOW);
    const dueAt = NOW + 60 * MINUTE;
    const certificate = { facts: announced.facts, names: (host: string) => host === HOST };
    const found = await expectCertificate(store, { accountId, certificate, hosts: null, dueAt, now: NOW });
    expect(found.total).toBe(1);
    await see(NOW + 10 * MINUTE);
    expect(await alerts()).toEqual([]);
    await see(dueAt);
    return alerts();
  }

  it.each([
    ['a day before it', issuedAt(NOW - DAY)],
    ['half an hour before it', issuedAt(NOW - 30 * MINUTE)],
    ['at the same time', issuedAt(NOW)],
  ])('leads to an alert at the deadline if the host serves one that was issued %s', async (_, served) => {
    expect(await alertsAfter(served)).toEqual(['not_deployed opened']);
  });

  it('leads to no alert if the host serves it, or a later one', async () => {
    expect(await alertsAfter(announced)).toEqual([]);
    expect(await alertsAfter(issuedAt(NOW + MINUTE))).toEqual([]);
  });
});
