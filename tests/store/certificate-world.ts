import { expect } from 'vitest';
import type { Problem } from '../../server/core/alerting/alert.ts';
import type { PostureVerdict } from '../../server/core/verdict.ts';
import { alertedDomains } from '../../server/store/alerts/shared-incidents.ts';
import { knownIncidents } from '../../server/store/alerts/monitor-incidents.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  certificate,
  checkOf,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  POSTURE,
  recordCheck,
  type SampleCertificate,
  watch,
} from './samples.ts';

export const WILDCARD = endingSoon({ subject: '*.shop.example', sans: ['*.shop.example'] });
export const RENEWED_WILDCARD = certificate({
  subject: '*.shop.example',
  sans: ['*.shop.example'],
  notBefore: NOW,
  notAfter: NOW + 90 * DAY,
});
export const HOSTS = ['a', 'b', 'c'] as const;

/** Returns the id of the incident of this problem to which a domain was added last. */
export async function lastIncident({ db }: Store, problem: Problem): Promise<string> {
  const members = db
    .selectFrom('incident_members')
    .select('incident_id as id')
    .where('problem', '=', problem);
  return (await members.orderBy('started_at', 'desc').executeTakeFirstOrThrow()).id;
}

/** Creates an account with three hosts that may serve one certificate. */
export async function createCertificateWorld(store: Store) {
  const { id: accountId } = await person(store, 'alice');
  await store.db.updateTable('accounts').set({ plan: 'premium' }).execute();
  const ids = { a: '', b: '', c: '' };
  for (const host of HOSTS) ids[host] = (await watch(store, accountId, `${host}.shop.example`)).id;
  /** Records a check of a host. */
  async function see(
    host: (typeof HOSTS)[number],
    now: number,
    leaf: SampleCertificate = WILDCARD,
    posture: Pick<PostureVerdict, 'registration'> | null = null,
  ) {
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: now + DAY })
      .execute();
    await store.db.updateTable('monitors').set({ next_check_at: now }).where('id', '=', ids[host]).execute();
    const [claimed] = await claimDue(store, { now, limit: 1, leaseMs: 30_000, claimedBy: 'test' });
    const made = checkOf(claimed ?? expect.fail(), now, [leaf]);
    const verdict = { ...made.verdict, posture: posture && { ...POSTURE, ...posture } };
    await recordCheck(store, { ...made, verdict });
  }
  return {
    accountId,
    ids,
    see,
    /** Ends the incident of a host that serves another certificate: the old one must not be seen for 90 seconds. */
    renew: async (host: (typeof HOSTS)[number], now: number) => {
      await see(host, now, RENEWED_WILDCARD);
      await see(host, now + 2 * MINUTE, RENEWED_WILDCARD);
    },
    /** Returns the steps of all deliveries in order, with the channel if it is not the account's mail. */
    queued: async () => {
      const rows = await store.db
        .selectFrom('deliveries')
        .innerJoin('alerts', (join) => join.onRef('alerts.id', '=', 'deliveries.alert_id'))
        .select(['kind', 'step', 'channel_key', 'state'])
        .orderBy('deliveries.created_at')
        .orderBy('channel_key')
        .execute();
      return rows.map(({ kind, step, channel_key: key, state }) =>
        [kind, step, ...(key === 'email' ? [] : [key]), ...(state === 'waiting' ? [] : [state])].join(' '),
      );
    },
    deliverAll: async (now: number) => {
      await store.db
        .updateTable('deliveries')
        .set({ state: 'delivered', settled_at: now })
        .where('state', '=', 'waiting')
        .execute();
    },
    named: async (now: number, step: 'critical' | 'three_days' | 'resolved' = 'critical') => {
      const about = { accountId, problem: 'expiry' as const, fingerprint: WILDCARD.facts.fingerprint };
      const incidentId = await lastIncident(store, about.problem);
      const alerted = await alertedDomains(store, { ...about, incidentId, step, channelKey: 'email', now });
      return [alerted.domains.map(({ host }) => host.charAt(0)).join(''), alerted.fixedCount];
    },
    incidentOf: async (host: (typeof HOSTS)[number], now: number) => {
      const [incident] = await knownIncidents(store.db, { accountId, monitorId: ids[host], now });
      return incident ?? expect.fail();
    },
  };
}
