import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { columnTypes } from '../../db/dialect.ts';
import { searchText } from '../../monitors/search-text.ts';

/** Notes, tags and what a search looks through; time zones; icons of sites; looks without an account. */
export async function createDescriptionsAndGlances(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await describeMonitors(db);
  await db.schema.alterTable('accounts').addColumn('time_zone', 'text').execute();
  await db.schema
    .createTable('favicons')
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('content_type', 'text')
    .addColumn('content', columnTypes(dialect).bytes)
    .addColumn('version', 'text')
    .addColumn('next_fetch_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('favicons_key', ['host', 'port'])
    .execute();
  await db.schema.createIndex('favicons_due').on('favicons').column('next_fetch_at').execute();
  await db.schema.createIndex('monitors_site').on('monitors').columns(['host', 'port']).execute();
  await sql`insert into favicons (host, port, next_fetch_at)
    select distinct host, port, 0 from monitors where last_read_at is not null`.execute(db);
  await db.schema
    .createTable('glances')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('answer', 'text')
    .execute();
  await db.schema.createIndex('glances_age').on('glances').column('created_at').execute();
}

interface MonitorColumns {
  id: string;
  host: string;
  port: number;
  search_text: string;
}

async function describeMonitors(db: Kysely<{ monitors: MonitorColumns }>): Promise<void> {
  for (const [name, initially] of [
    ['notes', ''],
    ['tags', '[]'],
    ['search_text', ''],
  ] as const)
    await db.schema
      .alterTable('monitors')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(initially))
      .execute();
  await sql`update monitors set search_text = host || ':' || port`.execute(db);
  // The databases do not know the U-label of a name.
  const international = await db
    .selectFrom('monitors')
    .select(['id', 'host', 'port'])
    .where('host', 'like', '%xn--%')
    .execute();
  for (const { id, host, port } of international)
    await db
      .updateTable('monitors')
      .set({ search_text: searchText({ host, port, notes: '', tags: [] }) })
      .where('id', '=', id)
      .execute();
}
