import { type Kysely, sql } from 'kysely';
import { domainToUnicode } from 'node:url';
import type { DialectName } from '../../db/dialect.ts';
import { rewriteTrigger } from './0033-certificate-issuers.ts';

/** Indexes of `monitor_listing` that contained the host, to sort by it. */
const INDEXES = [
  { name: 'names', columns: ['account_id', 'sort_name', 'port', 'monitor_id'], where: null },
  {
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
      'sort_name',
      'port',
      'monitor_id',
    ],
    where: sql<boolean>`length(search_text) <= 200`,
  },
  {
    name: 'trouble',
    columns: ['account_id', 'sort_name', 'port', 'monitor_id'],
    where: sql<boolean>`trouble > 0`,
  },
];

/**
 * Indexes for counting domains by state. They exist already and are created again, after the others: of several indexes with the same cost,
 * PostgreSQL uses the newest.
 */
const COUNTING = [
  { name: 'phases', columns: ['account_id', 'phase', 'not_after', 'monitor_id'], where: null },
  {
    name: 'worst',
    columns: ['account_id', 'fault', 'phase', 'not_after', 'monitor_id', 'on_schedule_until'],
    where: null,
  },
];

/**
 * Stores the name by which lists sort each monitor and each certificate: for an international name its Unicode form without accents. SQL
 * cannot decode such a name, so the program writes `sort_name` of `monitors` and `certificates`; null stands for the name itself.
 */
export async function addSortNames(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  // Sort by code points instead of the database's default collation.
  const text = sql.raw(dialect === 'postgres' ? 'text collate "C"' : 'text');
  await sql`alter table monitors add column sort_name text`.execute(db);
  await sql`alter table certificates add column sort_name text`.execute(db);
  await sql`alter table monitor_listing add column sort_name ${text} not null default ''`.execute(db);
  await rewriteTrigger(db, { dialect, trigger: 'monitor_listed' }, (body) =>
    body
      .replace('created_at, host, port', 'created_at, host, sort_name, port')
      .replace('new.host, new.port', 'new.host, coalesce(new.sort_name, new.host), new.port'),
  );
  for (const trigger of ['monitor_served', 'other_leaf_served'])
    await rewriteTrigger(db, { dialect, trigger }, (body) =>
      body
        .replace('substr(lower(coalesce(nullif(', 'coalesce(certificates.sort_name, $&')
        .replace('1, 200)', '$&)'),
    );
  // Without the indexes, PostgreSQL writes no entry of them for each updated row.
  const indexes = dialect === 'postgres' ? [...INDEXES, ...COUNTING] : INDEXES;
  for (const { name } of indexes) await db.schema.dropIndex(`monitor_listing_${name}`).execute();
  await sql`update monitor_listing set sort_name = host`.execute(db);
  await fillMonitors(db);
  await fillCertificates(db);
  for (const { name, columns, where } of indexes) {
    const index = db.schema.createIndex(`monitor_listing_${name}`).on('monitor_listing').columns(columns);
    await (where === null ? index : index.where(where)).execute();
  }
}

const AT_ONCE = 200;

async function fillMonitors(db: Kysely<unknown>): Promise<void> {
  for (let after = { account_id: '', id: '' }; ;) {
    const { rows } = await sql<{ account_id: string; id: string; host: string }>`
      select account_id, id, host from monitors
      where host like '%xn--%' and (account_id, id) > (${after.account_id}, ${after.id})
      order by account_id, id limit ${sql.lit(AT_ONCE)}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { account_id: accountId, id, host } of rows) {
      const name = sortNameOf(host);
      if (name === null) continue;
      await sql`update monitors set sort_name = ${name} where account_id = ${accountId} and id = ${id}`.execute(
        db,
      );
      await sql`update monitor_listing set sort_name = ${name}
        where account_id = ${accountId} and monitor_id = ${id}`.execute(db);
    }
    after = last;
  }
}

async function fillCertificates(db: Kysely<unknown>): Promise<void> {
  for (let after = ''; ;) {
    const { rows } = await sql<{
      fingerprint: string;
      facts: string;
    }>`select fingerprint, facts from certificates
      where lower(facts) like '%xn--%' and fingerprint > ${after} order by fingerprint limit ${sql.lit(AT_ONCE)}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { fingerprint, facts } of rows) {
      const read: unknown = JSON.parse(facts);
      const [subject, sans] = ['subject', 'sans'].map((key): unknown => Reflect.get(Object(read), key));
      const first: unknown = Array.isArray(sans) ? sans[0] : undefined;
      const given = [subject, first].find((one) => typeof one === 'string' && one !== '');
      const name = typeof given === 'string' ? sortNameOf(given.toLowerCase()) : null;
      if (name === null) continue;
      await sql`update certificates set sort_name = ${name} where fingerprint = ${fingerprint}`.execute(db);
    }
    after = last.fingerprint;
  }
  // In one statement, because no index of `served_certificates` begins with the fingerprint.
  await sql`update served_certificates set name = certificates.sort_name from certificates
    where certificates.fingerprint = served_certificates.fingerprint and certificates.sort_name is not null`.execute(
    db,
  );
}

/** Returns the Unicode form of a name without accents; null if it has no such form. At most 200 characters, as names of certificates. */
function sortNameOf(name: string): string | null {
  const shown = name.includes('xn--') ? domainToUnicode(name) : '';
  if (shown === '' || URL.parse(`http://${shown}/`)?.hostname !== name) return null;
  return shown
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .slice(0, 200)
    .toWellFormed();
}
