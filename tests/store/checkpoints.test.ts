import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../server/store/open-store.ts';
import { temporaryFolder } from '../kit/app.ts';

async function openedStore() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const log = { warn: vi.fn() };
  const store = await openStore({ databaseUrl: null, dataDir: folder.path, tidiesApart: true, log });
  return { store, file: join(folder.path, 'certlantern.db'), log };
}

it('carries what was written over into the database while nobody writes', async () => {
  const { store, file, log } = await openedStore();
  const { db } = store;
  await sql`create table things (name text)`.execute(db);
  await sql`insert into things values ('written a moment ago')`.execute(db);
  // Of the file alone: without the log beside it.
  const alone = (): unknown => {
    const database = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true });
    try {
      return database.prepare("select name from sqlite_master where name = 'things'").get();
    } finally {
      database.close();
    }
  };
  await vi.waitFor(() => expect(alone()).toEqual({ name: 'things' }), { timeout: 10_000 });
  await store.close();
  expect(log.warn).not.toHaveBeenCalled();
});

it('keeps the log short however much is written', async () => {
  const { store, file } = await openedStore();
  const { db } = store;
  await sql`create table things (name text)`.execute(db);
  const text = 'x'.repeat(100_000);
  for (let round = 0; round < 600; round++) await sql`insert into things values (${text})`.execute(db);
  // 60 MB were written.
  expect(statSync(`${file}-wal`).size).toBeLessThan(40_000_000);
  await store.close();
  expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
});
