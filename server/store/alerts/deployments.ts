import { type Kysely, sql, type Transaction } from 'kysely';
import type { AlertFacts } from '../../core/alerting/alert.ts';
import { begunDeployment, expectedDeployment, waitingAddresses } from '../../core/alerting/conditions.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { ExpectedCertificate } from '../../core/pasted-certificates.ts';
import { effectiveTarget, nameOf, type Targeted } from '../../core/target.ts';
import { parseFacts } from '../checks/certificates.ts';
import { lockAlerts } from '../db/dialect.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import { findMonitors } from '../monitors/monitor-list.ts';
import type { Tables } from '../schema/tables.ts';
import { selectMembers } from './incidents.ts';
import { addMembers, addServingDomains, openIncident } from './shared-incidents.ts';
import { readAlertFacts } from './stored-alerts.ts';

/**
 * After a domain changed to a renewed certificate, opens an incident for the other domains that still serve the old one. If some still
 * do when the deployment is due, it is confirmed and reported once. Call after `lockAlerts`: two domains may change at once.
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
  // Another domain that changed earlier has already opened the incident.
  if ((await openIncident(trx, { ...about, now })) !== undefined) return;
  const lagging = await addServingDomains(trx, { ...about, incidentId: null, confirmedAt: null, facts, now });
  await makeDueBy(trx, { accountId, monitorId: lagging, at: facts.dueAt });
}

/** A domain that should serve a certificate. */
export interface ExpectingDomain extends Targeted {
  id: string;
}

/** A domain that an announcement concerns. */
interface AnnouncedDomain extends ExpectingDomain {
  /** Fingerprint of the certificate that it served last; null if none was read. */
  serves: string | null;
}

/**
 * What a user announced: a certificate that domains should serve by `dueAt` (ms UTC). If `hosts` is null, all domains that it
 * names.
 */
interface Announcement {
  accountId: string;
  certificate: ExpectedCertificate;
  hosts: readonly string[] | null;
  dueAt: number;
  now: number;
}

/**
 * Opens an incident for the active domains that should serve the announced certificate, 100 per transaction. Returns their number
 * and those that serve another one. `full` is a domain that waits for too many; then usually nothing was changed.
 */
export async function expectCertificate(
  store: Store,
  announced: Announcement,
): Promise<{ total: number; lagging: ExpectingDomain[]; full: ExpectingDomain | null }> {
  const concerned = await announcedDomains(store, announced);
  let full: ExpectingDomain | null = null;
  for (const part of batches(concerned)) full ??= await fullDomain(store, store.db, part, announced);
  // Sort by id, so that a transaction writes to neighbouring pages of the indexes that begin with the monitor.
  const byId = concerned.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (const part of full === null ? batches(byId) : [])
    full ??= await inTransaction(store, (trx) => expectOn(store, trx, part, announced));
  store.signals.publish({ topic: 'due' });
  const lagging = concerned.filter(({ serves }) => serves !== announced.certificate.facts.fingerprint);
  return { total: concerned.length, lagging, full };
}

/** Returns a domain that already waits for the maximum number of other certificates; null if there is none. */
async function fullDomain(
  { limits }: Store,
  db: Kysely<Tables>,
  domains: readonly ExpectingDomain[],
  { accountId, certificate }: Announcement,
): Promise<ExpectingDomain | null> {
  const waiting = await selectMembers(db, accountId)
    .select('monitor_id as id')
    .where('members.problem', '=', 'not_deployed')
    .where('fingerprint', '!=', certificate.facts.fingerprint)
    .where('ended_at', 'is', null)
    .where(
      'monitor_id',
      'in',
      domains.map(({ id }) => id),
    )
    .groupBy('monitor_id')
    .having((eb) => eb.fn.countAll<number>(), '>=', limits.expectationsPerDomain)
    .execute();
  const isFull = new Set(waiting.map(({ id }) => id));
  return domains.find(({ id }) => isFull.has(id)) ?? null;
}

/** Reads the active domains that should serve the announced certificate, sorted by name. */
async function announcedDomains(
  { db }: Store,
  { accountId, certificate, hosts }: Announcement,
): Promise<AnnouncedDomain[]> {
  const concerned: AnnouncedDomain[] = [];
  for (let after: Targeted | undefined = { host: '', port: 0 }; after !== undefined;) {
    const { host, port, target = '' }: Targeted = after;
    const page = await db
      .selectFrom('monitors')
      .select(['id', 'host', 'port', 'target', 'certificate_fingerprint as serves'])
      .where('account_id', '=', accountId)
      .where(isActive)
      .where(sql<boolean>`(host, port, target) > (${host}, ${port}, ${target})`)
      .$if(hosts !== null, (query) => query.where('host', 'in', hosts ?? []))
      .orderBy('host')
      .orderBy('port')
      .orderBy('target')
      .limit(DOMAINS_AT_ONCE)
      .execute();
    concerned.push(
      ...page.filter((domain) => hosts !== null || certificate.names(effectiveTarget(domain).verifyName)),
    );
    after = page.at(-1);
  }
  return concerned;
}

const DOMAINS_AT_ONCE = 500;

async function expectOn(
  store: Store,
  trx: Transaction<Tables>,
  domains: readonly ExpectingDomain[],
  announced: Announcement,
): Promise<ExpectingDomain | null> {
  const { accountId, certificate, dueAt, now } = announced;
  const { facts } = certificate;
  const ids = domains.map(({ id }) => id);
  // Make the monitors due before `lockAlerts`, because other transactions lock monitors first too.
  await makeDueBy(trx, { accountId, monitorId: ids, at: dueAt });
  await lockAlerts(trx, store.dialect, accountId);
  // Another call may have opened an incident of these domains before we got the lock.
  const full = await fullDomain(store, trx, domains, announced);
  if (full !== null) return full;
  const about = { accountId, problem: 'not_deployed' as const, fingerprint: facts.fingerprint };
  const incidentId = (await openIncident(trx, { ...about, now }))?.id ?? null;
  const pending = await trx
    .selectFrom('incident_members')
    .select(['id', 'facts', 'started_at as at'])
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId ?? '')
    .where('ended_at', 'is', null)
    .where('confirmed_at', 'is', null)
    .where('monitor_id', 'in', ids)
    .execute();
  // Update domains with equal facts in one statement: domains that were added together have equal facts.
  for (const [known, [first, ...others]] of Map.groupBy(pending, (incident) => incident.facts))
    if (first !== undefined)
      await trx
        .updateTable('incident_members')
        .set({ facts: JSON.stringify({ ...readAlertFacts(known, first), dueAt }) })
        .where('account_id', '=', accountId)
        .where(
          'id',
          'in',
          [first, ...others].map(({ id }) => id),
        )
        .execute();
  const deployment = expectedDeployment(facts, { now, dueAt });
  await addMembers(trx, ids, { ...about, incidentId, confirmedAt: null, facts: deployment, now });
  return null;
}

/**
 * Returns by domain the addresses that did not serve the certificate of a deployment at the last check. Omits domains without
 * such addresses.
 */
export async function undeployedAddresses(
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
