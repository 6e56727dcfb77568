import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import { uptimeWindowDays } from '../../core/check/uptime.ts';
import { RETENTION_GRACE_MS } from '../../core/plan.ts';
import type { Store } from '../db/open-store.ts';
import { tablesWith } from '../schema/catalogue.ts';
import type { HistoryRule } from '../schema/catalogue-rules.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Monitors per transaction. Batches are small, because SQLite has one writer, and other writes wait during a batch. */
const BATCH_SIZE = 200;

interface Position {
  account_id: string;
  id: string;
}

/**
 * Deletes, in batches, runs, days and incidents older than the plan shows, rows above the maximum per monitor, and evidence and
 * verdicts without a run. Stops between batches when `stopping` aborts. Returns the number of deleted runs, days and incidents.
 */
export async function pruneHistory(store: Store, now: number, stopping?: AbortSignal): Promise<number> {
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
    const of = conditionFor(store, batch);
    const tables = tablesWith('history').map(([name, history]) => ({
      table: sql.table(name),
      name,
      ...history,
    }));
    const removed: Partial<Record<keyof Tables, number>> = {};
    for (const kept of tables)
      removed[kept.name] = (await deleteOld(trx, kept, { before, of })) + (await deleteExcess(trx, kept, of));
    if (removed.check_runs) for (const kept of tables) await deleteUnreferenced(trx, kept, of);
    return Object.values(removed).reduce((sum, count) => sum + count);
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

type Kept = HistoryRule & { table: RawBuilder<unknown> };
type Condition = ReturnType<typeof conditionFor>;

const isTrue = sql<SqlBool>`true`;

/**
 * Deletes rows older than `before` and returns their number. CROSS JOIN: in the other order SQLite would read all rows of an
 * account per batch. MATERIALIZED: with outdated statistics, PostgreSQL would repeat the subquery for each row.
 */
async function deleteOld(
  trx: Kysely<Tables>,
  { table, key, at, isDeletable = isTrue }: Kept,
  { before, of }: { before: number; of: Condition },
): Promise<number> {
  if (at === undefined) return 0;
  const { numAffectedRows } = await sql`with ended as materialized (
        select old.account_id, ${sql.ref(`old.${key}`)} as key, old.monitor_id
        from monitors cross join ${table} old
        where old.account_id = monitors.account_id and old.monitor_id = monitors.id
          and ${of} and ${sql.ref(`old.${at}`)} < ${before} and ${isDeletable})
      delete from ${table} where (account_id, ${sql.ref(key)}, monitor_id) in (select account_id, key, monitor_id from ended)`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes all but the newest rows of each monitor, except rows still in use. Returns the number of deleted rows. MATERIALIZED
 * prevents the databases from computing a monitor's limit again for each row.
 */
async function deleteExcess(
  trx: Kysely<Tables>,
  { table, key, at, newest, isDeletable = isTrue }: Kept,
  of: Condition,
): Promise<number> {
  if (newest === undefined) return 0;
  const by = sql.ref(`old.${newest.by}`);
  const isOver = at === undefined ? isTrue : sql`${sql.ref(`old.${at}`)} is not null`;
  const { numAffectedRows } = await sql`
    with edges as materialized (
      select monitors.account_id, monitors.id, (
        select ${by} from ${table} old where old.account_id = monitors.account_id and old.monitor_id = monitors.id
        order by ${by} desc limit 1 offset ${newest.maximum}) as edge
      from monitors where ${of})
, beyond as materialized (
      select old.account_id, ${sql.ref(`old.${key}`)} as key, old.monitor_id
      from edges cross join ${table} old
      where old.account_id = edges.account_id and old.monitor_id = edges.id and ${by} <= edges.edge
        and ${isOver} and ${isDeletable})
    delete from ${table} where (account_id, ${sql.ref(key)}, monitor_id) in (select account_id, key, monitor_id from beyond)`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Deletes rows of these monitors that neither a run nor the last check uses. */
async function deleteUnreferenced(
  trx: Kysely<Tables>,
  { table, key, referredBy }: Kept,
  of: Condition,
): Promise<void> {
  if (referredBy === undefined) return;
  const refers = (from: string) => sql`exists (select 1 from ${sql.table(from)} run
    where run.account_id = old.account_id and run.monitor_id = old.monitor_id
      and ${sql.ref(`run.${referredBy}`)} = ${sql.ref(`old.${key}`)})`;
  await sql`delete from ${table} where (account_id, monitor_id, ${sql.ref(key)}) in (
      select old.account_id, old.monitor_id, ${sql.ref(`old.${key}`)}
      from monitors cross join ${table} old
      where old.account_id = monitors.account_id and old.monitor_id = monitors.id
        and ${of} and not ${refers('check_runs')} and not ${refers('monitor_states')})`.execute(trx);
}
