import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { isUnserved, served } from './0023-served-certificates.ts';

/**
 * Creates a table of the leaves that some addresses of a monitor serve beside the one in its own row, and counts them in
 * `served_certificates`. Most monitors have none. Checks by the previous version do not write it; the next check by this version corrects it.
 */
export async function addOtherLeaves(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('other_leaves')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('monitor_id', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('not_after', 'bigint', (column) => column.notNull())
    .addColumn('host', dialect === 'postgres' ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('other_leaves_key', ['account_id', 'monitor_id', 'fingerprint'])
    .execute();
  await db.schema
    .createIndex('other_leaves_certificates')
    .on('other_leaves')
    .columns(['fingerprint', 'account_id', 'host', 'port', 'monitor_id'])
    .execute();
  for (const statement of TRIGGERS[dialect]) await sql.raw(statement).execute(db);
  await fill(db);
}

const enter = (dialect: DialectName) => `insert into served_certificates
    ${served(dialect, { accountId: 'new.account_id', notAfter: 'new.not_after', domains: '1' })}
    where certificates.fingerprint = new.fingerprint and certificates.facts is not null
    on conflict (account_id, fingerprint) do update set domains = served_certificates.domains + 1`;

/** Triggers delete the rows instead of a foreign key, which on PostgreSQL would update the counts once per deleted monitor. */
const TRIGGERS: Record<DialectName, string[]> = {
  sqlite: [
    `create trigger other_leaf_served after insert on other_leaves begin ${enter('sqlite')}; end`,
    `create trigger other_leaf_unserved after delete on other_leaves begin
      update served_certificates set domains = domains - 1
        where account_id = old.account_id and fingerprint = old.fingerprint;
      delete from served_certificates
        where account_id = old.account_id and fingerprint = old.fingerprint and ${isUnserved}; end`,
    `create trigger monitor_without_leaves after delete on monitors begin
      delete from other_leaves where account_id = old.account_id and monitor_id = old.id; end`,
  ],
  postgres: [
    `create function other_leaf_served() returns trigger language plpgsql as $$ begin
      ${enter('postgres')};
      return null;
    end $$`,
    `create trigger other_leaf_served after insert on other_leaves
      for each row execute function other_leaf_served()`,
    `create function other_leaf_unserved() returns trigger language plpgsql as $$ begin
      update served_certificates set domains = domains - gone.many
        from (select account_id, fingerprint, count(*) as many from removed group by 1, 2 order by 1, 2) as gone
        where gone.account_id = served_certificates.account_id
          and gone.fingerprint = served_certificates.fingerprint;
      delete from served_certificates using removed where ${isUnserved}
        and removed.account_id = served_certificates.account_id
        and removed.fingerprint = served_certificates.fingerprint;
      return null;
    end $$`,
    `create trigger other_leaf_unserved after delete on other_leaves
      referencing old table as removed for each statement execute function other_leaf_unserved()`,
    `create function monitor_without_leaves() returns trigger language plpgsql as $$ begin
      delete from other_leaves using removed
        where other_leaves.account_id = removed.account_id and other_leaves.monitor_id = removed.id;
      return null;
    end $$`,
    `create trigger monitor_without_leaves after delete on monitors
      referencing old table as removed for each statement execute function monitor_without_leaves()`,
  ],
};

const AT_ONCE = 200;

/** Reads the leaves of each address from the verdicts of the last checks. */
async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after = { account_id: '', id: '' }; ;) {
    const { rows } = await sql<{
      account_id: string;
      id: string;
      host: string;
      port: number;
      current: string | null;
      verdict: string;
    }>`select monitors.account_id, monitors.id, host, port, certificate_fingerprint as current, verdict from monitors
      inner join monitor_states on monitor_states.account_id = monitors.account_id
        and monitor_states.monitor_id = monitors.id
      inner join verdicts on verdicts.account_id = monitors.account_id and verdicts.monitor_id = monitors.id
        and verdicts.id = monitor_states.verdict_id
      where (monitors.account_id, monitors.id) > (${after.account_id}, ${after.id})
      order by monitors.account_id, monitors.id limit ${sql.lit(AT_ONCE)}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { account_id: accountId, id, host, port, current, verdict } of rows)
      for (const [fingerprint, notAfter] of leavesIn(verdict))
        if (fingerprint !== current)
          await sql`insert into other_leaves (account_id, monitor_id, fingerprint, not_after, host, port)
            select ${accountId}, ${id}, fingerprint, cast(${notAfter} as bigint), ${host}, cast(${port} as integer)
            from certificates where fingerprint = ${fingerprint} and facts is not null`.execute(db);
    after = last;
  }
}

/** Returns the leaves of the addresses with the end of their validity, by fingerprint. Ignores a damaged verdict. */
function leavesIn(verdict: string): Map<string, number> {
  const leaves = new Map<string, number>();
  try {
    const addresses: unknown = Reflect.get(Object(JSON.parse(verdict)), 'addresses');
    for (const address of Array.isArray(addresses) ? addresses : []) {
      const [fingerprint, notAfter] = ['fingerprint', 'notAfter'].map((name): unknown =>
        Reflect.get(Object(address), name),
      );
      if (typeof fingerprint === 'string' && typeof notAfter === 'number') leaves.set(fingerprint, notAfter);
    }
  } catch {
    return new Map();
  }
  return leaves;
}
