import { sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type AlertFacts, followUptime, recentChecks, type UptimeAssessment } from '../../core/index.ts';
import { type MonitorRow, uptimeStanding } from '../monitors/monitor-row.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Tables } from '../schema/tables.ts';

type UptimeColumns = Pick<
  MonitorRow,
  | 'uptime'
  | 'uptime_since'
  | 'suspected_since'
  | 'down_since'
  | 'down_seen_at'
  | 'recent_checks'
  | 'response_ms'
>;

/**
 * What a check means for the uptime of its monitor, as part of the transaction that records it: opens or ends an incident,
 * and answers what the monitor's row says from now on. `row` must be held. `changed`: it went up or down.
 */
export async function recordUptime(
  trx: Transaction<Tables>,
  check: { key: MonitorKey; row: UptimeColumns; assessment: UptimeAssessment; now: number },
): Promise<{ columns: UptimeColumns; changed: boolean }> {
  const { row, assessment, now } = check;
  const { accountId, monitorId } = check.key;
  const { state, cause, responseMs } = assessment;
  const { standing, incident, endedAt } = followUptime(uptimeStanding(row), { state, now });
  if (incident === 'begin') {
    const startedAt = standing.downSince ?? now;
    const message = cause?.message ?? '';
    await trx
      .insertInto('incidents')
      .values({
        id: randomUUID(),
        account_id: accountId,
        monitor_id: monitorId,
        problem: 'down',
        fingerprint: '',
        recovered: 0,
        started_at: startedAt,
        confirmed_at: now,
        cause: cause?.code ?? 'other',
        message,
        facts: JSON.stringify(downFacts({ startedAt, message, asOf: now })),
      })
      .execute();
  }
  if (incident === 'end')
    await trx
      .updateTable('incidents')
      .set({ ended_at: endedAt ?? now, recovered: Number(state === 'up') })
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .where(isDown)
      .where('ended_at', 'is', null)
      .execute();
  const columns = {
    uptime: standing.uptime,
    uptime_since: row.uptime_since ?? (state === 'unknown' ? null : now),
    suspected_since: standing.suspectedSince,
    down_since: standing.downSince,
    down_seen_at: standing.downSeenAt,
    recent_checks: recentChecks(row.recent_checks, state),
    response_ms: responseMs ?? row.response_ms,
  };
  return { columns, changed: standing.uptime !== row.uptime };
}

function downFacts({
  startedAt,
  message,
  asOf,
}: Pick<AlertFacts, 'startedAt' | 'message' | 'asOf'>): AlertFacts {
  return { certificate: null, asOf, message, fix: null, successor: null, startedAt, endedAt: null };
}

/** Incidents of uptime; the others are those of certificates. */
export const isDown = sql<boolean>`problem = 'down'`;

/** The figures start anew with the first check after the pause: time that nobody looked at is no uptime. */
export const UNWATCHED = {
  uptime: null,
  uptime_since: null,
  suspected_since: null,
  down_since: null,
  down_seen_at: null,
};

/** For the transaction that stops the checks of an account’s monitors: nobody knows from now on whether those are up. */
export async function leaveUnwatched(
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<void> {
  await trx
    .updateTable('incidents')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where(isDown)
    .where('ended_at', 'is', null)
    .where('monitor_id', 'in', (eb) =>
      eb
        .selectFrom('monitors')
        .select('id')
        .where('account_id', '=', accountId)
        .where('active', '=', 0)
        .where('down_since', 'is not', null),
    )
    .execute();
  await trx
    .updateTable('monitors')
    .set(UNWATCHED)
    .where('account_id', '=', accountId)
    .where('active', '=', 0)
    .where('uptime', 'is not', null)
    .execute();
}
