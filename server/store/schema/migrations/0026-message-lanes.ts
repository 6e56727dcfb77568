import { type Kysely, sql } from 'kysely';

const isWaiting = sql<boolean>`state = 'waiting'`;

/** Adds the lane of each queued message, the key of deliveries that may be merged, and the indexes that claims use. */
export async function addMessageLanes(db: Kysely<unknown>): Promise<void> {
  for (const table of ['deliveries', 'mails']) {
    await db.schema
      .alterTable(table)
      .addColumn('lane', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex(`${table}_lane`)
      .on(table)
      .columns(['lane', 'next_attempt_at'])
      .where(isWaiting)
      .execute();
    // Counts the waiting messages of an account, and finds the deliveries that were merged into one message.
    await db.schema
      .createIndex(`${table}_waiting`)
      .on(table)
      .columns(['account_id', 'message_id'])
      .where(isWaiting)
      .execute();
    await db.schema
      .createIndex(`${table}_lease`)
      .on(table)
      .column('lease_token')
      .where(sql<boolean>`lease_token is not null`)
      .execute();
  }
  await db.schema.alterTable('deliveries').addColumn('merge_key', 'text').execute();
  await db.schema
    .createIndex('deliveries_merging')
    .on('deliveries')
    .columns(['account_id', 'merge_key', 'created_at'])
    .where(sql<boolean>`state = 'waiting' and merge_key is not null and first_attempt_at is null`)
    .execute();
}
