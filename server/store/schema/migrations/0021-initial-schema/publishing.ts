import type { Kysely } from 'kysely';
import { createTableOfMonitor, notNull, onePerAccount, unique } from './columns.ts';

/** Creates the tables of what an account publishes: status pages, badges and calendar links. */
export async function createPublishingTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('status_pages')
    .addColumn('account_id', 'text', onePerAccount)
    .addColumn('slug', 'text', unique)
    .addColumn('enabled', 'integer', notNull)
    .addColumn('listed', 'integer', notNull)
    .addColumn('title', 'text', notNull)
    .addColumn('shows', 'text', notNull)
    .addColumn('tags', 'text', notNull)
    .addColumn('show_certificates', 'integer', notNull)
    .addColumn('show_uptime', 'integer', notNull)
    .addColumn('show_incidents', 'integer', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('changed_at', 'bigint', notNull)
    .execute();

  await createTableOfMonitor(db, 'status_page_domains', 'status_page_domains_monitor')
    .addColumn('place', 'integer', notNull)
    .addColumn('label', 'text', notNull)
    .addPrimaryKeyConstraint('status_page_domains_key', ['account_id', 'monitor_id'])
    .addForeignKeyConstraint(
      'status_page_domains_page',
      ['account_id'],
      'status_pages',
      ['account_id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();

  await createTableOfMonitor(db, 'badges', 'badges_monitor')
    .addColumn('token', 'text', unique)
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('badges_key', ['account_id', 'monitor_id'])
    .execute();

  await db.schema
    .createTable('calendar_feeds')
    .addColumn('account_id', 'text', onePerAccount)
    .addColumn('token_hash', 'text', unique)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('read_at', 'bigint')
    .execute();
}
