import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { createTableOfMonitor, notNull, onePerAccount } from './columns.ts';

/**
 * Creates copies of what lists, searches and counts read of monitors, and the triggers that maintain them. Checks rewrite the rows
 * of `monitors` but rarely these, so PostgreSQL can answer from indexes alone, and a check updates fewer indexes.
 */
export async function createMonitorListing(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableOfMonitor(db, 'monitor_listing', 'monitor_listing_monitor')
    .addColumn('created_at', 'bigint', notNull)
    // Sort by code points instead of the database's default collation.
    .addColumn('host', dialect === 'postgres' ? sql`text collate "C"` : 'text', notNull)
    .addColumn('port', 'integer', notNull)
    .addColumn('phase', 'integer', notNull)
    .addColumn('not_after', 'bigint')
    .addColumn('on_schedule_until', 'bigint')
    .addColumn('trouble', 'integer', notNull)
    .addColumn('tags', 'text', notNull)
    .addColumn('search_text', 'text', notNull)
    .addPrimaryKeyConstraint('monitor_listing_key', ['account_id', 'monitor_id'])
    .execute();
  for (const { name, columns, where } of LISTING_INDEXES) {
    const index = db.schema.createIndex(`monitor_listing_${name}`).on('monitor_listing').columns(columns);
    await (where === undefined ? index : index.where(where)).execute();
  }

  // Every page of a list and every new monitor needs the total, and counting would take longer the more monitors there are.
  await db.schema
    .createTable('monitor_totals')
    .addColumn('account_id', 'text', onePerAccount)
    .addColumn('total', 'integer', notNull)
    .execute();

  for (const statement of dialect === 'postgres' ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS)
    await sql.raw(statement).execute(db);
}

/** The first four serve the orders of a list and counts by state; the others serve searches, filters, tags and schedules. */
const LISTING_INDEXES: readonly { name: string; columns: string[]; where?: RawBuilder<boolean> }[] = [
  { name: 'newest', columns: ['account_id', 'created_at', 'monitor_id'] },
  { name: 'soonest', columns: ['account_id', 'not_after', 'monitor_id'] },
  { name: 'names', columns: ['account_id', 'host', 'port', 'monitor_id'] },
  { name: 'phases', columns: ['account_id', 'phase', 'not_after', 'monitor_id'] },
  {
    // Has every column that a list is filtered and sorted by, so that a search reads this index alone.
    name: 'texts',
    columns: [
      'account_id',
      'search_text',
      'tags',
      'phase',
      'not_after',
      'trouble',
      'created_at',
      'host',
      'port',
      'monitor_id',
    ],
    // PostgreSQL limits the size of an index entry, so the next index lists the monitors with longer texts, without the texts.
    where: sql`length(search_text) <= 200`,
  },
  { name: 'long_texts', columns: ['account_id', 'monitor_id'], where: sql`length(search_text) > 200` },
  { name: 'tags', columns: ['account_id', 'tags'], where: sql`tags <> '[]' and length(tags) <= 200` },
  { name: 'many_tags', columns: ['account_id', 'monitor_id'], where: sql`length(tags) > 200` },
  { name: 'trouble', columns: ['account_id', 'host', 'port', 'monitor_id'], where: sql`trouble > 0` },
  {
    // Only short-lived certificates have a renewal schedule, so this index is small.
    name: 'on_schedule',
    columns: ['account_id', 'on_schedule_until', 'phase', 'not_after'],
    where: sql`on_schedule_until is not null`,
  },
];

/** Codes of MonitorListingTable's `phase` and `trouble` for a row of `monitors`. */
const PHASE = `case
    when new.paused_by is not null then 0
    when new.not_after is null and new.checked = 0 then 1
    when new.not_after is null then 2
    when new.revoked = 1 then 3
    else 4 end`;
const TROUBLE = `case
    when new.paused_by is not null then 0
    when new.uptime = 'down' or new.problem = 'unreachable' then 2
    when new.problem = 'untrusted' then 1
    else 0 end`;

/** A new monitor has no certificate yet, so its `on_schedule_until` is null. */
const INSERT_LISTING = `insert into monitor_listing
    (account_id, monitor_id, created_at, host, port, phase, not_after, trouble, tags, search_text)
    values (new.account_id, new.id, new.created_at, new.host, new.port,
    ${PHASE}, new.not_after, ${TROUBLE}, new.tags, new.search_text)`;
const UPDATE_LISTING = `update monitor_listing set phase = ${PHASE}, not_after = new.not_after,
    trouble = ${TROUBLE}, tags = new.tags, search_text = new.search_text
    where account_id = new.account_id and monitor_id = new.id`;
const UPDATE_SCHEDULE = `update monitor_listing set on_schedule_until = new.on_schedule_until
    where account_id = new.account_id and monitor_id = new.id`;

const LISTED_COLUMNS = [
  'paused_by',
  'checked',
  'not_after',
  'revoked',
  'uptime',
  'problem',
  'tags',
  'search_text',
];

/** Returns a condition for rows in which a column has changed, because an UPDATE may set the value that a column already has. */
function changed(columns: readonly string[], differs: string): string {
  return columns.map((column) => `old.${column} ${differs} new.${column}`).join(' or ');
}

const SQLITE_TRIGGERS = [
  `create trigger monitor_listed after insert on monitors begin ${INSERT_LISTING}; end`,
  `create trigger monitor_relisted after update of ${LISTED_COLUMNS.join(', ')} on monitors
    when ${changed(LISTED_COLUMNS, 'is not')} begin ${UPDATE_LISTING}; end`,
  `create trigger monitor_scheduled after update of on_schedule_until on monitors
    when ${changed(['on_schedule_until'], 'is not')} begin ${UPDATE_SCHEDULE}; end`,
  `create trigger monitor_added after insert on monitors begin
    insert into monitor_totals (account_id, total) values (new.account_id, 1)
      on conflict (account_id) do update set total = total + 1;
  end`,
  `create trigger monitor_removed after delete on monitors begin
    update monitor_totals set total = total - 1 where account_id = old.account_id;
  end`,
];

/**
 * Totals are counted once per statement: deleting an account deletes all of its monitors, and PostgreSQL slows down with every
 * version of a row that one transaction writes.
 */
const POSTGRES_TRIGGERS = [
  postgresFunction('monitor_listed', INSERT_LISTING),
  `create trigger monitor_listed after insert on monitors for each row execute function monitor_listed()`,
  postgresFunction('monitor_relisted', UPDATE_LISTING),
  `create trigger monitor_relisted after update of ${LISTED_COLUMNS.join(', ')} on monitors
    for each row when (${changed(LISTED_COLUMNS, 'is distinct from')}) execute function monitor_relisted()`,
  postgresFunction('monitor_scheduled', UPDATE_SCHEDULE),
  `create trigger monitor_scheduled after update of on_schedule_until on monitors
    for each row when (${changed(['on_schedule_until'], 'is distinct from')}) execute function monitor_scheduled()`,
  postgresFunction(
    'monitor_added',
    `insert into monitor_totals (account_id, total)
      select account_id, count(*) from added group by account_id order by account_id
      on conflict (account_id) do update set total = monitor_totals.total + excluded.total`,
  ),
  `create trigger monitor_added after insert on monitors
    referencing new table as added for each statement execute function monitor_added()`,
  postgresFunction(
    'monitor_removed',
    `update monitor_totals set total = monitor_totals.total - gone.many
      from (select account_id, count(*) as many from removed group by account_id) as gone
      where gone.account_id = monitor_totals.account_id`,
  ),
  `create trigger monitor_removed after delete on monitors
    referencing old table as removed for each statement execute function monitor_removed()`,
];

function postgresFunction(name: string, statement: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$ begin
    ${statement};
    return null;
  end $$`;
}
