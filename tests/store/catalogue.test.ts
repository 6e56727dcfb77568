import { expect, it } from 'vitest';
import { CATALOGUE, tablesWith } from '../../server/store/schema/catalogue.ts';
import { accountTables } from '../kit/databases/account-tables.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';

describeEachDatabase('The catalogue of tables', (open) => {
  it('has every table of the database', async () => {
    const { db } = await open();
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    // This table exists only in databases that an older version created.
    const names = [...tables.map(({ name }) => name), 'kysely_migration_lock'];
    expect(names.toSorted()).toEqual(Object.keys(CATALOGUE).toSorted());
  });

  it('says what a takeover and the export do with every table that belongs to accounts', async () => {
    const ofAccounts = [...(await accountTables(await open())).keys()].toSorted();
    for (const rule of ['newOwner', 'exported'] as const)
      expect(
        tablesWith(rule)
          .map(([table]) => table)
          .toSorted(),
      ).toEqual(ofAccounts);
  });
});
