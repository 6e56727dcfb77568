import type { Kysely } from 'kysely';

/**
 * What a monitor's limits on stored certificates did: which certificates still count for it, and when a check last saw something that
 * was not kept.
 */
export async function createBoundedStorage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('monitor_certificates')
    .addColumn('kept', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('monitor_states').addColumn('unkept_at', 'bigint').execute();
  await db.schema.alterTable('monitor_states').addColumn('unkept_limit', 'text').execute();
}
