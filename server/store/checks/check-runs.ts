import type { Kysely, Transaction } from 'kysely';
import type { Uptime } from '../../core/check/uptime.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';

/** The result of a check. Consecutive checks with the same result form a run. */
export interface CheckResult {
  reached: boolean;
  uptime: Uptime | null;
  downMessage: string | null;
  verdictId: string;
  evidenceId: string;
}

/** Consecutive checks with the same result. Times are the ends of checks, ms UTC. */
export interface CheckRun extends CheckResult {
  firstAt: number;
  lastAt: number;
  checks: number;
}

/** The current run, to which the next check may still be added, as columns of `monitor_states`. */
export interface OpenRun {
  run_number: number;
  run_last_at: number;
  run_checks: number;
}

/**
 * Ends the open run and starts the next one with the check at `now` (ms UTC), in the transaction that records this check. Later
 * checks with the same result add no row: `monitor_states` counts them.
 */
export async function startRun(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { open, result, now }: { open: OpenRun | null; result: CheckResult; now: number },
): Promise<OpenRun> {
  if (open)
    await trx
      .updateTable('check_runs')
      .set({ last_at: open.run_last_at, checks: open.run_checks })
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .where('number', '=', open.run_number)
      .execute();
  const number = (open?.run_number ?? 0) + 1;
  await trx
    .insertInto('check_runs')
    .values({
      account_id: accountId,
      monitor_id: monitorId,
      number,
      first_at: now,
      last_at: null,
      checks: 1,
      ...columnsOf(result),
    })
    .execute();
  return { run_number: number, run_last_at: now, run_checks: 1 };
}

const columnsOf = ({ reached, uptime, downMessage, verdictId, evidenceId }: CheckResult) => ({
  reached: Number(reached),
  uptime,
  down_message: downMessage,
  verdict_id: verdictId,
  evidence_id: evidenceId,
});

/** Returns at most `limit` runs of a monitor whose last check was after `since`, newest first. */
export async function checkRunsOf(
  db: Kysely<Tables>,
  { accountId, monitorId, since = 0, limit = 1_000 }: MonitorKey & { since?: number; limit?: number },
): Promise<CheckRun[]> {
  const rows = await db
    .selectFrom('check_runs')
    .leftJoin('monitor_states', (join) =>
      join
        .onRef('monitor_states.account_id', '=', 'check_runs.account_id')
        .onRef('monitor_states.monitor_id', '=', 'check_runs.monitor_id')
        .on('check_runs.last_at', 'is', null),
    )
    .selectAll('check_runs')
    .select(['run_last_at', 'run_checks'])
    .where('check_runs.account_id', '=', accountId)
    .where('check_runs.monitor_id', '=', monitorId)
    .where((eb) => eb(eb.fn.coalesce('check_runs.last_at', 'run_last_at'), '>', since))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    firstAt: row.first_at,
    lastAt: row.last_at ?? row.run_last_at ?? row.first_at,
    checks: row.last_at === null ? (row.run_checks ?? row.checks) : row.checks,
    reached: row.reached === 1,
    uptime: row.uptime,
    downMessage: row.down_message,
    verdictId: row.verdict_id,
    evidenceId: row.evidence_id,
  }));
}
