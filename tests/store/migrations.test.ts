import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DialectName, postgresDialect, sqliteDialect } from '../../server/store/dialect.ts';
import { createFirstTables } from '../../server/store/migrations/0001-first-tables.ts';
import { createIdentityProviderTables } from '../../server/store/migrations/0002-identity-provider-tables.ts';
import { createPlansAndMails } from '../../server/store/migrations/0003-plans-and-mails.ts';
import { createIdentityFactors } from '../../server/store/migrations/0004-identity-factors.ts';
import { describeMonitor, listMonitors, monitorOf } from '../../server/store/monitors.ts';
import { DATABASES, type Database, freshDatabase, hasDatabase } from '../kit/database.ts';
import { NOW } from './samples.ts';

const LEVEL_4: Record<string, (db: Kysely<unknown>, dialect: DialectName) => Promise<void>> = {
  '0001-first-tables': createFirstTables,
  '0002-identity-provider-tables': createIdentityProviderTables,
  '0003-plans-and-mails': createPlansAndMails,
  '0004-identity-factors': createIdentityFactors,
};

describe.each(DATABASES.filter(hasDatabase))('a database from before notes and tags (%s)', (name) => {
  it('keeps its monitors, which are found by their names in both writings', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    await writeLevel4(database, [
      'shop.example',
      'xn--bcher-kva.example',
      'a.xn--mgba3a4f16a.example',
      '192.0.2.1',
    ]);

    const store = await database.open();
    const found = async (q: string) => {
      const query = { accountId: 'alice', q, page: 1, pageSize: 50, sort: 'name' as const, now: NOW };
      return (await listMonitors(store, query)).monitors.map(({ host }) => host);
    };
    expect(await found('')).toHaveLength(4);
    expect(await found('bücher')).toEqual(['xn--bcher-kva.example']);
    expect(await found('xn--bcher')).toEqual(['xn--bcher-kva.example']);
    expect(await found('ایران')).toEqual(['a.xn--mgba3a4f16a.example']);
    expect(await found('shop.example:443')).toEqual(['shop.example']);
    expect(await found('192.0.2.1')).toEqual(['192.0.2.1']);
    for (const q of ['bucher', '%', '_', '\\', '"', "'"]) expect([q, await found(q)]).toEqual([q, []]);

    const key = { accountId: 'alice', monitorId: 'shop.example' };
    expect(await monitorOf(store, key)).toMatchObject({
      ...{ notes: '', tags: [], faviconVersion: null },
      ...{ protocol: 'https', uptime: null, uptimeSince: null, downSince: null, recentChecks: '' },
    });
    await describeMonitor(store, { ...key, describe: () => ({ notes: 'Mine', tags: ['prod'] }) });
    expect(await found('prod')).toEqual(['shop.example']);
  });
});

/** As the version before wrote it, which knew neither the new columns nor what a search looks through. */
async function writeLevel4({ databaseUrl, dataDir, name }: Database, hosts: string[]): Promise<void> {
  const dialect =
    databaseUrl === null
      ? sqliteDialect(dataDir)
      : postgresDialect(databaseUrl, (error) => expect.fail(error.message));
  const db = new Kysely<unknown>({ dialect });
  const migrations = Object.entries(LEVEL_4).map(([key, up]) => [
    key,
    { up: (trx: Kysely<unknown>) => up(trx, name) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(migrations) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  expect(error).toBeUndefined();
  await sql`insert into accounts (id, email, email_verified, full_name, paddle_id, company_name, plan, created_at)
    values ('alice', 'alice@example.com', 1, 'Alice', '', '', 'free', ${NOW})`.execute(db);
  for (const host of hosts)
    await sql`insert into monitors (id, account_id, host, port, check_every_minutes, created_at, next_check_at, revoked)
      values (${host}, 'alice', ${host}, 443, 1440, ${NOW}, ${NOW}, 0)`.execute(db);
  await db.destroy();
}
