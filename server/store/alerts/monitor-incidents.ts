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
import { superseding } from './alerts.ts';
import { lockMonitor, type MonitorKey } from '../monitors/monitor-change.ts';
import { makeDueBy } from '../monitors/monitor-claims.ts';
import type { Store } from '../db/open-store.ts';
import type { DeliveryState, IncidentsTable } from '../schema/alert-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { HOUR_MS } from '../../../contract/durations.ts';
import { readIncidentFacts } from './alert-facts.ts';

/** Incidents of a monitor as rules see them: those that are open, and those that ended lately. */
export async function knownIncidents(
  db: Kysely<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<KnownIncident[]> {
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', now - REMEMBER_INCIDENTS_MS)]))
    .orderBy('started_at')
    .orderBy('problem')
    .execute();
  return withTold(db, accountId, rows);
}

/** Reads the deliveries of these incidents, as routes of further alerts follow from them. */
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

async function withTold(
  db: Kysely<Tables>,
  accountId: string,
  rows: readonly Row[],
): Promise<StoredIncident[]> {
  if (rows.length === 0) return [];
  const told = await toldSteps(
    db,
    accountId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toStored(row, told.get(row.id)));
}

const TELLS: ReadonlySet<string | null> = new Set<DeliveryState>(['waiting', 'delivered']);
type Told = Pick<KnownIncident, 'told' | 'toldAt'>;
const UNTOLD: Told = { told: [], toldAt: null };

function toStored(row: Row, told: Told = UNTOLD): StoredIncident {
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
    ...told,
    facts: factsOf(row),
  };
}

/** The clock may be wrong by so much without anybody noticing. */
const CLOCK_ERROR_MS = HOUR_MS;

/**
 * Undoes what was decided while the clock ran ahead: a certificate that "had expired" then would never be told of again. Which
 * messages left stays in the mailboxes alone.
 */
export async function forgetTheFuture(
  trx: Transaction<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<void> {
  const ahead = now + CLOCK_ERROR_MS;
  // Asked first: at nearly every check there is nothing of the kind.
  const { rows } = await sql<{ found: number }>`select 1 as found where exists (
      select 1 from alerts where account_id = ${accountId} and monitor_id = ${monitorId} and created_at > ${ahead})
    or exists (select 1 from incidents where account_id = ${accountId} and monitor_id = ${monitorId}
      and (started_at > ${ahead} or (ended_at is null and clearing_since > ${ahead})))`.execute(trx);
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

const NO_FACTS = { certificate: null, fix: null, successor: null };

/** Rows from before incidents had facts say what they say in columns. */
function factsOf(row: Pick<Row, 'facts' | 'message' | 'started_at' | 'ended_at'>): AlertFacts {
  const { message, started_at: startedAt, ended_at: endedAt } = row;
  const said = { ...NO_FACTS, asOf: startedAt, message: message || null, startedAt };
  return { ...said, ...readIncidentFacts(row.facts), endedAt };
}

/**
 * What people were told of each incident, or will be. What failed or was superseded on every channel, or went to none, nobody was
 * told.
 */
async function toldSteps(
  db: Kysely<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<Map<string, Told>> {
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
  const told = new Map<string, Told>();
  for (const alert of Map.groupBy(rows, ({ id }) => id).values()) {
    const [first] = alert;
    if (!first?.incident_id || alert.every(({ state }) => !TELLS.has(state))) continue;
    const before = told.get(first.incident_id) ?? UNTOLD;
    told.set(first.incident_id, {
      told: [...before.told, first.step],
      toldAt: first.step === 'resolved' ? before.toldAt : Math.max(before.toldAt ?? 0, first.created_at),
    });
  }
  return told;
}

/**
 * Writes what became of incidents, in the transaction of the check that saw it. Returns the ids of those that opened, by problem
 * and fingerprint.
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

/** What `writeIncidents` calls one that opens. */
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

/** An incident for the page. */
export interface StoredIncident extends KnownIncident {
  monitorId: string;
}

/** The confirmed incidents of a monitor that last, then those that ended after `since` (ms UTC); newest first. */
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
    .limit(MOST_SHOWN)
    .execute();
  return withTold(db, accountId, rows);
}

/** The open incidents of expiry of these monitors. */
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
  return withTold(db, accountId, rows);
}

const MOST_SHOWN = 50;

/**
 * Notes that a person knows of an incident, or wants to hear nothing of it until then (ms UTC; null: from now on again). What
 * waited to be sent is dropped; what is due to be told after all, the next check tells, which is due in time for it. Null: the
 * account has no such incident.
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
    // A check that records holds the monitor, and decides on what it read of its incidents.
    const monitor = owned && (await lockMonitor(store, trx, { accountId, monitorId: owned.id }));
    if (!monitor) return null;
    const isSilent = 'acknowledged' in change ? change.acknowledged : change.snoozedUntil !== null;
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
    if (isSilent) await dropWaiting(trx, { accountId, incidentId, now });
    const at = 'snoozedUntil' in change ? (change.snoozedUntil ?? now) : now;
    if (!isSilent || 'snoozedUntil' in change) await makeDueBy(trx, { accountId, monitorId: monitor.id, at });
    const [changed] = await withTold(trx, accountId, [row]);
    return changed ?? null;
  });
  if (changed) {
    store.signals.publish({ topic: 'alerts', accountId, monitorId: changed.monitorId });
    store.signals.publish({ topic: 'due' });
  }
  return changed;
}

/** Good news stays: it says that there is nothing to do any more. */
async function dropWaiting(
  trx: Transaction<Tables>,
  { accountId, incidentId, now }: { accountId: string; incidentId: string; now: number },
): Promise<void> {
  await superseding(trx, { detail: 'You asked not to be reminded.', now })
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
