import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/** Lets an account have several monitors of one host and port that are checked in different ways. */
export async function addTargets(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'sqlite') await rebuildMonitors(db);
  else
    await sql`alter table monitors add column target text not null default '',
    drop constraint monitors_once, add constraint monitors_once unique (account_id, host, port, target)`.execute(
      db,
    );
  // Few monitors have a target, so a small index finds them; `monitor_listing`, which most queries read, needs no column for it.
  await db.schema
    .createIndex('monitors_targets')
    .on('monitors')
    .columns(['account_id', 'id', 'target'])
    .where(sql<boolean>`target != ''`)
    .execute();
}

/**
 * Copies the monitors to a table with the other constraint, because SQLite cannot change one (sqlite.org/lang_altertable.html, §7).
 * Foreign keys must be off, or the deletion of the old table would delete the rows that refer to it.
 */
async function rebuildMonitors(db: Kysely<unknown>): Promise<void> {
  const columns = await sql<{ name: string; type: string; notnull: number; standard: string | null }>`
    select name, type, "notnull", dflt_value as standard from pragma_table_info('monitors')`.execute(db);
  const objects = await sql<{ sql: string }>`select sql from sqlite_schema
    where tbl_name = 'monitors' and type in ('index', 'trigger') and sql is not null`.execute(db);
  const names = sql.join(columns.rows.map(({ name }) => sql.ref(name)));
  const definitions = columns.rows.map(({ name, type, notnull, standard }) =>
    sql.raw(
      `"${name}" ${type}${notnull ? ' not null' : ''}${standard === null ? '' : ` default ${standard}`}`,
    ),
  );
  await sql`create table monitors_rebuilt (${sql.join(definitions)}, target text not null default '',
    constraint monitors_key primary key (account_id, id),
    constraint monitors_once unique (account_id, host, port, target),
    foreign key (account_id) references accounts (id) on delete cascade,
    foreign key (certificate_fingerprint) references certificates (fingerprint))`.execute(db);
  await sql`insert into monitors_rebuilt (${names}) select ${names} from monitors`.execute(db);
  await sql`drop table monitors`.execute(db);
  await sql`alter table monitors_rebuilt rename to monitors`.execute(db);
  for (const object of objects.rows) await sql.raw(object.sql).execute(db);
}
