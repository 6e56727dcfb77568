import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LogSync } from '../../server/store/db/log-sync.ts';
import { openStore, startCheckpoints } from '../../server/store/db/open-store.ts';
import { temporaryFolder } from '../kit/product/app.ts';

async function openedStore() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const log = { warn: vi.fn() };
  const store = await openStore({ databaseUrl: null, dataDir: folder.path, checkpointsInThread: true, log });
  return { store, file: join(folder.path, 'certlantern.db'), log };
}

/** Queries the database file alone, without the write-ahead log beside it. */
function queryAlone(file: string, query: string): unknown {
  const database = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true });
  try {
    return database.prepare(query).get();
  } finally {
    database.close();
  }
}

it('the checkpoint thread copies the write-ahead log into the database while nobody writes', async () => {
  const { store, file, log } = await openedStore();
  const { db } = store;
  await sql`create table things (name text)`.execute(db);
  await sql`insert into things values ('written a moment ago')`.execute(db);
  const table = "select name from sqlite_master where name = 'things'";
  await expect.poll(() => queryAlone(file, table)).toEqual({ name: 'things' });
  await store.close();
  expect(log.warn).not.toHaveBeenCalled();
});

it('the write-ahead log stays below 40 MB while 60 MB are written, and is removed on close', async () => {
  const { store, file } = await openedStore();
  const { db } = store;
  await sql`create table things (name text)`.execute(db);
  const text = 'x'.repeat(100_000);
  for (let megabytes = 10; megabytes <= 60; megabytes += 10) {
    for (let row = 0; row < 100; row++) await sql`insert into things values (${text})`.execute(db);
    // The thread copies the log twice a second, or later on a busy machine.
    await expect
      .poll(() => queryAlone(file, 'select max(rowid) as rows from things'))
      .toEqual({ rows: 10 * megabytes });
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(40_000_000);
  await store.close();
  expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
});

it('the checkpoint thread warns once if it cannot open the database', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const log = { warn: vi.fn() };
  const path = join(folder.path, 'nowhere', 'certlantern.db');
  const checkpoints = startCheckpoints(path, log, new LogSync(path));
  await expect.poll(() => log.warn).toHaveBeenCalledTimes(1);
  await checkpoints.close();
});

it('a closed store lets the process exit and leaves only the database file', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const program = `
    const { openStore } = await import('./server/store/db/open-store.ts');
    const store = await openStore({ databaseUrl: null, dataDir: ${JSON.stringify(folder.path)}, checkpointsInThread: true });
    await store.close();
    console.log('closed');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('closed\n');
  expect(readdirSync(folder.path)).toEqual(['certlantern.db']);
});
