import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { describeEachDatabase, freshStore, hasDatabase } from '../kit/databases/database.ts';
import { person } from './samples.ts';

describeEachDatabase('transactions', (open) => {
  it('write nothing if they fail', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const failing = inTransaction(store, async (trx) => {
      await trx.updateTable('accounts').set({ plan: 'premium' }).where('id', '=', id).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const { plan } = await store.db.selectFrom('accounts').select('plan').executeTakeFirstOrThrow();
    expect(plan).toBe('free');
  });
});

describe('transactions on a full disk (sqlite)', () => {
  it('fail while the disk is full, and succeed again once there is space', async () => {
    const store = await freshStore('sqlite');
    const { id } = await person(store, 'alice');
    const rename = (name: string) =>
      inTransaction(store, (trx) =>
        trx.updateTable('accounts').set({ full_name: name }).where('id', '=', id).execute(),
      );
    await sql`pragma max_page_count = 1`.execute(store.db);
    await expect(rename('x'.repeat(1_000_000))).rejects.toThrow('full');
    await sql`pragma max_page_count = 1000000`.execute(store.db);
    await rename('Alice');
    const { full_name } = await store.db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    expect(full_name).toBe('Alice');
  });
});

describe.skipIf(!hasDatabase('postgres'))('transactions that deadlock (postgres)', () => {
  it('run again from the start and succeed', async () => {
    const store = await freshStore('postgres');
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    const holding = { alice: Promise.withResolvers<void>(), bob: Promise.withResolvers<void>() };
    const rename = (mine: 'alice' | 'bob', ids: [string, string]) =>
      inTransaction(store, async (trx) => {
        const [first, second] = ids.map((id) =>
          trx.updateTable('accounts').set({ full_name: mine }).where('id', '=', id),
        );
        await first?.execute();
        holding[mine].resolve();
        await holding[mine === 'alice' ? 'bob' : 'alice'].promise;
        await second?.execute();
      });
    await Promise.all([rename('alice', [alice.id, bob.id]), rename('bob', [bob.id, alice.id])]);
    const names = await store.db.selectFrom('accounts').select('full_name').distinct().execute();
    expect(names).toHaveLength(1);
  });
});
