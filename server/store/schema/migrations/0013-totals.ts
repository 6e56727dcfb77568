import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/**
 * How many monitors each account has: every page of a list and every add asks for it, and counted it takes the longer the more there
 * are. Triggers keep it.
 */
export async function createTotals(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('monitor_totals')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('total', 'integer', (column) => column.notNull())
    .execute();
  // What others write there waits until the triggers are there.
  if (dialect === 'postgres') await sql`lock table monitors in share row exclusive mode`.execute(db);
  await sql`insert into monitor_totals (account_id, total)
    select account_id, count(*) from monitors group by account_id`.execute(db);
  for (const statement of dialect === 'postgres' ? ON_POSTGRES : ON_SQLITE)
    await sql.raw(statement).execute(db);
}

/** Once a statement: with an account go all of its monitors, and a row that is written that often in one transaction takes longer each time. */
const ON_POSTGRES = [
  `create function monitor_added() returns trigger language plpgsql as $$ begin
    insert into monitor_totals (account_id, total)
      select account_id, count(*) from added group by account_id order by account_id
      on conflict (account_id) do update set total = monitor_totals.total + excluded.total;
    return null;
  end $$`,
  `create trigger monitor_added after insert on monitors
    referencing new table as added for each statement execute function monitor_added()`,
  `create function monitor_removed() returns trigger language plpgsql as $$ begin
    update monitor_totals set total = monitor_totals.total - gone.many
      from (select account_id, count(*) as many from removed group by account_id) as gone
      where gone.account_id = monitor_totals.account_id;
    return null;
  end $$`,
  `create trigger monitor_removed after delete on monitors
    referencing old table as removed for each statement execute function monitor_removed()`,
];

const ON_SQLITE = [
  `create trigger monitor_added after insert on monitors begin
    insert into monitor_totals (account_id, total) values (new.account_id, 1)
      on conflict (account_id) do update set total = total + 1;
  end`,
  `create trigger monitor_removed after delete on monitors begin
    update monitor_totals set total = total - 1 where account_id = old.account_id;
  end`,
];
