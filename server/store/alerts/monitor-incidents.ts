import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import {
  type AlertFacts,
  type EarlierDelivery,
  type IncidentChange,
  type KnownIncident,
  type Problem,
  REMEMBER_INCIDENTS_MS,
} from '../../core/index.ts';
import { supersedeWaitingQuery } from './alerts.ts';
import { compileOnce } from '../db/dialect.ts';
import { lockMonitor, type MonitorKey } from '../monitors/monitor-change.ts';
import type { Store } from '../db/open-store.ts';
import type { DeliveryState, IncidentsTable } from '../schema/alert-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { HOUR_MS } from '../../../contract/durations.ts';
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
): Promise<KnownIncident[]> {
  const rows = await incidentsSince(db, { ...key, since: now - REMEMBER_INCIDENTS_MS });
  return withNotified(db, key.accountId, rows);
}

/** Returns the deliveries of these incidents, because the routes of further alerts depend on them. */
export async function earlierDeliveries(
  db: Kysely<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<EarlierDelivery[]> {
  if (incidentIds.length === 0) return [];
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', (join) =>
      join
        .onRef('alerts.account_id', '=', 'deliveries.account_id')
        .onRef('alerts.id', '=', 'deliveries.alert_id'),
    )
    .select(['deliveries.channel_key', 'deliveries.state', 'deliveries.unanswered', 'alerts.step'])
    .select((eb) => eb.ref('deliveries.incident_id').$notNull().as('incidentId'))
    .where('deliveries.account_id', '=', accountId)
    .where('deliveries.incident_id', 'in', incidentIds)
    .execute();
  return rows.map(({ incidentId, step, channel_key: channelKey, state, unanswered }) => ({
    incidentId,
    step,
    channelKey,
    state,
    isBeingSent: unanswered > 0,
  }));
}

type Row = Selectable<IncidentsTable>;

async function withNotified(
  db: Kysely<Tables>,
  accountId: string,
  rows: readonly Row[],
): Promise<StoredIncident[]> {
  if (rows.length === 0) return [];
  const notified = await notifiedSteps(
    db,
    accountId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toStored(row, notified.get(row.id)));
}

const NOTIFYING_STATES: ReadonlySet<string | null> = new Set<DeliveryState>(['waiting', 'delivered']);
type Notified = Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>;
const NOT_NOTIFIED: Notified = { notifiedSteps: [], lastStepAt: null };

function toStored(row: Row, notified: Notified = NOT_NOTIFIED): StoredIncident {
  return {
    id: row.id,
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

/** Clock error that may go unnoticed. Records that are at most this far ahead are kept. */
const CLOCK_ERROR_MS = HOUR_MS;

/** Selects a row if there are incidents or alerts after a time. Nearly every check finds none. */
const foundAfter = compileOnce((db, { accountId, monitorId, ahead }: MonitorKey & { ahead: number }) =>
  sql<{ found: number }>`select 1 as found where exists (
      select 1 from alerts where account_id = ${accountId} and monitor_id = ${monitorId} and created_at > ${ahead})
    or exists (select 1 from incidents where account_id = ${accountId} and monitor_id = ${monitorId}
      and (started_at > ${ahead} or (ended_at is null and clearing_since > ${ahead})))`.compile(db),
);

/**
 * Deletes incidents and alerts recorded while the clock ran ahead, also alerts already sent, and resets `clearing_since`. Otherwise
 * a certificate that seemed expired then would never be reported again.
 */
export async function deleteFutureIncidents(
  trx: Transaction<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<void> {
  const ahead = now + CLOCK_ERROR_MS;
  const rows = await foundAfter(trx, { accountId, monitorId, ahead });
  if (rows.length === 0) return;
  await trx
    .deleteFrom('incidents')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('started_at', '>', ahead)
    .execute();
  await trx
    .deleteFrom('alerts')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('created_at', '>', ahead)
    .execute();
  await trx
    .updateTable('incidents')
    .set({ clearing_since: null })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('ended_at', 'is', null)
    .where('clearing_since', '>', ahead)
    .execute();
}

/**
 * Returns the facts of an incident. Rows from before the column `facts` have only a message, in the column `message`.
 */
function factsOf(row: Pick<Row, 'facts' | 'message' | 'started_at' | 'ended_at'>): AlertFacts {
  const facts = readAlertFacts(row.facts, { at: row.started_at, message: row.message || null });
  return { ...facts, endedAt: row.ended_at };
}

/**
 * Returns the steps with a waiting or delivered delivery, by incident id. Omits alerts that notified nobody: alerts without a
 * channel, and alerts that failed or were superseded on every channel.
 */
async function notifiedSteps(
  db: Kysely<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<Map<string, Notified>> {
  const rows = await db
    .selectFrom('alerts')
    .leftJoin('deliveries', (join) =>
      join
        .onRef('deliveries.account_id', '=', 'alerts.account_id')
        .onRef('deliveries.alert_id', '=', 'alerts.id'),
    )
    .select(['alerts.id', 'alerts.incident_id', 'alerts.step', 'alerts.created_at', 'deliveries.state'])
    .where('alerts.account_id', '=', accountId)
    .where('alerts.incident_id', 'in', incidentIds)
    .orderBy('alerts.created_at')
    .orderBy('alerts.id')
    .execute();
  const notified = new Map<string, Notified>();
  for (const alert of Map.groupBy(rows, ({ id }) => id).values()) {
    const [first] = alert;
    if (!first?.incident_id || alert.every(({ state }) => !NOTIFYING_STATES.has(state))) continue;
    const before = notified.get(first.incident_id) ?? NOT_NOTIFIED;
    notified.set(first.incident_id, {
      notifiedSteps: [...before.notifiedSteps, first.step],
      lastStepAt:
        first.step === 'resolved' ? before.lastStepAt : Math.max(before.lastStepAt ?? 0, first.created_at),
    });
  }
  return notified;
}

/**
 * Writes incident changes in the transaction of the check that caused them. Returns the ids of opened
 * incidents, by `incidentKey`.
 */
export async function writeIncidents(
  trx: Transaction<Tables>,
  { accountId, monitorId, changes }: MonitorKey & { changes: readonly IncidentChange[] },
): Promise<Map<string, string>> {
  const opened = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === 'open') {
      const { problem, fingerprint, facts, cause } = change;
      const id = randomUUID();
      opened.set(incidentKey(change), id);
      await trx
        .insertInto('incidents')
        .values({
          account_id: accountId,
          id,
          monitor_id: monitorId,
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

/** An incident with the id of its monitor. */
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
 * Acknowledges an incident, snoozes it until `snoozedUntil` (ms UTC), or undoes that. The first two supersede waiting deliveries. A
 * check at the end of the snooze, or at once after undoing, sends the alerts still needed. Returns null if the account has no such
 * incident.
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
  const changed = await inTransaction(store, async (trx) => {
    const owned = await trx
      .selectFrom('incidents')
      .select('monitor_id as id')
      .where('id', '=', incidentId)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    // Recording a check locks the monitor and decides from the incidents it read, so this change takes the same lock.
    const monitor = owned && (await lockMonitor(store, trx, { accountId, monitorId: owned.id }));
    if (!monitor) return null;
    const isSilenced = 'acknowledged' in change ? change.acknowledged : change.snoozedUntil !== null;
    const row = await trx
      .updateTable('incidents')
      .set(
        'acknowledged' in change
          ? { acknowledged_at: change.acknowledged ? now : null }
          : { snoozed_until: change.snoozedUntil },
      )
      .where('account_id', '=', accountId)
      .where('id', '=', incidentId)
      .returningAll()
      .executeTakeFirst();
    if (!row) return null;
    if (isSilenced) await supersedeWaiting(trx, { accountId, incidentId, now });
    const at = 'snoozedUntil' in change ? (change.snoozedUntil ?? now) : now;
    if (!isSilenced || 'snoozedUntil' in change)
      await makeDueBy(trx, { accountId, monitorId: monitor.id, at });
    const [changed] = await withNotified(trx, accountId, [row]);
    return changed ?? null;
  });
  if (changed) {
    store.signals.publish({ topic: 'alerts', accountId, monitorId: changed.monitorId });
    store.signals.publish({ topic: 'due' });
  }
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
