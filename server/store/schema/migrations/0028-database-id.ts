import type { Kysely } from 'kysely';

/** Adds the table for the id of the database, which has one row. */
export async function addDatabaseId(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('database_id')
    .addColumn('singleton', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .execute();
}
