import { expect, it } from 'vitest';
import { compileOnce } from '../../server/store/db/dialect.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';

describeEachDatabase('a query that is compiled once', (open) => {
  it('runs with the parameters of each call, inside and outside of transactions', async () => {
    const { db } = await open();
    let compilations = 0;
    const named = compileOnce((on, { name, at }: { name: string; at: number }) => {
      compilations += 1;
      const newer = on.selectFrom('rate_limits').selectAll().where('window_ends_at', '>', at);
      return newer.where('key', '=', name).where('window_ends_at', '<', 9).compile();
    });
    const rows = ['one', 'two'].map((key, index) => ({ key, count: 1, window_ends_at: index + 1 }));
    await db.insertInto('rate_limits').values(rows).execute();
    expect(await named(db, { name: 'one', at: 0 })).toMatchObject([rows[0]]);
    expect(await named(db, { name: 'two', at: 0 })).toMatchObject([rows[1]]);
    expect(await db.transaction().execute((trx) => named(trx, { name: 'two', at: 2 }))).toEqual([]);
    expect(compilations).toBe(1);
  });
});
