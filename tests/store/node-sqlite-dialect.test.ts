import { Kysely, sql } from 'kysely';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DiskFailure, LogSync } from '../../server/store/db/log-sync.ts';
import { NodeSqliteDialect } from '../../server/store/db/node-sqlite-dialect.ts';
import { inTransaction, inUrgentTransaction } from '../../server/store/db/transaction.ts';
import { freshStore } from '../kit/databases/database.ts';
import { temporaryFolder } from '../kit/product/app.ts';
import { promise } from '../security/promise.ts';

describe('the SQLite dialect', () => {
  it('returns the current columns of a table after its schema changes', async () => {
    const { db } = await freshStore('sqlite');
    const read = async () => (await sql`select * from things`.execute(db)).rows;
    await sql`create table things (id integer)`.execute(db);
    await sql`insert into things values (1)`.execute(db);
    expect(await read()).toEqual([{ id: 1 }]);
    await sql`alter table things add column name text default 'one'`.execute(db);
    expect(await read()).toEqual([{ id: 1, name: 'one' }]);
    await sql`drop table things`.execute(db);
    await sql`create table things (other integer)`.execute(db);
    expect(await read()).toEqual([]);
  });

  it('returns right answers for more statements than its cache holds', async () => {
    const { db } = await freshStore('sqlite');
    for (const round of [1, 2])
      for (let number = 0; number < 600; number++) {
        const { rows } = await sql`select ${sql.lit(number)} + ${round} as sum`.execute(db);
        expect(rows).toEqual([{ sum: number + round }]);
      }
  });

  it('yields to the event loop while many transactions are queued', async () => {
    const { db } = await freshStore('sqlite');
    const turns = countTurns();
    const query = sql`select 1`;
    const turnsOfQueries = await Promise.all(
      Array.from({ length: 200 }, () =>
        db.transaction().execute(async (trx) => {
          await query.execute(trx);
          return turns();
        }),
      ),
    );
    expect(new Set(turnsOfQueries).size).toBeGreaterThan(10);
  });

  it('yields to the event loop within a long transaction, and not within a short one', async () => {
    const { db } = await freshStore('sqlite');
    const turns = countTurns();
    const query = sql`select 1`;
    const turnsWithin = (queries: number): Promise<number> =>
      db.transaction().execute(async (trx) => {
        await query.execute(trx);
        const before = turns();
        for (let made = 0; made < queries; made++) await query.execute(trx);
        return turns() - before;
      });
    expect(await turnsWithin(200)).toBeGreaterThan(10);
    expect(await turnsWithin(1)).toBe(0);
  });

  it('answers reads at once with committed data while a transaction writes', async () => {
    const { db } = await freshStore('sqlite');
    await sql`create table things (id integer)`.execute(db);
    const counted = (on = db) => on.selectFrom(sql`things`.as('things')).select(sql`count(*)`.as('n'));
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>();
    const { promise: end, resolve: mayEnd } = Promise.withResolvers<void>();
    const writing = db.transaction().execute(async (trx) => {
      await sql`insert into things values (1)`.execute(trx);
      expect(await counted(trx).executeTakeFirst()).toEqual({ n: 1 });
      hasWritten();
      await end;
    });
    await written;
    expect(await counted().executeTakeFirst()).toEqual({ n: 0 });
    const next = db.transaction().execute((trx) => counted(trx).executeTakeFirst());
    mayEnd();
    await writing;
    expect(await counted().executeTakeFirst()).toEqual({ n: 1 });
    expect(await next).toEqual({ n: 1 });
  });

  it('runs waiting urgent transactions (delivery outcomes) before other waiting ones', async () => {
    const store = await freshStore('sqlite');
    const { promise: end, resolve: mayEnd } = Promise.withResolvers<void>();
    const order: string[] = [];
    const enter = (name: string) => async () => void order.push(name);
    const begun = Promise.withResolvers<void>();
    const running = inTransaction(store, async () => {
      begun.resolve();
      await end;
    });
    await begun.promise;
    const waiting = [
      inTransaction(store, enter('check')),
      inTransaction(store, enter('claim')),
      inUrgentTransaction(store, enter('outcome')),
      inUrgentTransaction(store, enter('next outcome')),
    ];
    // Until the event loop turns, all of them wait.
    await nextTurn();
    mayEnd();
    await Promise.all([running, ...waiting]);
    expect(order).toEqual(['outcome', 'next outcome', 'check', 'claim']);
  });

  it('keeps working after failed transactions', async () => {
    const { db } = await freshStore('sqlite');
    const fail = () => db.transaction().execute((trx) => sql`insert into others values (1)`.execute(trx));
    await expect(fail()).rejects.toThrow('no such table');
    await expect(Promise.all([fail(), fail(), fail()])).rejects.toThrow('no such table');
    await sql`create table others (id integer)`.execute(db);
    expect(await fail()).toMatchObject({ numAffectedRows: 1n });
  });

  it('writes nothing more after the disk failed to store a commit, and still reads', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = join(folder.path, 'certlantern.db');
    let isFailing = false;
    const sync = new LogSync(path, () =>
      isFailing ? Promise.reject(new Error('EIO: i/o error, fdatasync')) : Promise.resolve(),
    );
    const db = new Kysely<Record<'things', { id: number }>>({
      dialect: new NodeSqliteDialect(path, { sync }),
    });
    await sql`create table things (id integer)`.execute(db);
    const insert = (id: number) => db.insertInto('things').values({ id }).execute();
    await insert(1);
    isFailing = true;
    await expect(insert(2)).rejects.toThrow(DiskFailure);
    // The disk seems to work again, but the operating system has dropped what it could not write.
    isFailing = false;
    await expect(insert(3)).rejects.toThrow(DiskFailure);
    const change = db.transaction().execute((trx) => trx.insertInto('things').values({ id: 4 }).execute());
    await expect(change).rejects.toThrow(DiskFailure);
    // The commit of 2 failed for its caller, but other connections may see the row.
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([{ id: 1 }, { id: 2 }]);
    promise('databases');
    await db.destroy();

    const restarted = new Kysely<Record<'things', { id: number }>>({ dialect: new NodeSqliteDialect(path) });
    await restarted.insertInto('things').values({ id: 5 }).execute();
    await restarted.destroy();
  });

  it('copies the log of a killed process into the database before it writes', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const [path, copy] = ['killed.db', 'copy.db'].map((name) => join(folder.path, name)) as [string, string];
    const killed = new DatabaseSync(path);
    onTestFinished(() => killed.close());
    killed.exec('PRAGMA journal_mode = WAL; create table things (id integer); insert into things values (1)');
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    const db = new Kysely({ dialect: new NodeSqliteDialect(copy) });
    onTestFinished(() => db.destroy());
    await sql`select 1`.execute(db);
    const alone = new DatabaseSync(`file:${copy}?immutable=1`, { readOnly: true });
    onTestFinished(() => alone.close());
    expect(alone.prepare('select id from things').all()).toMatchObject([{ id: 1 }]);
  });
});

/** Counts the turns of the event loop. Replaces the clock, so that each query takes about a millisecond on any machine. */
function countTurns(): () => number {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.3));
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  onTestFinished(() => {
    clock.mockRestore();
    isOver = true;
  });
  return () => turns;
}
