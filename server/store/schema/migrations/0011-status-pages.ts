import type { Kysely } from 'kysely';

/** Status pages, what their domains are called there, and badges. */
export async function createStatusPages(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('status_pages')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('listed', 'integer', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('shows', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('show_certificates', 'integer', (column) => column.notNull())
    .addColumn('show_uptime', 'integer', (column) => column.notNull())
    .addColumn('show_incidents', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('status_page_domains')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('monitor_id', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('status_page_domains_key', ['account_id', 'monitor_id'])
    .addForeignKeyConstraint(
      'status_page_domains_page',
      ['account_id'],
      'status_pages',
      ['account_id'],
      (key) => key.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      'status_page_domains_monitor',
      ['account_id', 'monitor_id'],
      'monitors',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createTable('badges')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('monitor_id', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('badges_key', ['account_id', 'monitor_id'])
    .addForeignKeyConstraint(
      'badges_monitor',
      ['account_id', 'monitor_id'],
      'monitors',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
}
