import type { Kysely } from 'kysely';
import { dueWithInterval } from '../../core/check/schedule.ts';
import type { Plan } from '../../core/plan.ts';
import { letOthersReportEnd, nameOtherMembersFirst } from '../alerts/incidents.ts';
import { lockPlan } from '../billing/entitlements.ts';
import { announceMonitor, lockMonitor, updateMonitor } from './monitor-change.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { type Monitor, selectMonitors, toMonitor } from './monitor-row.ts';
import { lockAlerts } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

export async function findMonitor(store: Store, key: MonitorKey): Promise<Monitor | null> {
  const row = await selectMonitors(store.db)
    .where('monitors.id', '=', key.monitorId)
    .where('monitors.account_id', '=', key.accountId)
    .executeTakeFirst();
  return row ? toMonitor(row) : null;
}

/** Deletes a monitor with its checks, history and alerts. Returns the deleted monitor; null if there is no such monitor. */
export async function removeMonitor(
  store: Store,
  { now, ...key }: MonitorKey & { now: number },
): Promise<Monitor | null> {
  const removed = await inTransaction(store, async (trx) => {
    const row = await lockMonitor(store, trx, key);
    if (!row) return null;
    await lockAlerts(trx, store.dialect, key.accountId);
    const leaving = trx
      .selectFrom('monitors')
      .select('id')
      .where('account_id', '=', key.accountId)
      .where('id', '=', key.monitorId);
    if (row.paused_by === null)
      await letOthersReportEnd(trx, store.dialect, { accountId: key.accountId, leaving, now });
    await nameOtherMembersFirst(trx, key);
    const result = await trx
      .deleteFrom('monitors')
      .where('account_id', '=', row.account_id)
      .where('id', '=', row.id)
      .executeTakeFirst();
    return result.numDeletedRows > 0n ? toMonitor(row) : null;
  });
  if (removed) announceMonitor(store, removed, 'removed', { due: true });
  return removed;
}

export type FrequencyChange =
  { ok: true; monitor: Monitor } | { ok: false; code: 'not_found' | 'limit_reached' };

/**
 * Sets the check interval. The next check may move earlier, never later. If a check is running, requests another one: the running
 * check plans the next due time with the old interval.
 */
export async function setFrequency(
  store: Store,
  request: MonitorKey & { minutes: number; now: number; mayUse(plan: Plan): boolean },
): Promise<FrequencyChange> {
  const { minutes, now } = request;
  const change = await inTransaction(store, async (trx): Promise<FrequencyChange> => {
    const { plan } = await lockPlan(store, trx, { accountId: request.accountId, now });
    const row = await lockMonitor(store, trx, request);
    if (!row) return { ok: false, code: 'not_found' };
    if (!request.mayUse(plan)) return { ok: false, code: 'limit_reached' };
    // Keep the due time if the interval is the same, so that repeated calls do not cause repeated checks.
    if (row.check_every_minutes === minutes) return { ok: true, monitor: toMonitor(row) };
    const isRunning = row.lease_token !== null && row.paused_by === null;
    const next = {
      check_every_minutes: minutes,
      next_check_at: dueWithInterval(minutes, {
        dueAt: row.next_check_at,
        lastCheckedAt: row.last_checked_at,
        now,
      }),
      check_requested_at: isRunning ? now : row.check_requested_at,
    };
    return { ok: true, monitor: await updateMonitor(trx, row, next) };
  });
  if (change.ok)
    announceMonitor(store, change.monitor, 'changed', { due: change.monitor.nextCheckAt <= now });
  return change;
}

/**
 * Makes a monitor due now. If a check is running, another one follows it, because the running check may have probed before the
 * request. Returns a paused monitor unchanged, or null if there is no such monitor.
 */
export async function requestCheck(
  store: Store,
  request: MonitorKey & { now: number },
): Promise<Monitor | null> {
  const { now } = request;
  const monitor = await inTransaction(store, async (trx) => {
    const row = await lockMonitor(store, trx, request);
    if (!row) return null;
    if (row.paused_by !== null) return toMonitor(row);
    return updateMonitor(trx, row, {
      check_requested_at: now,
      next_check_at: Math.min(row.next_check_at, now),
    });
  });
  if (monitor?.pausedBy === null) announceMonitor(store, monitor, 'checking', { due: true });
  return monitor;
}

/** Returns the number of monitors of an account. Triggers maintain the total, so this takes constant time. */
export async function countMonitors(db: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('monitor_totals')
    .select('total')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** Selects the reasons why clients refuse certificates: one row per certificate and monitor. */
export const certificateProblems = (db: Store['db'], accountId: string) =>
  db.selectFrom(
    db
      .selectFrom('monitors')
      .select((eb) => eb.ref('certificate_fingerprint').$notNull().as('fingerprint'))
      .select((eb) => eb.ref('certificate_problem').$notNull().as('problem'))
      .where('account_id', '=', accountId)
      .where('certificate_problem', 'is not', null)
      .where('certificate_fingerprint', 'is not', null)
      .unionAll(
        db
          .selectFrom('other_leaves')
          .select('fingerprint')
          .select((eb) => eb.ref('problem').$notNull().as('problem'))
          .where('account_id', '=', accountId)
          .where('problem', 'is not', null),
      )
      .as('problems'),
  );
