import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onReplica } from '../../server/store/db/replica.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { freePort } from '../kit/product/app.ts';
import { type Database, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { person } from './samples.ts';

/** In these tests the replica is a second database with other rows, so that each answer shows which one was asked. */
describe.skipIf(!hasDatabase('postgres'))('a read replica', () => {
  it('answers only the reads that may return slightly old data', async () => {
    const [primary, replica] = [await fresh(), await fresh()];
    await person(await replica.open(), 'late');
    const store = await primary.open({ replicaUrl: replica.databaseUrl });
    await person(store, 'alice');
    expect(await emails(store)).toEqual(['alice@example.com']);
    expect(await emails(onReplica(store))).toEqual(['late@example.com']);
  });

  it('is bypassed while it cannot be reached, with one warning', async () => {
    const said: string[] = [];
    const log = { warn: (_details: object, line: string) => said.push(line) };
    const replicaUrl = `postgres://alice@127.0.0.1:${await freePort()}/nowhere`;
    const store = await (await fresh()).open({ replicaUrl, log });
    await person(store, 'alice');
    for (let reads = 0; reads < 3; reads++)
      expect(await emails(onReplica(store))).toEqual(['alice@example.com']);
    expect(said).toEqual(['the read replica cannot be used']);
  });

  it('is bypassed until it has the latest migration', async () => {
    const [primary, replica] = [await fresh(), await fresh()];
    const behind = await replica.open();
    await sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(
      behind.db,
    );
    const store = await primary.open({ replicaUrl: replica.databaseUrl });
    await person(store, 'alice');
    expect(await emails(onReplica(store))).toEqual(['alice@example.com']);
  });
});

it('the replica is the database itself if none is configured', async () => {
  const database = await freshDatabase('sqlite');
  onTestFinished(() => database.remove());
  const store = await database.open();
  expect(store.replica).toBe(store.db);
});

async function fresh(): Promise<Database> {
  const database = await freshDatabase('postgres');
  onTestFinished(() => database.remove());
  return database;
}

async function emails({ db }: Store): Promise<string[]> {
  return (await db.selectFrom('accounts').select('email').execute()).map(({ email }) => email);
}
