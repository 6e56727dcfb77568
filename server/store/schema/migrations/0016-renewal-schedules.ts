import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

const COLUMN = 'on_schedule_until';

/**
 * Adds until when the renewal of a short-lived certificate is on schedule, so that the summary counts in SQL by the same rule as
 * the checks. The triggers that keep `monitor_listing` copy the column.
 */
export async function createRenewalSchedules(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  for (const table of ['monitors', 'monitor_listing'])
    await db.schema.alterTable(table).addColumn(COLUMN, 'bigint').execute();
  for (const statement of dialect === 'postgres' ? ON_POSTGRES : ON_SQLITE)
    await sql.raw(statement).execute(db);
  await fill(db, dialect);
  // Few certificates are short-lived, so the index is small.
  await db.schema
    .createIndex('monitor_listing_on_schedule')
    .on('monitor_listing')
    .columns(['account_id', COLUMN, 'phase', 'not_after'])
    .where(sql<boolean>`on_schedule_until is not null`)
    .execute();
}

/**
 * A trigger of its own beside `monitor_relisted`, which older processes rely on. An insert needs none: a new monitor has no
 * certificate yet.
 */
const COPY = `update monitor_listing set ${COLUMN} = new.${COLUMN}
    where account_id = new.account_id and monitor_id = new.id`;

const ON_SQLITE = [
  `create trigger monitor_scheduled after update of ${COLUMN} on monitors
    when old.${COLUMN} is not new.${COLUMN} begin ${COPY}; end`,
];

const ON_POSTGRES = [
  `create function monitor_scheduled() returns trigger language plpgsql as $$ begin
    ${COPY}; return null; end $$`,
  `create trigger monitor_scheduled after update of ${COLUMN} on monitors for each row
    when (old.${COLUMN} is distinct from new.${COLUMN}) execute function monitor_scheduled()`,
];

/** PostgreSQL's JSON functions fail on a NUL in any name of the facts, which certificates may have. Quotes in names are escaped. */
const LIFETIMES = {
  sqlite: `facts ->> '$.notAfter' as not_after, facts ->> '$.notBefore' as not_before`,
  postgres: `substring(facts from '"notAfter":(-?[0-9]+)')::bigint as not_after,
    substring(facts from '"notBefore":(-?[0-9]+)')::bigint as not_before`,
};

/** By the rule so far, a quarter of the lifetime: the next check of each monitor, hours away, knows the window of its CA. */
async function fill(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql
    .raw(
      `update monitors set ${COLUMN} = short.not_after - (short.not_after - short.not_before) / 4
        from (
          select fingerprint, not_after, not_before
            from (select fingerprint, ${LIFETIMES[dialect]} from certificates where facts is not null) as lived
            where not_after - not_before < 2592000000 and not_after > not_before
        ) as short
        where short.fingerprint = monitors.certificate_fingerprint
          and (monitors.problem is null or monitors.problem <> 'untrusted')`,
    )
    .execute(db);
}
