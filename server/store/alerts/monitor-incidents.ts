import type { Kysely, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AlertFacts, Problem } from '../../core/alerting/alert.ts';
import {
  type IncidentChange,
  type KnownIncident,
  NOT_NOTIFIED,
  type Notified,
  REMEMBER_INCIDENTS_MS,
} from '../../core/alerting/incident.ts';
import type { EarlierDelivery } from '../../core/alerting/route.ts';
import { supersedeWaitingQuery } from './alerts.ts';
import { notifiedSteps, selectMembers } from './incidents.ts';
import { insertIncident } from './shared-incidents.ts';
import { alertOfDelivery, compileOnce, lockAlerts } from '../db/dialect.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { readAlertFacts } from './stored-alerts.ts';
import { makeDueBy } from '../monitors/check-due.ts';

const selectKnown = (db: Kysely<Tables>, accountId: string) =>
  selectMembers(db, accountId)
    .selectAll('members')
    .select(['fingerprint', 'acknowledged_at', 'snoozed_until']);

type Row = Awaited<ReturnType<ReturnType<typeof selectKnown>['executeTakeFirstOrThrow']>>;

const incidentsSince = compileOnce((db, { accountId, monitorId, since }: MonitorKey & { since: number }) =>
  selectKnown(db, accountId)
    .where('monitor_id', '=', monitorId)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', since), eb('reports_end', '=', 1)]))
    .orderBy('started_at')
    .orderBy('members.problem')
    .compile(),
);

/**
 * Returns the incidents of a monitor that alert rules need: open, ended within `REMEMBER_INCIDENTS_MS`, or their end is not
 * reported yet.
 */
export async function knownIncidents(
  db: Kysely<Tables>,
  { now, ...key }: MonitorKey & { now: number },
): Promise<StoredIncident[]> {
  const rows = await incidentsSince(db, { ...key, since: now - REMEMBER_INCIDENTS_MS });
  return withNotified(db, key.accountId, rows);
}

/** Returns the deliveries of these incidents, because the routes of further alerts depend on them. */
export async function earlierDeliveries(
  db: Kysely<Tables>,
  accountId: string,
  incidents: readonly StoredIncident[],
): Promise<EarlierDelivery[]> {
  if (incidents.length === 0) return [];
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', alertOfDelivery)
    .select(['deliveries.channel_key', 'deliveries.state', 'deliveries.unanswered', 'alerts.step'])
    .select((eb) => eb.ref('deliveries.incident_id').$notNull().as('incidentId'))
    .where('deliveries.account_id', '=', accountId)
    .where('deliveries.incident_id', 'in', [...new Set(incidents.map(({ incidentId }) => incidentId))])
    .execute();
  return rows.map(({ incidentId, step, channel_key: channelKey, state, unanswered }) => ({
    incidentId,
    step,
    channelKey,
    state,
    isBeingSent: unanswered > 0,
  }));
}

async function withNotified(
  db: Kysely<Tables>,
  accountId: string,
  rows: readonly Row[],
): Promise<StoredIncident[]> {
  if (rows.length === 0) return [];
  const incidentIds = [...new Set(rows.map((row) => row.incident_id))];
  const notified = await notifiedSteps(db, accountId, incidentIds);
  return rows.map((row) => toStored(row, notified.get(row.incident_id) ?? NOT_NOTIFIED));
}

function toStored(row: Row, notified: Notified): StoredIncident {
  return {
    id: row.id,
    incidentId: row.incident_id,
    monitorId: row.monitor_id,
    problem: row.problem,
    fingerprint: row.fingerprint,
    startedAt: row.started_at,
    confirmedAt: row.confirmed_at,
    clearingSince: row.clearing_since,
    endedAt: row.ended_at,
    recovered: row.recovered === 1,
    reportsEnd: row.reports_end === 1,
    acknowledgedAt: row.acknowledged_at,
    snoozedUntil: row.snoozed_until,
    ...notified,
    facts: factsOf(row),
  };
}

/** Returns the facts of an incident. Rows from before the column `facts` existed only have a text, in the column `message`. */
function factsOf(row: Pick<Row, 'facts' | 'message' | 'started_at' | 'ended_at'>): AlertFacts {
  const facts = readAlertFacts(row.facts, { at: row.started_at, message: row.message || null });
  return { ...facts, endedAt: row.ended_at };
}

/**
 * Writes the incident changes of a check, except updates that change nothing. `known` has the incidents before the check. Returns
 * the ids of new incidents, by `incidentKey`.
 */
export async function writeIncidents(
  trx: Transaction<Tables>,
  {
    accountId,
    monitorId,
    changes,
    known,
  }: MonitorKey & { changes: readonly IncidentChange[]; known: readonly StoredIncident[] },
): Promise<Map<string, string>> {
  const opened = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === 'update' && known.some((incident) => isUnchanged(incident, change))) continue;
    if (change.kind === 'open') {
      const { problem, fingerprint, facts, cause } = change;
      const incidentId =
        change.incidentId ?? (await insertIncident(trx, { accountId, problem, fingerprint }));
      if (change.incidentId === null) opened.set(incidentKey(change), incidentId);
      await trx
        .insertInto('incident_members')
        .values({
          account_id: accountId,
          id: change.incidentId === null ? incidentId : randomUUID(),
          incident_id: incidentId,
          monitor_id: monitorId,
          problem,
          started_at: change.startedAt,
          confirmed_at: change.confirmedAt,
          recovered: 0,
          cause,
          message: facts.message ?? '',
          facts: JSON.stringify(facts),
        })
        .execute();
      continue;
    }
    const { id } = change;
    await (change.kind === 'drop'
      ? trx.deleteFrom('incident_members').where('account_id', '=', accountId).where('id', '=', id).execute()
      : trx
          .updateTable('incident_members')
          .set(columnsOf(change))
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .execute());
  }
  return opened;
}

/**
 * Returns whether an update changes nothing but `asOf`. Such an update is not written: an alert takes `asOf` from the check that
 * plans it.
 */
function isUnchanged(
  { id, confirmedAt, clearingSince, facts }: StoredIncident,
  change: Extract<IncidentChange, { kind: 'update' }>,
): boolean {
  return (
    change.id === id &&
    change.confirmedAt === confirmedAt &&
    change.clearingSince === clearingSince &&
    isDeepStrictEqual({ ...change.facts, asOf: facts.asOf }, facts)
  );
}

/** Returns the key of a new incident in the result of `writeIncidents`. */
export const incidentKey = ({ problem, fingerprint }: { problem: Problem; fingerprint: string }): string =>
  `${problem}:${fingerprint}`;

function columnsOf(change: Exclude<IncidentChange, { kind: 'open' | 'drop' }>) {
  if (change.kind === 'end')
    return { ended_at: change.endedAt, recovered: Number(change.recovered), reports_end: 0 };
  return {
    confirmed_at: change.confirmedAt,
    clearing_since: change.clearingSince,
    message: change.facts.message ?? '',
    facts: JSON.stringify(change.facts),
  };
}

export interface StoredIncident extends KnownIncident {
  monitorId: string;
}

/**
 * Returns up to 50 confirmed incidents of a monitor: open ones, then those that ended after
 * `since` (ms UTC), newest first.
 */
export async function incidentsOf(
  db: Kysely<Tables>,
  { accountId, monitorId, since }: MonitorKey & { since: number },
): Promise<StoredIncident[]> {
  const rows = await selectKnown(db, accountId)
    .where('monitor_id', '=', monitorId)
    .where('confirmed_at', 'is not', null)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', since)]))
    .orderBy((eb) => eb.case().when('ended_at', 'is', null).then(0).else(1).end())
    .orderBy('started_at', 'desc')
    .limit(MAX_SHOWN)
    .execute();
  return withNotified(db, accountId, rows);
}

/** Returns the open expiry incidents of these monitors. */
export async function openExpiries(
  db: Kysely<Tables>,
  { accountId, monitorIds }: { accountId: string; monitorIds: readonly string[] },
): Promise<StoredIncident[]> {
  const rows = await selectKnown(db, accountId)
    .where('members.problem', '=', 'expiry')
    .where('ended_at', 'is', null)
    .where('monitor_id', 'in', monitorIds)
    .execute();
  return withNotified(db, accountId, rows);
}

const MAX_SHOWN = 50;

/**
 * Finds the member with this id, else a member of the incident with this id, preferably an open one. Returns null if there is
 * neither.
 */
export async function memberOfIncident(
  db: Kysely<Tables>,
  { accountId, incidentId }: { accountId: string; incidentId: string },
) {
  const members = db
    .selectFrom('incident_members')
    .select(['id', 'incident_id', 'monitor_id'])
    .where('account_id', '=', accountId)
    .limit(1);
  const member =
    (await members.where('id', '=', incidentId).executeTakeFirst()) ??
    (await members
      .where('incident_id', '=', incidentId)
      .orderBy('ended_at', (order) => order.desc().nullsFirst())
      .executeTakeFirst());
  return member ?? null;
}

/**
 * Acknowledges an incident, snoozes it until `snoozedUntil` (ms UTC), or undoes either, for all its members. The first two supersede
 * waiting deliveries. After undoing or a snooze, a check sends the alerts still needed. Returns what `memberOfIncident` finds.
 */
export async function changeIncident(
  store: Store,
  request: {
    accountId: string;
    incidentId: string;
    change: { acknowledged: boolean } | { snoozedUntil: number | null };
    now: number;
  },
): Promise<StoredIncident | null> {
  const { accountId, change, now } = request;
  const isSilenced = 'acknowledged' in change ? change.acknowledged : change.snoozedUntil !== null;
  const changed = await inTransaction(store, async (trx) => {
    // Lock, because a check decides on alerts under the same lock.
    await lockAlerts(trx, store.dialect, accountId);
    const found = await memberOfIncident(trx, request);
    if (found === null) return null;
    const { id, incident_id: incidentId } = found;
    await trx
      .updateTable('incidents')
      .set(
        'acknowledged' in change
          ? { acknowledged_at: change.acknowledged ? now : null }
          : { snoozed_until: change.snoozedUntil },
      )
      .where('account_id', '=', accountId)
      .where('id', '=', incidentId)
      .execute();
    if (isSilenced) await supersedeWaiting(trx, { accountId, incidentId, now });
    const rows = await selectKnown(trx, accountId).where('members.id', '=', id).execute();
    return (await withNotified(trx, accountId, rows))[0] ?? null;
  });
  if (changed === null) return null;
  const open = await store.db
    .selectFrom('incident_members')
    .select('monitor_id')
    .where('account_id', '=', accountId)
    .where('incident_id', '=', changed.incidentId)
    .where('ended_at', 'is', null)
    .execute();
  const monitorIds = [...new Set([changed.monitorId, ...open.map(({ monitor_id: of }) => of)])];
  const at = 'snoozedUntil' in change ? (change.snoozedUntil ?? now) : now;
  // Use later transactions, because monitors must be locked before alerts. Use batches, because a certificate may have 100,000
  // domains.
  if (!isSilenced || 'snoozedUntil' in change)
    for (const batch of batches(monitorIds))
      await inTransaction(store, (trx) => makeDueBy(trx, { accountId, monitorId: batch, at }));
  const monitorId = monitorIds.length === 1 ? changed.monitorId : null;
  store.signals.publish({ topic: 'alerts', accountId, monitorId });
  store.signals.publish({ topic: 'due' });
  return changed;
}

/**
 * Supersedes the incident's waiting deliveries. Keeps those of the step `resolved`, which say that no action is needed.
 */
async function supersedeWaiting(
  trx: Transaction<Tables>,
  { accountId, incidentId, now }: { accountId: string; incidentId: string; now: number },
): Promise<void> {
  await supersedeWaitingQuery(trx, { detail: 'You acknowledged or snoozed the incident.', now })
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where('lease_token', 'is', null)
    .where('alert_id', 'in', (eb) =>
      eb
        .selectFrom('alerts')
        .select('alerts.id')
        .where('alerts.account_id', '=', accountId)
        .where('alerts.incident_id', '=', incidentId)
        .where('alerts.step', '!=', 'resolved'),
    )
    .execute();
}
