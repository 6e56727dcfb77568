import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { columnTypes } from '../../db/dialect.ts';

/** How endpoints are spoken to, whether they are up, what was down and when, and authorities that an account trusts itself. */
export async function createProtocolsAndUptime(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await addProtocols(db);
  await addUptime(db);
  await db.schema
    .alterTable('monitors')
    .addColumn('claim_asked', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('authorities')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('der', columnTypes(dialect).bytes, (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('authorities_once', ['account_id', 'fingerprint'])
    .execute();
}

async function addProtocols(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('monitors')
    .addColumn('protocol', 'text', (column) => column.notNull().defaultTo('tls'))
    .execute();
  await db.schema
    .alterTable('glances')
    .addColumn('protocol', 'text', (column) => column.notNull().defaultTo('tls'))
    .execute();
  // What was added as an address of a page; all else keeps being looked at with TLS from the first byte.
  await sql`update monitors set protocol = 'https' where port in (443, 8443)`.execute(db);
}

async function addUptime(db: Kysely<unknown>): Promise<void> {
  const monitors = () => db.schema.alterTable('monitors');
  await monitors().addColumn('uptime', 'text').execute();
  await monitors().addColumn('uptime_since', 'bigint').execute();
  await monitors().addColumn('suspected_since', 'bigint').execute();
  await monitors().addColumn('down_since', 'bigint').execute();
  await monitors().addColumn('down_seen_at', 'bigint').execute();
  await monitors().addColumn('response_ms', 'integer').execute();
  await monitors()
    .addColumn('recent_checks', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('checks').addColumn('uptime', 'text').execute();
  await db.schema.alterTable('checks').addColumn('response_ms', 'integer').execute();
  await db.schema.alterTable('checks').addColumn('down_message', 'text').execute();
  // Response times over months are read without the rows, which hold the evidence of each check.
  await db.schema.dropIndex('checks_monitor').execute();
  await db.schema
    .createIndex('checks_monitor')
    .on('checks')
    .columns(['monitor_id', 'finished_at', 'response_ms'])
    .execute();
  await db.schema
    .createTable('incidents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('incidents_of_monitor')
    .on('incidents')
    .columns(['monitor_id', 'started_at'])
    .execute();
}
