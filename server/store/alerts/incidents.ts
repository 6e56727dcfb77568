import { sql, type Transaction } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** SQL condition for downtime incidents. All other incidents are about certificates. */
export const isDown = sql<boolean>`problem = 'down'`;

/**
 * Column values that clear the uptime of a monitor that is not checked. Uptime starts again with the first check after
 * the pause.
 */
export const RESET_UPTIME = {
  uptime: null,
  uptime_since: null,
  suspected_since: null,
  down_since: null,
  down_seen_at: null,
};

/**
 * Ends open downtime incidents and resets uptime, in the transaction that stops the checks of an account's monitors.
 */
export async function endOutagesOfPaused(
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
    .set(RESET_UPTIME)
    .where('account_id', '=', accountId)
    .where('active', '=', 0)
    .where('uptime', 'is not', null)
    .execute();
}
