import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changeIncident } from '../../server/store/alerts/monitor-incidents.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { certificate, NOW, person, watch } from './samples.ts';
import { promise } from '../security/promise.ts';

/** More values than a statement may have parameters: 32,766 (SQLite) and 65,535 (PostgreSQL). */
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

  it('snooze a certificate and make all its domains due at the end', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    // Enough rows for more than one batch. PostgreSQL takes longer for each row, so it gets fewer.
    const many = name === 'sqlite' ? ids : ids.slice(0, 600);
    const until = NOW + 1;
    await insertRows(
      store,
      'monitors',
      many.map((id) => ({
        account_id: accountId,
        id,
        host: `${id}.example`,
        port: 443,
        revoked: 0,
        check_every_minutes: 1440,
        created_at: NOW,
        next_check_at: until + 1,
      })),
    );
    const incident = { account_id: accountId, problem: 'expiry' as const };
    await insertRows(store, 'incidents', [{ ...incident, id: 'certificate', fingerprint: 'any' }]);
    await insertRows(
      store,
      'incident_members',
      many.map((id) => ({
        ...incident,
        id,
        incident_id: 'certificate',
        monitor_id: id,
        started_at: NOW,
        confirmed_at: NOW,
        recovered: 0,
        cause: 'expiry',
        message: '',
        facts: '{}',
      })),
    );
    const change = { snoozedUntil: until };
    const snoozed = await changeIncident(store, { accountId, incidentId: ids[1]!, change, now: NOW });
    expect(snoozed).toMatchObject({ id: ids[1], snoozedUntil: until });
    const due = store.db.selectFrom('monitors').select((eb) => eb.fn.countAll<number>().as('count'));
    expect(await due.where('next_check_at', '=', until).execute()).toEqual([{ count: many.length }]);
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

/** Inserts of several rows that are not split into batches, with the reason why the rows are few. */
const FEW_ROWS = {
  'server/store/accounts/authorities.ts': '20 authorities of an account',
  'server/store/publishing/status-pages.ts': '200 domains of a page',
};

it('Inserts of several rows are split into batches, unless something else bounds their number', () => {
  const unsplit = globSync('server/store/**/*.ts', { exclude: ['**/migrations/**', '**/*.test.ts'] }).filter(
    (path) =>
      // Matches a call of `values`, unless it gets one object or a batch, or is the method of a Map.
      /\.values\(\s*(?!\{|\)|batch\))/.test(readFileSync(path, 'utf8').replace(/Object\.values\(/g, '')),
  );
  expect(unsplit.toSorted()).toEqual(Object.keys(FEW_ROWS));
});
