import type { Transaction } from 'kysely';
import { type AlertSeverity, leavesAt, type QuietHours } from '../../core/index.ts';
import { isWaiting } from '../mail/outbox.ts';
import type { Tables } from '../schema/tables.ts';

const SEVERITIES: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

/**
 * Lets what waits for quiet hours to end, of one monitor or (null) of all that have none of their own, leave when other quiet hours
 * say. What was tried already waits for its next attempt. Publish the signal `deliveries` after it.
 */
export async function holdAnew(
  trx: Transaction<Tables>,
  held: {
    accountId: string;
    monitorId: string | null;
    quietHours: QuietHours | null;
    timeZone: string | null;
    now: number;
  },
): Promise<void> {
  const { accountId, monitorId, quietHours, timeZone, now } = held;
  for (const severity of SEVERITIES)
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: leavesAt(now, severity, { quietHours, timeZone }) })
      .where('account_id', '=', accountId)
      .where(isWaiting)
      .where('next_attempt_at', '>', now)
      .where('first_attempt_at', 'is', null)
      .where('forced', '=', 0)
      .where('lease_token', 'is', null)
      .where('alert_id', 'in', (eb) =>
        eb
          .selectFrom('alerts')
          .innerJoin('monitors', (join) =>
            join
              .onRef('monitors.account_id', '=', 'alerts.account_id')
              .onRef('monitors.id', '=', 'alerts.monitor_id'),
          )
          .select('alerts.id')
          .where('monitors.account_id', '=', accountId)
          .where('alerts.severity', '=', severity)
          .where((of) =>
            monitorId === null
              ? of.or([
                  of('monitors.alert_settings', 'is', null),
                  of('monitors.alert_settings', 'not like', '%"quietHours":%'),
                ])
              : of('monitors.id', '=', monitorId),
          ),
      )
      .execute();
}
