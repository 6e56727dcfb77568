import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/** Codes of MonitorListingTable's `phase`, `trouble` and `fault` for a row of `monitors`. */
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
const faultOf = (row: 'new' | 'monitors') => `case
    when ${row}.paused_by is not null then 0
    when ${row}.revoked = 1 and ${row}.not_after is not null then 1
    when ${row}.problem = 'untrusted' then 2
    when ${row}.uptime = 'down' then 3
    when ${row}.problem = 'unreachable' or (${row}.not_after is null and ${row}.checked = 1) then 4
    else 0 end`;

const INSERT = `insert into monitor_listing
    (account_id, monitor_id, created_at, host, port, phase, not_after, trouble, fault, tags, search_text)
    values (new.account_id, new.id, new.created_at, new.host, new.port,
    ${PHASE}, new.not_after, ${TROUBLE}, ${faultOf('new')}, new.tags, new.search_text)`;
const UPDATE = `update monitor_listing set phase = ${PHASE}, not_after = new.not_after,
    trouble = ${TROUBLE}, fault = ${faultOf('new')}, tags = new.tags, search_text = new.search_text
    where account_id = new.account_id and monitor_id = new.id`;
const COLUMNS = ['paused_by', 'checked', 'not_after', 'revoked', 'uptime', 'problem', 'tags', 'search_text'];

const TRIGGERS: Record<DialectName, string[]> = {
  sqlite: [
    'drop trigger monitor_listed',
    'drop trigger monitor_relisted',
    `create trigger monitor_listed after insert on monitors begin ${INSERT}; end`,
    `create trigger monitor_relisted after update of ${COLUMNS.join(', ')} on monitors
      when ${COLUMNS.map((column) => `old.${column} is not new.${column}`).join(' or ')} begin ${UPDATE}; end`,
  ],
  postgres: [postgresFunction('monitor_listed', INSERT), postgresFunction('monitor_relisted', UPDATE)],
};

/** Lets lists begin with the domain that needs attention most: adds a column for the fault that does not depend on the time, and an index. */
export async function listWorstFirst(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`alter table monitor_listing add column fault integer not null default 0`.execute(db);
  await sql`update monitor_listing set fault = (
      select ${sql.raw(faultOf('monitors'))} from monitors
      where monitors.account_id = monitor_listing.account_id and monitors.id = monitor_listing.monitor_id)
    where trouble > 0 or phase in (2, 3)`.execute(db);
  await db.schema
    .createIndex('monitor_listing_worst')
    .on('monitor_listing')
    .columns(['account_id', 'fault', 'phase', 'not_after', 'monitor_id', 'on_schedule_until'])
    .execute();
  for (const statement of TRIGGERS[dialect]) await sql.raw(statement).execute(db);
}

function postgresFunction(name: string, statement: string): string {
  return `create or replace function ${name}() returns trigger language plpgsql as $$ begin
    ${statement};
    return null;
  end $$`;
}
