import { type Kysely, sql, type SqlBool } from 'kysely';
import { uptimeWindowDays } from '../../core/check/uptime.ts';
import { RETENTION_GRACE_MS } from '../../core/plan.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Monitors per transaction. Batches are small, because the embedded database has one writer and others wait for it. */
const BATCH_SIZE = 200;

interface Position {
  account_id: string;
  id: string;
}

/**
 * Deletes in batches the runs, days and incidents with alerts that the account's plan no longer shows, rows above
 * `MAX_PER_MONITOR`, and evidence and verdicts without a run. Stops between batches when `stopping` aborts. Returns the number of
 * deleted rows, without alerts, evidence and verdicts.
 */
export async function prunePast(store: Store, now: number, stopping?: AbortSignal): Promise<number> {
  let removed = 0;
  for (let after: Position = { account_id: '', id: '' }; ;) {
    const page = await store.db
      .selectFrom('monitors')
      .select(['account_id', 'id'])
      .where(sql<boolean>`(account_id, id) > (${after.account_id}, ${after.id})`)
      .orderBy('account_id')
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute();
    const last = page.at(-1);
    if (!last) return removed;
    for (const retention of ['free', 'premium'] as const) {
      if (stopping?.aborted) return removed;
      removed += await pruneBatch(store, { after, last, retention, now });
    }
    after = last;
  }
}

interface Batch {
  after: Position;
  last: Position;
  retention: 'free' | 'premium';
  now: number;
}

async function pruneBatch(store: Store, batch: Batch): Promise<number> {
  const { retention, now } = batch;
  if (store.everyonePremium && retention === 'free') return 0;
  const before = now - RETENTION_GRACE_MS - uptimeWindowDays(retention) * DAY_MS;
  return inTransaction(store, async (trx) => {
    const old = { before, of: conditionFor(store, batch) };
    const runs = await deleteOld(trx, 'check_runs', 'last_at', old);
    const days = await deleteOld(trx, 'monitor_days', 'day_at', old);
    const incidents = await deleteOld(trx, 'incidents', 'ended_at', old);
    let excess = 0;
    for (const table of LIMITED_TABLES) excess += await deleteExcess(trx, table, old.of);
    if (runs + excess > 0) await deleteUnreferenced(trx, old.of);
    return runs + days + incidents + excess;
  });
}

/** Returns an SQL condition for the monitors of a batch (a range of keys) whose accounts have this retention. */
function conditionFor(store: Store, { after, last, retention, now }: Batch) {
  const range = sql<SqlBool>`(monitors.account_id, monitors.id) > (${after.account_id}, ${after.id})
    and (monitors.account_id, monitors.id) <= (${last.account_id}, ${last.id})`;
  if (store.everyonePremium) return range;
  const since = now - RETENTION_GRACE_MS;
  const hadPremium = sql<SqlBool>`exists (select 1 from accounts where accounts.id = monitors.account_id
    and ((accounts.plan = 'premium' and (accounts.plan_ends_at is null or accounts.plan_ends_at > ${since}))
      or accounts.trial_ends_at > ${since}
      or (accounts.granted_at is not null and (accounts.grant_ends_at is null or accounts.grant_ends_at > ${since}))
      or exists (select 1 from subscriptions where subscriptions.account_id = accounts.id
        and (subscriptions.period_ends_at > ${since} or subscriptions.told_at > ${since}))))`;
  return retention === 'premium'
    ? sql<SqlBool>`${range} and ${hadPremium}`
    : sql<SqlBool>`${range} and not ${hadPremium}`;
}

/** SQL condition for incidents whose alerts no other incident of the certificate needs any more. */
const leadsNoOthers = sql<SqlBool>`not exists (select 1 from incidents member
  where member.account_id = old.account_id and member.group_id = old.id)`;

type OldRows = { before: number; of: ReturnType<typeof conditionFor> };

/**
 * Deletes rows whose time is before `before`; returns how many. CROSS JOIN fixes SQLite's join order: in the other order it reads
 * all rows of an account per batch. MATERIALIZED: with outdated statistics, PostgreSQL would repeat the subquery for each row.
 */
async function deleteOld(
  trx: Kysely<Tables>,
  table: 'check_runs' | 'monitor_days' | 'incidents',
  timeColumn: 'last_at' | 'day_at' | 'ended_at',
  { before, of }: OldRows,
): Promise<number> {
  const key = { check_runs: 'number', monitor_days: 'day_at', incidents: 'id' }[table];
  const old = sql.table(table);
  const { numAffectedRows } = await sql`with ended as materialized (
        select old.account_id, ${sql.ref(`old.${key}`)} as key, old.monitor_id
        from monitors cross join ${old} old
        where old.account_id = monitors.account_id and old.monitor_id = monitors.id
          and ${of} and ${sql.ref(`old.${timeColumn}`)} < ${before}
          ${table === 'incidents' ? sql`and ${leadsNoOthers}` : sql``})
      delete from ${old} where (account_id, ${sql.ref(key)}, monitor_id) in (select account_id, key, monitor_id from ended)`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/**
 * Maximum rows per monitor, in addition to the limit on their age. An endpoint whose result changes at each check, checked as
 * often as its owner may request, adds 8,640 rows a day.
 */
const MAX_PER_MONITOR = {
  check_runs: { maximum: 20_000, key: 'number', newest: 'number', isDeletable: sql`old.last_at is not null` },
  incidents: {
    maximum: 5_000,
    key: 'id',
    newest: 'started_at',
    isDeletable: sql`old.ended_at is not null and ${leadsNoOthers}`,
  },
  monitor_certificates: {
    maximum: 5_000,
    key: 'fingerprint',
    newest: 'last_seen_at',
    isDeletable: sql`old.kept = 0`,
  },
} as const;
const LIMITED_TABLES = ['check_runs', 'incidents', 'monitor_certificates'] as const;

/**
 * Deletes all but the newest rows of each monitor, except those still in use; returns how many. MATERIALIZED: otherwise the
 * databases compute the limit of a monitor again for each row.
 */
async function deleteExcess(
  trx: Kysely<Tables>,
  name: (typeof LIMITED_TABLES)[number],
  of: OldRows['of'],
): Promise<number> {
  const { maximum, key, newest, isDeletable } = MAX_PER_MONITOR[name];
  const table = sql.table(name);
  const [id, at] = [sql.ref(key), sql.ref(`old.${newest}`)];
  const { numAffectedRows } = await sql`
    with edges as materialized (
      select monitors.account_id, monitors.id, (
        select ${at} from ${table} old where old.account_id = monitors.account_id and old.monitor_id = monitors.id
        order by ${at} desc limit 1 offset ${maximum}) as edge
      from monitors where ${of})
, beyond as materialized (
      select old.account_id, ${sql.ref(`old.${key}`)} as key, old.monitor_id
      from edges cross join ${table} old
      where old.account_id = edges.account_id and old.monitor_id = edges.id and ${at} <= edges.edge and ${isDeletable})
    delete from ${table} where (account_id, ${id}, monitor_id) in (select account_id, key, monitor_id from beyond)`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Deletes evidence and verdicts of these monitors that neither a run nor the last check uses. */
async function deleteUnreferenced(trx: Kysely<Tables>, of: OldRows['of']): Promise<void> {
  for (const [table, column] of [
    ['evidence', 'evidence_id'],
    ['verdicts', 'verdict_id'],
  ] as const) {
    const kept = sql.table(table);
    const refers = (from: string) => sql`exists (select 1 from ${sql.table(from)} run
      where run.account_id = old.account_id and run.monitor_id = old.monitor_id
        and ${sql.ref(`run.${column}`)} = old.id)`;
    await sql`delete from ${kept} where (account_id, monitor_id, id) in (
        select old.account_id, old.monitor_id, old.id
        from monitors cross join ${kept} old
        where old.account_id = monitors.account_id and old.monitor_id = monitors.id
          and ${of} and not ${refers('check_runs')} and not ${refers('monitor_states')})`.execute(trx);
  }
}
