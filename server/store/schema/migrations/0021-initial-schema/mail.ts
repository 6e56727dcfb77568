import { type Kysely, sql } from 'kysely';
import { deletedWithMonitor, notNull, ofAccount, primaryKey } from './columns.ts';

/** Creates the tables of mails other than alerts, of unsubscriptions and of suppressions. */
export async function createMailTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', primaryKey)
    // Null for operator alarms, and for mails from before the account existed.
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('recipient', 'text', notNull)
    .addColumn('kind', 'text', notNull)
    .addColumn('data', 'text')
    .addColumn('message_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('attempts', 'integer', notNull)
    .addColumn('unanswered', 'integer', notNull)
    .addColumn('next_attempt_at', 'bigint', notNull)
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('settled_at', 'bigint')
    .addColumn('detail', 'text')
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  await db.schema.createIndex('mails_account').on('mails').columns(['account_id', 'created_at']).execute();
  await db.schema
    .createIndex('mails_due')
    .on('mails')
    .column('next_attempt_at')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();

  await db.schema
    .createTable('unsubscriptions')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('channel_key', 'text', notNull)
    .addColumn('monitor_id', 'text')
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('unsubscriptions_key', ['account_id', 'id'])
    .$call((table) => deletedWithMonitor(table, 'unsubscriptions'))
    .execute();
  await db.schema
    .createIndex('unsubscriptions_monitor')
    .on('unsubscriptions')
    .columns(['account_id', 'monitor_id'])
    .execute();

  await db.schema
    .createTable('suppressions')
    .addColumn('address', 'text', primaryKey)
    .addColumn('reason', 'text', notNull)
    .addColumn('detail', 'text', notNull)
    .addColumn('since', 'bigint', notNull)
    .execute();
}
