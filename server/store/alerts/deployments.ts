import type { Transaction } from 'kysely';
import {
  type AlertFacts,
  begunDeployment,
  type CertificateFacts,
  type ExpectedCertificate,
  expectedDeployment,
  effectiveTarget,
  nameOf,
  type Targeted,
  waitingAddresses,
} from '../../core/index.ts';
import { parseFacts } from '../checks/certificates.ts';
import { lockAlerts } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import { findMonitors } from '../monitors/monitor-list.ts';
import type { Tables } from '../schema/tables.ts';
import { openForOthers, openGroup, openIncidents } from './certificate-incidents.ts';
import { readAlertFacts } from './stored-alerts.ts';

/**
 * After a domain changed to a renewal, opens incidents for the other domains that still serve the old certificate. They are confirmed,
 * and reported once, if these have not changed when the deployment is due. Call after `lockAlerts`: two domains may change at once.
 */
export async function followDeployment(
  trx: Transaction<Tables>,
  {
    accountId,
    before,
    after,
    now,
  }: { accountId: string; before: string; after: CertificateFacts; now: number },
): Promise<void> {
  const old = await trx
    .selectFrom('certificates')
    .select('facts')
    .where('fingerprint', '=', before)
    .executeTakeFirst();
  const known = parseFacts(old?.facts ?? null);
  const facts = known && begunDeployment(known, after, now);
  if (facts === null) return;
  const about = { accountId, problem: 'not_deployed' as const, fingerprint: after.fingerprint };
  // The first domain that changed has opened them.
  if ((await openGroup(trx, { ...about, now })) !== null) return;
  const lagging = await openForOthers(trx, { ...about, groupId: null, confirmedAt: null, facts, now });
  for (const monitorId of lagging) await makeDueBy(trx, { accountId, monitorId, at: facts.dueAt });
}

/** A domain that should serve a certificate. */
export interface ExpectingDomain extends Targeted {
  id: string;
}

/**
 * Opens incidents for the active domains that should serve a certificate by `dueAt` (ms UTC): the given hosts, or with null all that
 * it names. Checks end them where every address serves it. Returns the number of domains, and by name those that served another one.
 */
export async function expectCertificate(
  store: Store,
  expected: {
    accountId: string;
    certificate: ExpectedCertificate;
    hosts: readonly string[] | null;
    dueAt: number;
    now: number;
  },
): Promise<{ total: number; lagging: ExpectingDomain[] }> {
  const { accountId, certificate, hosts, dueAt, now } = expected;
  const { facts } = certificate;
  const found = await inTransaction(store, async (trx) => {
    const all = await trx
      .selectFrom('monitors')
      .select(['id', 'host', 'port', 'target', 'certificate_fingerprint'])
      .where('account_id', '=', accountId)
      .where(isActive)
      .orderBy('host')
      .orderBy('port')
      .execute();
    const concerned = all.filter(
      (domain) => hosts?.includes(domain.host) ?? certificate.names(effectiveTarget(domain).verifyName),
    );
    // Incidents also for the others: another of their addresses may serve an old certificate.
    const lagging = concerned.filter((domain) => domain.certificate_fingerprint !== facts.fingerprint);
    await lockAlerts(trx, store.dialect, accountId);
    const about = { accountId, problem: 'not_deployed' as const, fingerprint: facts.fingerprint };
    const ids = new Set(concerned.map(({ id }) => id));
    const deployment = expectedDeployment(facts, { now, dueAt });
    const pending = await trx
      .selectFrom('incidents')
      .select(['id', 'monitor_id', 'facts', 'started_at as at'])
      .where('account_id', '=', accountId)
      .where('problem', '=', about.problem)
      .where('fingerprint', '=', about.fingerprint)
      .where('ended_at', 'is', null)
      .where('confirmed_at', 'is', null)
      .execute();
    for (const { id, monitor_id: monitorId, facts: known, at } of pending)
      if (ids.has(monitorId))
        await trx
          .updateTable('incidents')
          .set({ facts: JSON.stringify({ ...readAlertFacts(known, { at }), dueAt }) })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .execute();
    const groupId = await openGroup(trx, { ...about, now });
    await openIncidents(trx, [...ids], { ...about, groupId, confirmedAt: null, facts: deployment, now });
    for (const { id: monitorId } of concerned) await makeDueBy(trx, { accountId, monitorId, at: dueAt });
    return { total: concerned.length, lagging };
  });
  store.signals.publish({ topic: 'due' });
  return found;
}

/**
 * Returns the addresses that did not serve the certificate of a deployment at the last check, by domain. Leaves out domains without such
 * an address.
 */
export async function waitingDomains(
  store: Store,
  {
    accountId,
    ids,
    deployment,
  }: { accountId: string; ids: readonly string[]; deployment: Pick<AlertFacts, 'certificate' | 'successor'> },
): Promise<(ExpectingDomain & { addresses: string[] })[]> {
  const monitors = await findMonitors(store, { accountId, ids });
  return monitors
    .map(({ id, verdict, ...monitor }) => {
      const waiting = verdict === null ? [] : waitingAddresses(deployment, verdict);
      return { id, ...nameOf(monitor), addresses: waiting.map(({ address }) => address) };
    })
    .filter(({ addresses }) => addresses.length > 0);
}
