import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/** Creates a table of each account's leaf certificates, each once, with the number of monitors that saw it last. */
export async function addServedCertificates(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('served_certificates')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('not_after', 'bigint', (column) => column.notNull())
    // Sort by code points instead of the database's default collation.
    .addColumn('name', dialect === 'postgres' ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('names', 'text', (column) => column.notNull())
    .addColumn('domains', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('served_certificates_key', ['account_id', 'fingerprint'])
    .execute();
  // With every column that a list needs, so that it reads this index alone.
  await db.schema
    .createIndex('served_certificates_soonest')
    .on('served_certificates')
    .columns(['account_id', 'not_after', 'fingerprint', 'name', 'domains'])
    .execute();
  for (const column of ['name', 'domains'])
    await db.schema
      .createIndex(`served_certificates_${column}`)
      .on('served_certificates')
      .columns(['account_id', column, 'fingerprint'])
      .execute();
  // So that no other process changes a certificate between the insert and the creation of the triggers.
  if (dialect === 'postgres') await sql`lock table monitors in share row exclusive mode`.execute(db);
  await sql`insert into served_certificates ${sql.raw(served(dialect, { accountId: 'monitors.account_id', notAfter: 'max(monitors.not_after)', domains: 'count(*)' }))}
    inner join monitors on monitors.certificate_fingerprint = certificates.fingerprint
    where certificates.facts is not null and monitors.not_after is not null
    group by monitors.account_id, certificates.fingerprint, certificates.facts`.execute(db);
  for (const statement of TRIGGERS[dialect]) await sql.raw(statement).execute(db);
}

/**
 * Returns the start of a query for rows of `served_certificates`, with these SQL expressions. The name is the subject, else the first
 * alternative name. Both are empty on PostgreSQL if a part of the certificate has a NUL character, which its texts cannot have.
 */
export function served(
  dialect: DialectName,
  { accountId, notAfter, domains }: { accountId: string; notAfter: string; domains: string },
): string {
  const isPostgres = dialect === 'postgres';
  const facts = isPostgres
    ? `(case when position('\\u0000' in certificates.facts) > 0 then '{"sans":[]}' else certificates.facts end)::json`
    : 'certificates.facts';
  const names = isPostgres
    ? `(select coalesce(string_agg(value, ' '), '') from json_array_elements_text(${facts} -> 'sans') as sans (value))`
    : `(select coalesce(group_concat(value, ' '), '') from json_each(${facts}, '$.sans'))`;
  const first = isPostgres ? `${facts} -> 'sans' ->> 0` : `${facts} ->> '$.sans[0]'`;
  const subject = `coalesce(${facts} ->> 'subject', '')`;
  // Cut the name, because PostgreSQL limits the size of an index entry.
  return `select ${accountId}, certificates.fingerprint, ${notAfter},
    substr(lower(coalesce(nullif(${subject}, ''), ${first}, '')), 1, 200), lower(${subject} || ' ' || ${names}), ${domains}
    from certificates`;
}

const enter = (dialect: DialectName) => `insert into served_certificates
    ${served(dialect, { accountId: 'new.account_id', notAfter: 'new.not_after', domains: '1' })}
    where certificates.fingerprint = new.certificate_fingerprint and certificates.facts is not null
      and new.not_after is not null
    on conflict (account_id, fingerprint) do update set domains = served_certificates.domains + 1`;
const leave = `update served_certificates set domains = domains - 1
    where account_id = old.account_id and fingerprint = old.certificate_fingerprint`;
/** `+ 0` keeps PostgreSQL from scanning the index on `domains`: after a bulk change it is full of dead entries. */
export const isUnserved = 'domains + 0 <= 0';
const removeUnserved = `delete from served_certificates
    where account_id = old.account_id and fingerprint = old.certificate_fingerprint and ${isUnserved}`;

const TRIGGERS: Record<DialectName, string[]> = {
  sqlite: [
    `create trigger monitor_served after update of certificate_fingerprint on monitors
      when old.certificate_fingerprint is not new.certificate_fingerprint begin
      ${leave}; ${removeUnserved}; ${enter('sqlite')}; end`,
    `create trigger monitor_unserved after delete on monitors when old.certificate_fingerprint is not null begin
      ${leave}; ${removeUnserved}; end`,
  ],
  postgres: [
    `create function monitor_served() returns trigger language plpgsql as $$ begin
      ${leave}; ${removeUnserved}; ${enter('postgres')};
      return null;
    end $$`,
    `create trigger monitor_served after update of certificate_fingerprint on monitors
      for each row when (old.certificate_fingerprint is distinct from new.certificate_fingerprint)
      execute function monitor_served()`,
    // Once per statement, because each update of a row adds a version of it, which slows down the next update.
    `create function monitor_unserved() returns trigger language plpgsql as $$ begin
      update served_certificates set domains = domains - gone.many
        from (select account_id, certificate_fingerprint as fingerprint, count(*) as many from removed
          where certificate_fingerprint is not null group by 1, 2 order by 1, 2) as gone
        where gone.account_id = served_certificates.account_id
          and gone.fingerprint = served_certificates.fingerprint;
      delete from served_certificates using removed where ${isUnserved}
        and removed.account_id = served_certificates.account_id
        and removed.certificate_fingerprint = served_certificates.fingerprint;
      return null;
    end $$`,
    `create trigger monitor_unserved after delete on monitors
      referencing old table as removed for each statement execute function monitor_unserved()`,
  ],
};
