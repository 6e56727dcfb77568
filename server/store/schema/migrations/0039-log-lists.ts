import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/** Adds the table for the fetched lists of Certificate Transparency logs, one row for each list and address. */
export async function addLogLists(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('log_lists')
    .addColumn('list', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('body', sql.raw(dialect === 'postgres' ? 'bytea' : 'blob'))
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('fetched_at', 'bigint')
    .addColumn('answered_at', 'bigint')
    .addPrimaryKeyConstraint('log_lists_key', ['list', 'address'])
    .execute();
}
