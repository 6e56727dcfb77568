import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** How many monitors an account has, in the same time for one and for a million. */
export async function countMonitors(db: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('monitor_totals')
    .select('total')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.total ?? 0;
}
