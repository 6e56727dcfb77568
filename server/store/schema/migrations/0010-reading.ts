import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/**
 * What lists, searches, counts and the horizon read of a monitor, beside the row that each check rewrites: in a table that hardly
 * ever changes PostgreSQL answers out of indexes alone, and a check writes fewer of them. Triggers keep it.
 */
export async function createListing(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTable(db, dialect);
  await fill(db);
  await createIndexes(db);
  await (dialect === 'postgres' ? keepOnPostgres(db) : keepOnSqlite(db));
  for (const index of ['monitors_newest', 'monitors_soonest', 'monitors_problem'])
    await db.schema.dropIndex(index).execute();
}

async function createTable(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('monitor_listing')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('monitor_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    // By code points, whatever language the database sorts by.
    .addColumn('host', dialect === 'postgres' ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('phase', 'integer', (column) => column.notNull())
    .addColumn('not_after', 'bigint')
    .addColumn('trouble', 'integer', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('search_text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('monitor_listing_key', ['account_id', 'monitor_id'])
    .addForeignKeyConstraint(
      'monitor_listing_monitor',
      ['account_id', 'monitor_id'],
      'monitors',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const indexes: [name: string, columns: string[], where?: RawBuilder<boolean>][] = [
    ['newest', ['account_id', 'created_at', 'monitor_id']],
    ['soonest', ['account_id', 'not_after', 'monitor_id']],
    ['names', ['account_id', 'host', 'port', 'monitor_id']],
    ['phases', ['account_id', 'phase', 'not_after', 'monitor_id']],
    // All that a list is filtered and sorted by stands in this one; for long texts PostgreSQL has no room in an index.
    [
      'texts',
      [
        ...['account_id', 'search_text', 'tags', 'phase', 'not_after', 'trouble'],
        ...['created_at', 'host', 'port', 'monitor_id'],
      ],
      sql<boolean>`length(search_text) <= 200`,
    ],
    ['long_texts', ['account_id', 'monitor_id'], sql<boolean>`length(search_text) > 200`],
    ['tags', ['account_id', 'tags'], sql<boolean>`tags <> '[]' and length(tags) <= 200`],
    ['many_tags', ['account_id', 'monitor_id'], sql<boolean>`length(tags) > 200`],
    ['trouble', ['account_id', 'host', 'port', 'monitor_id'], sql<boolean>`trouble > 0`],
  ];
  for (const [name, columns, where] of indexes) {
    const index = db.schema.createIndex(`monitor_listing_${name}`).on('monitor_listing').columns(columns);
    await (where === undefined ? index : index.where(where)).execute();
  }
}

const COLUMNS = [
  ...['account_id', 'monitor_id', 'created_at', 'host', 'port'],
  ...['phase', 'not_after', 'trouble', 'tags', 'search_text'],
];

/** The same of a row of `monitors`, by the name that a statement has for it. */
function valuesOf(row: string): string {
  return `${row}.account_id, ${row}.id, ${row}.created_at, ${row}.host, ${row}.port,
    ${phaseOf(row)}, ${row}.not_after, ${troubleOf(row)}, ${row}.tags, ${row}.search_text`;
}

const phaseOf = (row: string): string => `case
    when ${row}.paused_by is not null then 0
    when ${row}.not_after is null and ${row}.checked = 0 then 1
    when ${row}.not_after is null then 2
    when ${row}.revoked = 1 then 3
    else 4 end`;

const troubleOf = (row: string): string => `case
    when ${row}.paused_by is not null then 0
    when ${row}.uptime = 'down' or ${row}.problem = 'unreachable' then 2
    when ${row}.problem = 'untrusted' then 1
    else 0 end`;

const WATCHED = [
  ...['paused_by', 'checked', 'not_after', 'revoked'],
  ...['uptime', 'problem', 'tags', 'search_text'],
];

const INSERT = `insert into monitor_listing (${COLUMNS.join(', ')})`;
const UPDATE = `update monitor_listing set phase = ${phaseOf('new')}, not_after = new.not_after,
  trouble = ${troubleOf('new')}, tags = new.tags, search_text = new.search_text
  where account_id = new.account_id and monitor_id = new.id`;

async function fill(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`${INSERT} select ${valuesOf('monitors')} from monitors`).execute(db);
}

/** A check sets most of these columns to what they were: only what differs is written. */
async function keepOnSqlite(db: Kysely<unknown>): Promise<void> {
  const differs = WATCHED.map((column) => `old.${column} is not new.${column}`).join(' or ');
  await sql
    .raw(
      `create trigger monitor_listed after insert on monitors begin ${INSERT} values (${valuesOf('new')}); end`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger monitor_relisted after update of ${WATCHED.join(', ')} on monitors when ${differs} begin ${UPDATE}; end`,
    )
    .execute(db);
}

async function keepOnPostgres(db: Kysely<unknown>): Promise<void> {
  const differs = WATCHED.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  for (const [name, statement, when] of [
    ['monitor_listed', `${INSERT} values (${valuesOf('new')})`, 'after insert on monitors for each row'],
    [
      'monitor_relisted',
      UPDATE,
      `after update of ${WATCHED.join(', ')} on monitors for each row when (${differs})`,
    ],
  ] as const) {
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`,
      )
      .execute(db);
    await sql.raw(`create trigger ${name} ${when} execute function ${name}()`).execute(db);
  }
}
