import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

/**
 * Stores the issuer of each certificate as lists show it, so that the list can sort by it. A certificate that an older program adds
 * afterwards has no issuer here, and comes before the others.
 */
export async function addIssuers(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  // Sort by code points instead of the database's default collation.
  const text = sql.raw(dialect === 'postgres' ? 'text collate "C"' : 'text');
  await sql`alter table certificates add column issuer_line text`.execute(db);
  await sql`alter table served_certificates add column issuer ${text} not null default ''`.execute(db);
  for (const trigger of ['monitor_served', 'other_leaf_served'])
    await rewriteTrigger(db, { dialect, trigger }, (body) =>
      body.replace(
        /, 1\s+from certificates/,
        `, 1, coalesce(certificates.issuer_line, '') from certificates`,
      ),
    );
  await fill(db);
  await sql`update served_certificates set issuer = coalesce((select issuer_line from certificates
    where certificates.fingerprint = served_certificates.fingerprint), '')`.execute(db);
  await db.schema
    .createIndex('served_certificates_issuer')
    .on('served_certificates')
    .columns(['account_id', 'issuer', 'fingerprint'])
    .execute();
}

/** Changes the text of a trigger; on PostgreSQL the text of its function, which has the same name. */
export async function rewriteTrigger(
  db: Kysely<unknown>,
  { dialect, trigger }: { dialect: DialectName; trigger: string },
  change: (text: string) => string,
): Promise<void> {
  const select =
    dialect === 'postgres'
      ? sql<{ text: string }>`select pg_get_functiondef(oid) as text from pg_proc
          where proname = ${trigger} and pronamespace = current_schema()::regnamespace`
      : sql<{
          text: string;
        }>`select sql as text from sqlite_master where type = 'trigger' and name = ${trigger}`;
  const { rows } = await select.execute(db);
  for (const { text } of rows) {
    if (dialect === 'sqlite') await sql`drop trigger ${sql.id(trigger)}`.execute(db);
    const changed = change(text);
    if (changed === text) throw new Error(`The trigger ${trigger} has another text than expected.`);
    await sql.raw(changed).execute(db);
  }
}

const AT_ONCE = 200;

async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after = ''; ;) {
    const { rows } = await sql<{
      fingerprint: string;
      facts: string;
    }>`select fingerprint, facts from certificates
      where facts is not null and fingerprint > ${after} order by fingerprint limit ${sql.lit(AT_ONCE)}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    const lines = rows.map(({ fingerprint, facts }) => sql`(${fingerprint}, ${issuerIn(facts)})`);
    await sql`with given (fingerprint, line) as (values ${sql.join(lines)})
      update certificates set issuer_line = given.line from given
      where certificates.fingerprint = given.fingerprint`.execute(db);
    after = last.fingerprint;
  }
}

const COMPANY_SUFFIX = /[\s,]{1,3}(inc|llc|ltd|limited|gmbh|corp|corporation|s\.?a\.?|b\.?v\.?|co)\.?$/i;

/** Returns the issuer in lower case, without the legal form of the authority, and without repeating its name. */
function issuerIn(facts: string): string {
  const read: unknown = JSON.parse(facts);
  const [organisation = '', name = ''] = ['authorityName', 'issuer'].map((key) => {
    const value: unknown = Reflect.get(Object(read), key);
    return typeof value === 'string' ? value.trim() : '';
  });
  const authority = organisation.replace(COMPANY_SUFFIX, '') || organisation;
  const isRepeated = authority !== '' && name.toLowerCase().startsWith(`${authority.toLowerCase()} `);
  const rest = isRepeated ? name.slice(authority.length).trim() : name;
  const isSame = rest.toLowerCase() === authority.toLowerCase();
  const line = [authority, isSame ? '' : rest].filter(Boolean).join(' · ') || 'unknown issuer';
  // PostgreSQL can store no NUL character, and limits the size of an index entry.
  return line.replaceAll('\0', '').toLowerCase().slice(0, 200);
}
