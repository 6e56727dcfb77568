import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../server/store/schema/migrate.ts';
import { DATABASES, hasDatabase } from '../kit/databases/database.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';

const A_LABELS = 'xn--bcher-kva.example';

it.each(DATABASES.filter(hasDatabase))(
  'The migration to sort names writes the Unicode form of international names without accents, and every other name as it is (%s)',
  async (name) => {
    const db = rawDatabase(await formerDatabase(name));
    onTestFinished(() => db.destroy());
    await migrate(db, { dialect: name, name: 'The database', upTo: 37 });
    const { fingerprint } = await db
      .selectFrom('served_certificates')
      .select('fingerprint')
      .executeTakeFirstOrThrow();
    const { facts } = await db
      .selectFrom('certificates')
      .select('facts')
      .where('fingerprint', '=', fingerprint)
      .executeTakeFirstOrThrow();
    const renamed = JSON.stringify({ ...(JSON.parse(facts ?? '{}') as object), subject: A_LABELS });
    await db
      .updateTable('certificates')
      .set({ facts: renamed })
      .where('fingerprint', '=', fingerprint)
      .execute();
    await migrate(db, { dialect: name, name: 'The database', upTo: 38 });
    const listing = await db.selectFrom('monitor_listing').select(['host', 'sort_name']).execute();
    const international = listing.filter(({ host }) => host === A_LABELS);
    expect(international.length).toBeGreaterThan(0);
    expect(international.length).toBeLessThan(listing.length);
    for (const { host, sort_name: sorted } of listing)
      expect(sorted).toBe(host === A_LABELS ? 'bucher.example' : host);
    const served = await db.selectFrom('served_certificates').select(['fingerprint', 'name']).execute();
    for (const row of served)
      expect(row.name === 'bucher.example', row.name).toBe(row.fingerprint === fingerprint);
  },
);
