import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changeIncident } from '../../server/store/alerts/monitor-incidents.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { certificate, NOW, person, watch } from './samples.ts';
import { promise } from '../security/promise.ts';

/** More than the parameters of a statement: 32,766 and 65,535. */
const MANY = { sqlite: 33_000, postgres: 66_000 };
const idsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);

describeEachDatabase('lists of more values than a statement may have parameters', (open, name) => {
  const ids = idsOf(MANY[name]);

  it('select and delete the rows that are in the list, or are not', async () => {
    const { db, ...store } = await open();
    const { id: accountId } = await person({ ...store, db }, 'alice');
    const { id } = await watch({ ...store, db }, accountId, 'a.example');
    const select = db.selectFrom('monitors').select('id');
    expect(await select.where('id', 'in', [...ids, id]).execute()).toEqual([{ id }]);
    expect(await select.where('id', 'not in', ids).execute()).toEqual([{ id }]);
    expect(
      await select
        .where(
          'created_at',
          'in',
          ids.map((_, index) => NOW + index),
        )
        .execute(),
    ).toEqual([{ id }]);
    const deleted = db.deleteFrom('monitors').where('id', 'in', [...ids, id]);
    expect((await deleted.executeTakeFirst()).numDeletedRows).toBe(1n);
  });

  it('find rows in a transaction and in a search', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id } = await watch(store, accountId, 'a.example');
    const find = (db: typeof store.db) =>
      db
        .selectFrom('monitors')
        .select('id')
        .where('id', 'in', [...ids, id])
        .execute();
    expect(await store.search(accountId, find)).toEqual([{ id }]);
    expect(await store.db.transaction().execute(find)).toEqual([{ id }]);
    promise('large-accounts');
  });

  it('acknowledge every incident of a certificate', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id: monitorId } = await watch(store, accountId, 'a.example');
    // On PostgreSQL, where each row takes longer, more than one batch. All are of one monitor and differ in their fingerprint.
    const many = name === 'sqlite' ? ids : ids.slice(0, 600);
    const incident = { account_id: accountId, monitor_id: monitorId, problem: 'expiry' as const };
    const rest = {
      started_at: NOW,
      confirmed_at: NOW,
      recovered: 0,
      cause: 'expiry',
      message: '',
      facts: '{}',
    };
    await insertRows(
      store,
      'incidents',
      many.map((id) => ({
        ...incident,
        ...rest,
        id,
        group_id: id === many[0] ? null : many[0]!,
        fingerprint: id,
      })),
    );
    const acknowledged = await changeIncident(store, {
      accountId,
      incidentId: ids[1]!,
      change: { acknowledged: true },
      now: NOW,
    });
    expect(acknowledged).toMatchObject({ id: ids[1], acknowledgedAt: NOW });
    const count = store.db.selectFrom('incidents').select((eb) => eb.fn.countAll<number>().as('count'));
    expect(await count.where('acknowledged_at', '=', NOW).execute()).toEqual([{ count: many.length }]);
  });

  it('store the certificates of a check', async () => {
    const store = await open();
    // Each row has more than four columns.
    const many = ids.slice(0, ids.length / 4 + 1).map((fingerprint) => ({ ...certificate(), fingerprint }));
    await store.db.transaction().execute((trx) => addCertificates(trx, many, NOW));
    const count = store.db.selectFrom('certificates').select((eb) => eb.fn.countAll<number>().as('count'));
    expect(await count.execute()).toEqual([{ count: many.length }]);
  });
});

/** Inserts of several rows in one statement that are not split, with what bounds their number. */
const FEW_ROWS = {
  'server/store/accounts/authorities.ts': '20 authorities of an account',
  'server/store/publishing/status-pages.ts': '200 domains of a page',
};

it('Inserts of several rows are split into batches, unless something else bounds their number', () => {
  const unsplit = globSync('server/store/**/*.ts', { exclude: ['**/migrations/**', '**/*.test.ts'] }).filter(
    (path) =>
      // Neither one row, nor a batch, nor the method of a Map.
      /\.values\(\s*(?!\{|\)|batch\))/.test(readFileSync(path, 'utf8').replace(/Object\.values\(/g, '')),
  );
  expect(unsplit.toSorted()).toEqual(Object.keys(FEW_ROWS));
});
