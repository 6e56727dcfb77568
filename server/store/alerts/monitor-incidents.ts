import type { Kysely, Selectable, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AlertFacts, Problem } from '../../core/alerting/alert.ts';
import {
  type IncidentChange,
  type KnownIncident,
  REMEMBER_INCIDENTS_MS,
} from '../../core/alerting/incident.ts';
import type { EarlierDelivery } from '../../core/alerting/route.ts';
import { supersedeWaitingQuery } from './alerts.ts';
import { NOT_NOTIFIED, type Notified, notifiedSteps } from './incidents.ts';
import type { StoredGroup } from './certificate-incidents.ts';
import { handOverAlerts } from './leaving-domains.ts';
import { compileOnce, locked } from '../db/dialect.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import type { IncidentsTable } from '../schema/alert-tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { readAlertFacts } from './stored-alerts.ts';
import { makeDueBy } from '../monitors/check-due.ts';

const incidentsSince = compileOnce((db, { accountId, monitorId, since }: MonitorKey & { since: number }) =>
  db
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', since)]))
    .orderBy('started_at')
    .orderBy('problem')
    .compile(),
);

/** Returns the incidents of a monitor that the alert rules need: open, or ended within `REMEMBER_INCIDENTS_MS`. */
export async function knownIncidents(
  db: Kysely<Tables>,
  { now, ...key }: MonitorKey & { now: number },
): Promise<StoredIncident[]> {
  const rows = await incidentsSince(db, { ...key, since: now - REMEMBER_INCIDENTS_MS });
  return withNotified(db, key.accountId, rows);
}

/** Returns the deliveries of these incidents and their groups, because the routes of further alerts depend on them. */
export async function earlierDeliveries(
  db: Kysely<Tables>,
  accountId: string,
  incidents: readonly StoredIncident[],
): Promise<EarlierDelivery[]> {
  if (incidents.length === 0) return [];
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', (join) =>
      join
        .onRef('alerts.account_id', '=', 'deliveries.account_id')
        .onRef('alerts.id', '=', 'deliveries.alert_id'),
    )
    .select(['deliveries.channel_key', 'deliveries.state', 'deliveries.unanswered', 'alerts.step'])
    .select('deliveries.incident_id as carrier')
    .where('deliveries.account_id', '=', accountId)
    .where('deliveries.incident_id', 'in', carriersOf(incidents))
    .execute();
  return incidents.flatMap((incident) =>
    rows
      .filter(({ carrier }) => carrier === incident.id || carrier === incident.groupId)
      .map(({ step, channel_key: channelKey, state, unanswered }) => ({
        incidentId: incident.id,
        step,
        channelKey,
        state,
        isBeingSent: unanswered > 0,
      })),
  );
}

/** Returns the ids of the incidents that carry the alerts: the groups, and incidents that were alone when they were reported. */
const carriersOf = (incidents: readonly Pick<StoredIncident, 'id' | 'groupId'>[]): string[] => [
  ...new Set(incidents.flatMap(({ id, groupId }) => [id, groupId])),
];

const groupOf = ({ id, group_id: groupId }: Pick<Row, 'id' | 'group_id'>): string => groupId ?? id;

type Row = Selectable<IncidentsTable>;

async function withNotified(
  db: Kysely<Tables>,
  accountId: string,
  rows: readonly Row[],
): Promise<StoredIncident[]> {
  if (rows.length === 0) return [];
  const incidents = rows.map((row) => ({ id: row.id, groupId: groupOf(row) }));
  const notified = await notifiedSteps(db, accountId, carriersOf(incidents));
  return rows.map((row) => {
    const ofGroup = notified.get(groupOf(row)) ?? NOT_NOTIFIED;
    return toStored(row, row.group_id === null ? ofGroup : together(ofGroup, notified.get(row.id)));
  });
}

function together(one: Notified, other: Notified = NOT_NOTIFIED): Notified {
  const times = [one.lastStepAt, other.lastStepAt].filter((at) => at !== null);
  return {
    notifiedSteps: [...one.notifiedSteps, ...other.notifiedSteps],
    lastStepAt: times.length === 0 ? null : Math.max(...times),
  };
}

function toStored(row: Row, notified: Notified): StoredIncident {
  return {
    id: row.id,
    groupId: groupOf(row),
    monitorId: row.monitor_id,
    problem: row.problem,
    fingerprint: row.fingerprint,
    startedAt: row.started_at,
    confirmedAt: row.confirmed_at,
    clearingSince: row.clearing_since,
    endedAt: row.ended_at,
    recovered: row.recovered === 1,
    acknowledgedAt: row.acknowledged_at,
    snoozedUntil: row.snoozed_until,
    ...notified,
    facts: factsOf(row),
  };
}

/**
 * Returns the facts of an incident. Rows from before the column `facts` have only a message, in the column `message`.
 */
function factsOf(row: Pick<Row, 'facts' | 'message' | 'started_at' | 'ended_at'>): AlertFacts {
  const facts = readAlertFacts(row.facts, { at: row.started_at, message: row.message || null });
  return { ...facts, endedAt: row.ended_at };
}

/**
 * Writes the incident changes of a check, without updates that change nothing. `known`: the incidents before it; `groups`:
 * those that opened incidents join. Returns for opened incidents the ids of those that carry their alerts, by `incidentKey`.
 */
export async function writeIncidents(
  trx: Transaction<Tables>,
  {
    accountId,
    monitorId,
    changes,
    known,
    groups,
  }: MonitorKey & {
    changes: readonly IncidentChange[];
    known: readonly StoredIncident[];
    groups: readonly StoredGroup[];
  },
): Promise<Map<string, string>> {
  const opened = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === 'update' && known.some((incident) => isUnchanged(incident, change))) continue;
    if (change.kind === 'open') {
      const { problem, fingerprint, facts, cause } = change;
      const id = randomUUID();
      const groupId = groups.find((one) => incidentKey(one) === incidentKey(change))?.id ?? null;
      opened.set(incidentKey(change), groupId ?? id);
      await trx
        .insertInto('incidents')
        .values({
          account_id: accountId,
          id,
          monitor_id: monitorId,
          group_id: groupId,
          problem,
          fingerprint,
          started_at: change.startedAt,
          confirmed_at: change.confirmedAt,
          recovered: 0,
          cause,
          message: facts.message ?? '',
          facts: JSON.stringify(facts),
        })
        .execute();
    } else if (change.kind === 'drop') {
      await handOverAlerts(trx, accountId, [change.id]);
      await trx
        .deleteFrom('incidents')
        .where('account_id', '=', accountId)
        .where('id', '=', change.id)
        .execute();
    } else {
      await trx
        .updateTable('incidents')
        .set(columnsOf(change))
        .where('account_id', '=', accountId)
        .where('id', '=', change.id)
        .execute();
    }
  }
  return opened;
}

/** Returns whether an update would only change `asOf`. It is not needed then: an alert takes `asOf` from the check that plans the alert. */
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

/** Returns the key of an opened incident in the result of `writeIncidents`. */
export const incidentKey = ({ problem, fingerprint }: { problem: Problem; fingerprint: string }): string =>
  `${problem}:${fingerprint}`;

function columnsOf(change: Exclude<IncidentChange, { kind: 'open' | 'drop' }>) {
  if (change.kind === 'end') return { ended_at: change.endedAt, recovered: Number(change.recovered) };
  if (change.kind === 'reopen') return { ended_at: null, clearing_since: null, recovered: 0 };
  return {
    confirmed_at: change.confirmedAt,
    clearing_since: change.clearingSince,
    message: change.facts.message ?? '',
    facts: JSON.stringify(change.facts),
  };
}

export interface StoredIncident extends KnownIncident {
  monitorId: string;
  /** Id of the incident that carries the alerts of its certificate; its own id if it is alone. */
  groupId: string;
}

/**
 * Returns up to 50 confirmed incidents of a monitor: open ones, then those that ended after
 * `since` (ms UTC), newest first.
 */
export async function incidentsOf(
  db: Kysely<Tables>,
  { accountId, monitorId, since }: MonitorKey & { since: number },
): Promise<StoredIncident[]> {
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
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
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('problem', '=', 'expiry')
    .where('ended_at', 'is', null)
    .where('monitor_id', 'in', monitorIds)
    .execute();
  return withNotified(db, accountId, rows);
}

const MAX_SHOWN = 50;

/**
 * Acknowledges an incident and the others of its certificate, snoozes them until `snoozedUntil` (ms UTC), or undoes that. The first
 * two supersede waiting deliveries. A check at the end of the snooze, or at once after undoing, sends the alerts still needed. Returns
 * null if the account has no such incident.
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
  const { accountId, incidentId, change, now } = request;
  const ofAccount = store.db.selectFrom('incidents').where('account_id', '=', accountId);
  const owned = await ofAccount.selectAll().where('id', '=', incidentId).executeTakeFirst();
  if (owned === undefined) return null;
  const groupId = groupOf(owned);
  const concerned = await ofAccount
    .select(['id', 'monitor_id'])
    .where((eb) =>
      eb.or([
        eb('id', '=', incidentId),
        eb('ended_at', 'is', null).and(eb.or([eb('id', '=', groupId), eb('group_id', '=', groupId)])),
      ]),
    )
    .execute();
  const isSilenced = 'acknowledged' in change ? change.acknowledged : change.snoozedUntil !== null;
  const at = 'snoozedUntil' in change ? (change.snoozedUntil ?? now) : now;
  // Several transactions, because a certificate may have 100,000 domains, and checks wait for their locks.
  for (const batch of batches(concerned))
    await inTransaction(store, async (trx) => {
      const monitorIds = batch.map(({ monitor_id: id }) => id);
      // Recording a check locks the monitor and decides from the incidents it read, so this change takes the same locks.
      await locked(
        store.dialect,
        trx
          .selectFrom('monitors')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', 'in', monitorIds)
          .orderBy('id'),
      ).execute();
      await trx
        .updateTable('incidents')
        .set(
          'acknowledged' in change
            ? { acknowledged_at: change.acknowledged ? now : null }
            : { snoozed_until: change.snoozedUntil },
        )
        .where('account_id', '=', accountId)
        .where(
          'id',
          'in',
          batch.map(({ id }) => id),
        )
        .execute();
      if (!isSilenced || 'snoozedUntil' in change)
        await makeDueBy(trx, { accountId, monitorId: monitorIds, at });
    });
  // Supersede at the end: a superseded delivery no longer counts as sent, so the check of a domain that is not silenced yet would queue it
  // again.
  const changed = await inTransaction(store, async (trx) => {
    if (isSilenced)
      for (const id of new Set([incidentId, groupId]))
        await supersedeWaiting(trx, { accountId, incidentId: id, now });
    const rows = await trx
      .selectFrom('incidents')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', incidentId)
      .execute();
    return (await withNotified(trx, accountId, rows))[0] ?? null;
  });
  const [first, ...others] = concerned;
  const monitorId = others.length === 0 ? (first?.monitor_id ?? null) : null;
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
