import { closeSync, mkdirSync, openSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { DiskFailure, LogSync } from '../../server/store/db/log-sync.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { StorageHealth } from '../../server/store/db/storage-health.ts';
import { freshStore, hasDatabase } from '../kit/databases/database.ts';
import { fillEveryTable } from '../kit/databases/every-table.ts';
import { damageTable } from '../kit/databases/damage.ts';
import { temporaryFolder } from '../kit/product/app.ts';

/** Returns the folder of a closed embedded database with rows in every table. */
async function filledFolder(monitors: number): Promise<string> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  await (await openStore({ databaseUrl: null, dataDir: folder.path })).close();
  await fillEveryTable(folder.path, monitors);
  return folder.path;
}

async function openFolder(dataDir: string) {
  const store = await openStore({ databaseUrl: null, dataDir });
  onTestFinished(() => store.close());
  return store;
}

describe('verifying the embedded database', () => {
  it('finds no fault in a database without damage', async () => {
    const { storage } = await openFolder(await filledFolder(300));
    await storage.verify();
    expect(await storage.faults()).toEqual(new Map());
  });

  it('names each table with a damaged page, and only these', async () => {
    const dataDir = await filledFolder(300);
    for (const table of ['monitors', 'incidents']) damageTable(dataDir, table);
    const { storage } = await openFolder(dataDir);
    expect(await storage.faults()).toEqual(new Map());
    await storage.verify();
    const line = (await storage.faults()).get('database_damaged') ?? '';
    const tables = [...line.matchAll(/(\w+) \(/g)].map(([, table]) => table);
    expect(new Set(tables)).toEqual(new Set(['incidents', 'monitors']));
    expect(line).not.toContain('\n');
  });

  it('reads each table in a transaction of its own, so that the write-ahead log can be emptied in between', async () => {
    const dataDir = await filledFolder(30);
    const { storage } = await openFolder(dataDir);
    const writer = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 0 });
    onTestFinished(() => writer.close());
    writer.exec('create table notes (text)');
    const blocked: unknown[] = [];
    const now = performance.now.bind(performance);
    // The verification reads the clock before and after each table, so this runs between tables.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      if (new Error('here').stack?.includes('storage-health.ts')) {
        writer.exec(`insert into notes values ('')`);
        // RESTART needs a moment in which nobody reads the log.
        blocked.push(writer.prepare('PRAGMA wal_checkpoint(RESTART)').get()?.['busy']);
      }
      return now();
    });
    onTestFinished(() => clock.mockRestore());
    await storage.verify();
    expect(blocked.length).toBeGreaterThan(80);
    expect(new Set(blocked)).toEqual(new Set([0]));
  });

  it('ends after its present table when the store is closed', async () => {
    const store = await openStore({ databaseUrl: null, dataDir: await filledFolder(300) });
    const verification = store.storage.verify();
    await store.close();
    expect(await verification).toBe(false);
    expect(await store.storage.faults()).toEqual(new Map());
  });
});

describe('a query that meets a damaged page', () => {
  it.each(['reader', 'search thread'])('makes the damage known (%s)', async (where) => {
    const dataDir = await filledFolder(300);
    damageTable(dataDir, 'monitors');
    const { storage, db, search } = await openFolder(dataDir);
    const read = (from: typeof db) => from.selectFrom('monitors').selectAll().execute();
    await expect(where === 'reader' ? read(db) : search('a', read)).rejects.toThrow(/malformed/);
    expect((await storage.faults()).get('database_damaged')).toMatch(/malformed/);
  });
});

describe('the disk of the embedded database', () => {
  it('counts as failed from the first commit that it did not store', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = join(folder.path, SQLITE_FILE);
    const sync = new LogSync(path, () => Promise.reject(new Error('EIO')));
    const storage = new StorageHealth({ path, sync });
    expect(await storage.faults()).toEqual(new Map());
    closeSync(openSync(`${path}-wal`, 'w'));
    await expect(sync.wait()).rejects.toThrow(DiskFailure);
    expect((await storage.faults()).get('disk_failed')).toMatch(/EIO/);
  });

  it('is tested with a file at most once in ten seconds, and again after a query failed because it is full', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = join(folder.path, 'data', SQLITE_FILE);
    mkdirSync(join(folder.path, 'data'));
    const storage = new StorageHealth({ path, sync: new LogSync(path) });
    expect(await storage.faults()).toEqual(new Map());
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    rmdirSync(join(folder.path, 'data'));
    expect(await storage.faults()).toEqual(new Map());
    storage.learn(Object.assign(new Error('database or disk is full'), { errcode: 13 }));
    expect((await storage.faults()).get('disk_failed')).toMatch(/ENOENT/);
    mkdirSync(join(folder.path, 'data'));
    storage.learn(Object.assign(new Error('database or disk is full'), { errcode: 13 }));
    expect(await storage.faults()).toEqual(new Map());
  });
});

describe.skipIf(!hasDatabase('postgres'))('the disk of PostgreSQL', () => {
  it('counts as full after a query that failed because of it', async () => {
    const { storage, db } = await freshStore('postgres');
    const failWith = (code: string) =>
      sql`do $$ begin raise exception 'no space' using errcode = ${sql.lit(code)}; end $$`.execute(db);
    await expect(failWith('53100')).rejects.toThrow('no space');
    expect(await storage.faults()).toEqual(new Map([['disk_full', 'no space']]));
    await expect(failWith('XX001')).rejects.toThrow('no space');
    expect([...(await storage.faults()).keys()]).toEqual(['disk_full', 'database_damaged']);
  });
});
