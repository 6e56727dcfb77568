import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Returns how many monitors an account has, in constant time: triggers keep the total. */
export async function countMonitors(db: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('monitor_totals')
    .select('total')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.total ?? 0;
}
