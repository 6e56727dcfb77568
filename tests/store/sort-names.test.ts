import type { Insertable, Kysely } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../server/store/schema/migrate.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { DATABASES, hasDatabase } from '../kit/databases/database.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';

/** One more than the migration reads at once. */
const MANY = 201;

it.each(DATABASES.filter(hasDatabase))(
  'the migration to sort names writes international names in Unicode without accents, and leaves all other names as they were (%s)',
  async (name) => {
    const db = rawDatabase(await formerDatabase(name));
    onTestFinished(() => db.destroy());
    await migrate(db, { dialect: name, name: 'The database', upTo: 37 });
    const accounts = await db.selectFrom('accounts').select('id').orderBy('id').execute();
    const [first = '', second = ''] = accounts.map(({ id }) => id);
    const added = new Map<string, string>();
    // The ids of the second account come before those of the first, so a position needs both columns.
    for (let index = 0; index < MANY; index++)
      added.set(await addInternational(db, { account: first, id: `z${index}`, index }), sorted(index));
    added.set(await addInternational(db, { account: second, id: '0', index: MANY }), sorted(MANY));
    const before = await namesIn(db);
    expect(before.length).toBeGreaterThan(added.size);

    await migrate(db, { dialect: name, name: 'The database', upTo: 38 });
    expect(await namesIn(db)).toEqual(
      before.map((row) => ({ ...row, name: added.get(row.fingerprint) ?? row.name })),
    );
    const hosts = await db.selectFrom('monitor_listing').select(['host', 'sort_name']).execute();
    expect(hosts.filter(({ host }) => host.startsWith('xn--')).length).toBeGreaterThan(MANY);
    for (const { host, sort_name: sortName } of hosts) {
      const [, index] = /^xn--bcher-kva\.example(\d*)$/.exec(host) ?? [];
      expect(sortName).toBe(index === undefined ? host : `bucher.example${index}`);
    }

    const later = await addInternational(db, {
      account: second,
      id: '1',
      index: MANY + 1,
      sortName: 'written by the program',
    });
    const certificates = await namesIn(db);
    expect(certificates.find(({ fingerprint }) => fingerprint === later)?.name).toBe(
      'written by the program',
    );
    expect(
      await db.selectFrom('monitor_listing').select('sort_name').where('monitor_id', '=', '1').execute(),
    ).toEqual([{ sort_name: 'written by the program' }]);
  },
);

const sorted = (index: number): string => `bucher.example${index}`;

/** Adds a monitor and its certificate, both with an international name. Returns the fingerprint of the certificate. */
async function addInternational(
  db: Kysely<Tables>,
  { account, id, index, sortName }: { account: string; id: string; index: number; sortName?: string },
): Promise<string> {
  const host = `xn--bcher-kva.example${index}`;
  const fingerprint = `${account} ${id}`;
  const ofProgram = sortName === undefined ? {} : { sort_name: sortName };
  const monitor = await db.selectFrom('monitors').selectAll().limit(1).executeTakeFirstOrThrow();
  const certificate = await db
    .selectFrom('certificates')
    .selectAll()
    .where('facts', 'is not', null)
    .limit(1)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('certificates')
    // Authorities may issue a certificate for a name in upper case.
    .values({
      ...certificate,
      ...ofProgram,
      fingerprint,
      facts: JSON.stringify({ subject: index % 2 ? host.toUpperCase() : '', sans: [host.toUpperCase()] }),
    })
    .execute();
  await db
    .insertInto('monitors')
    .values({
      ...(monitor as Insertable<Tables['monitors']>),
      ...ofProgram,
      account_id: account,
      id,
      host,
      certificate_fingerprint: null,
    })
    .execute();
  await db
    .updateTable('monitors')
    .set({ certificate_fingerprint: fingerprint, not_after: 1 })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
  return fingerprint;
}

function namesIn(db: Kysely<Tables>) {
  return db
    .selectFrom('served_certificates')
    .select(['account_id', 'fingerprint', 'name'])
    .orderBy('account_id')
    .orderBy('fingerprint')
    .execute();
}
