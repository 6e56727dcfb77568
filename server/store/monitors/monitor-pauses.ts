import type { Transaction } from 'kysely';
import type { Plan } from '../../core/plan.ts';
import { lockPlan } from '../billing/entitlements.ts';
import { endOutagesOfPaused, letOthersReportEnd, RESET_UPTIME } from '../alerts/incidents.ts';
import { announceMonitor, lockMonitor, updateMonitor } from './monitor-change.ts';
import type { MonitorKey, PausedBy, Tables } from '../schema/tables.ts';
import { type Monitor, type MonitorRow, toMonitor } from './monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Stops the checks of a monitor and keeps its history. Returns an already paused monitor unchanged, or null if there is no such
 * monitor.
 */
export async function pauseMonitor(
  store: Store,
  request: MonitorKey & { now: number },
): Promise<Monitor | null> {
  const { now } = request;
  const paused = await inTransaction(store, async (trx) => {
    // Lock the plan first: the code that ends Premium counts the running monitors under the same lock.
    await lockPlan(store, trx, request);
    const row = await lockMonitor(store, trx, request);
    if (!row) return null;
    return row.paused_by === null ? setPaused(store, trx, row, { by: 'user', now }) : toMonitor(row);
  });
  if (paused) announceMonitor(store, paused, 'changed', { due: true });
  return paused;
}

export type ResumedMonitor =
  { ok: true; monitor: Monitor } | { ok: false; code: 'not_found' | 'limit_reached' };

/**
 * Resumes a paused monitor and makes it due now. At the plan's limit, pauses the monitor `insteadOf` in the same transaction,
 * with the reason `plan`, so that Premium resumes it. Locks the account's row, so that parallel calls cannot exceed the limit.
 */
export async function resumeMonitor(
  store: Store,
  request: MonitorKey & {
    insteadOf?: string | undefined;
    now: number;
    /**
     * Returns whether the plan permits another running monitor besides the `active` ones. Called while the account's row is
     * locked.
     */
    mayResume(plan: Plan, active: number): boolean;
  },
): Promise<ResumedMonitor> {
  const { accountId, insteadOf, now } = request;
  const changed: Monitor[] = [];
  const resumed = await inTransaction(store, async (trx): Promise<ResumedMonitor> => {
    changed.length = 0;
    const { plan, disabled } = await lockPlan(store, trx, request);
    const row = await lockMonitor(store, trx, request);
    if (!row) return { ok: false, code: 'not_found' };
    if (row.paused_by === null) return { ok: true, monitor: toMonitor(row) };

    const active = await countRunning(trx, accountId);
    if (!request.mayResume(plan, active)) {
      if (insteadOf === undefined) return { ok: false, code: 'limit_reached' };
      const other = await lockMonitor(store, trx, { accountId, monitorId: insteadOf });
      if (!other) return { ok: false, code: 'not_found' };
      if (other.paused_by !== null || !request.mayResume(plan, active - 1))
        return { ok: false, code: 'limit_reached' };
      changed.push(await setPaused(store, trx, other, { by: 'plan', now }));
    }
    const next = {
      active: Number(!disabled),
      paused_by: null,
      paused_at: null,
      next_check_at: now,
      check_requested_at: now,
    };
    const monitor = await updateMonitor(trx, row, next);
    changed.push(monitor);
    return { ok: true, monitor };
  });
  for (const monitor of changed)
    announceMonitor(store, monitor, 'changed', { due: monitor.pausedBy === null });
  return resumed;
}

/** Returns the number of an account's paused monitors by reason of the pause. */
export async function countPaused(store: Store, accountId: string): Promise<Record<PausedBy, number>> {
  const rows = await store.db
    .selectFrom('monitors')
    .select('paused_by')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('paused_by', 'is not', null)
    .groupBy('paused_by')
    .execute();
  const counts = { user: 0, plan: 0, unconfirmed: 0 };
  for (const { paused_by: by, count } of rows) if (by !== null) counts[by] = count;
  return counts;
}

async function setPaused(
  { dialect }: Store,
  trx: Transaction<Tables>,
  row: MonitorRow,
  { by, now }: { by: PausedBy; now: number },
): Promise<Monitor> {
  // A running check may still end and be recorded, but no further check starts.
  const next = { active: 0, paused_by: by, paused_at: now, check_requested_at: null };
  await updateMonitor(trx, row, next);
  await endOutagesOfPaused(trx, { accountId: row.account_id, now });
  const leaving = trx
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id);
  await letOthersReportEnd(trx, dialect, { accountId: row.account_id, leaving, now });
  return toMonitor({ ...row, ...next, ...RESET_UPTIME });
}

async function countRunning(trx: Transaction<Tables>, accountId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('paused_by', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
