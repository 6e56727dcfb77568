import { type Kysely, sql } from 'kysely';

const DAY_MS = 86_400_000;

/**
 * Records until when an account accepts the unsubscribe links mailed before this migration, whose tokens stood in URLs. Accounts made
 * later have none, so their column is null.
 */
export async function createMailedLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('old_links_until', 'bigint').execute();
  await sql`update accounts set old_links_until = ${Date.now() + 90 * DAY_MS}`.execute(db);
}
