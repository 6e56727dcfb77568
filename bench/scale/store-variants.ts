import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { openStore, type Store } from '../../server/store/db/open-store.ts';
import { temporaryFolder } from '../../tests/kit/product/app.ts';
import { fillStore, type PopulatedStore, type Population } from '../../tests/kit/databases/large-store.ts';
import { type PostgresServer, startPostgres } from '../../tests/kit/databases/postgres-server.ts';

/** Distribution of the monitors over accounts for each store size. */
const SIZES = {
  '10k': { largest: 5_000, teams: 0, total: 10_000 },
  '100k': { largest: 100_000, teams: 2, total: 115_000 },
  '1m': { largest: 100_000, teams: 40, total: 1_000_000 },
} as const satisfies Record<string, Population>;

export const STORE_VARIANTS = [
  'sqlite-10k',
  'sqlite-100k',
  'postgres-10k',
  'postgres-100k',
  'postgres-1m',
] as const;
export type StoreVariant = (typeof STORE_VARIANTS)[number];

/** A new database. `open` migrates it; `remove` closes all its stores and deletes it. */
export interface Database {
  dataDir: string;
  databaseUrl: string | null;
  open(): Promise<Store>;
  remove(): Promise<void>;
}

let server: Promise<PostgresServer | null> | null = null;

/**
 * Creates a database. The first PostgreSQL database also starts a server with fsync. Throws if PostgreSQL cannot be
 * installed.
 */
export async function createDatabase(kind: 'sqlite' | 'postgres'): Promise<Database> {
  const folder = temporaryFolder();
  const opened = new Set<Store>();
  const created =
    kind === 'postgres' ? await createOnServer() : { databaseUrl: null, drop: async () => undefined };
  const { databaseUrl } = created;
  const dataDir = folder.path;
  return {
    dataDir,
    databaseUrl,
    async open() {
      const store = await openStore({ databaseUrl, dataDir, everyonePremium: true });
      opened.add(store);
      return store;
    },
    async remove() {
      for (const store of opened) await store.close();
      await created.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function stopServer(): Promise<void> {
  await (await server)?.stop();
}

async function createOnServer(): Promise<{ databaseUrl: string; drop: () => Promise<void> }> {
  server ??= startPostgres({ durable: true });
  const running = await server;
  if (running === null) throw new Error('PostgreSQL is not available and could not be installed.');
  const name = `scale_${randomBytes(6).toString('hex')}`;
  await execute(running.url, `create database ${name}`);
  const url = new URL(running.url);
  url.pathname = `/${name}`;
  return { databaseUrl: url.href, drop: () => execute(running.url, `drop database ${name} with (force)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** A store filled with the monitors of a variant. */
export interface MeasuredStore {
  variant: StoreVariant;
  store: Store;
  content: PopulatedStore;
  /** Time for which the data was generated, ms UTC. */
  now: number;
  remove(): Promise<void>;
}

/** Creates a store, fills it with monitors and prints the progress. */
export async function fill(variant: StoreVariant): Promise<MeasuredStore> {
  const [kind, size] = variant.split('-') as ['sqlite' | 'postgres', keyof typeof SIZES];
  const database = await createDatabase(kind);
  const store = await database.open();
  const now = Date.now();
  const content = await fillStore(store, {
    ...SIZES[size],
    now,
    onProgress: (done) => {
      if (done % 100_000 === 0) process.stdout.write(`  ${variant}: ${done.toLocaleString('en')} monitors\n`);
    },
  });
  return { variant, store, content, now, remove: () => database.remove() };
}

/**
 * Updates the planner's statistics and writes the prepared data to disk. Otherwise pending writes, and autovacuum within a
 * minute, would slow down the measurement.
 */
export async function analyzeAndFlush({ db, dialect }: Store): Promise<void> {
  const statements =
    dialect === 'postgres'
      ? ['vacuum analyze', 'checkpoint']
      : ['analyze', 'pragma wal_checkpoint(truncate)'];
  for (const statement of statements) await sql.raw(statement).execute(db);
  execFileSync('sync');
}

/** Returns the size of the whole database in bytes after a vacuum and checkpoint. */
export async function databaseBytes({ db, dialect }: Store, { dataDir }: Database): Promise<number> {
  if (dialect === 'postgres') {
    await sql`vacuum full`.execute(db);
    const { rows } = await sql<{
      bytes: number;
    }>`select pg_database_size(current_database()) as bytes`.execute(db);
    return rows[0]?.bytes ?? Number.NaN;
  }
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  return statSync(join(dataDir, 'certlantern.db')).size;
}
