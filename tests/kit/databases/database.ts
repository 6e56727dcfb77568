import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { SQLITE_FILE } from '../../../server/store/db/dialect.ts';
import { openStore, type Store, type StoreOptions } from '../../../server/store/db/open-store.ts';

export type DatabaseName = Store['dialect'];

/** Both databases of the product. Suites on a database that is not available are shown as skipped. */
export const DATABASES: readonly DatabaseName[] = ['sqlite', 'postgres'];

export function hasDatabase(name: DatabaseName): boolean {
  return name === 'sqlite' || inject('postgres') !== null;
}

/** A separate, migrated database: for the processes of a test, or for several stores at once. */
export interface Database {
  name: DatabaseName;
  dataDir: string;
  /** null on SQLite. */
  databaseUrl: string | null;
  /** Opens a store. Leases use the callers' `now`, so that tests can move the clock. `remove` closes every store. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
  remove(): Promise<void>;
}

/** A server, and a migrated database on it that tests copy. */
export interface PostgresTemplate {
  url: string;
  template: string;
}

/**
 * Creates a database, which the caller has to remove. `freshStore` does both for a single store. `migrated: false` creates no
 * tables. `copyOf` copies the tables and rows of a database whose stores are closed. `postgres`: use this server instead of
 * the test run's.
 */
export async function freshDatabase(
  name: DatabaseName,
  {
    migrated = true,
    copyOf,
    postgres,
  }: { migrated?: boolean; copyOf?: Database; postgres?: PostgresTemplate | null } = {},
): Promise<Database> {
  const dataDir = mkdtempSync(join(tmpdir(), 'certlantern-test-'));
  const stores = new Set<Store>();
  if (name === 'sqlite' && copyOf)
    copyFileSync(join(copyOf.dataDir, SQLITE_FILE), join(dataDir, SQLITE_FILE));
  const { databaseUrl, drop } =
    name === 'sqlite'
      ? { databaseUrl: null, drop: null }
      : await createDatabase({ migrated, copyOf }, postgres ?? inject('postgres'));
  return {
    name,
    dataDir,
    databaseUrl,
    async open(options = {}) {
      const store = await openStore({ databaseUrl, dataDir, leaseClock: 'caller', ...options });
      stores.add(store);
      return store;
    },
    async remove() {
      for (const store of stores) await store.close();
      await drop?.();
      // Retry: an interrupted worker once wrote a file into the folder while it was being removed.
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Waits until PostgreSQL has noticed that all stores and processes of the product have closed their connections. */
export async function untilDisconnected({ databaseUrl }: Database): Promise<void> {
  if (databaseUrl === null) return;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const connections = `select application_name from pg_stat_activity
    where datname = current_database() and application_name like 'certlantern%'`;
  try {
    await expect.poll(async () => (await client.query(connections)).rows).toEqual([]);
  } finally {
    await client.end();
  }
}

/** Returns an empty store that is removed when the test ends. */
export async function freshStore(name: DatabaseName, options?: Partial<StoreOptions>): Promise<Store> {
  if (name === 'postgres') return reusedStore(options);
  const database = await freshDatabase(name);
  // Measured: copying takes a sixth of the time of creating the tables.
  copyFileSync(inject('sqliteTemplate'), join(database.dataDir, SQLITE_FILE));
  onTestFinished(() => database.remove());
  return database.open(options);
}

/**
 * Databases of this test worker that are not in use, with the versions of their schemas. The end of the run drops them with
 * all others.
 */
const unused: { database: Database; schema: string }[] = [];

/** Measured: emptying a database takes a fifth of the time of creating one. */
async function reusedStore(options?: Partial<StoreOptions>): Promise<Store> {
  const known = unused.pop();
  const database = known?.database ?? (await freshDatabase('postgres'));
  const store = await database.open(options);
  const schema = await schemaVersion(store);
  // The test before has changed tables, triggers or indexes, so this database cannot be reused.
  if (known && schema !== known.schema) {
    await database.remove();
    return reusedStore(options);
  }
  onTestFinished(async () => {
    await store.close();
    unused.push({ database, schema });
  });
  // Empty it now and not after the previous test: parts of that test that were still running may have written until its store
  // was closed.
  if (known) await sql.raw(EMPTY_ALL_TABLES).execute(store.db);
  return store;
}

/** Returns a string that changes with every schema change: the last transaction that wrote a definition, and the number of definitions. */
async function schemaVersion({ db }: Store): Promise<string> {
  const catalogues = ['pg_class', 'pg_attribute', 'pg_constraint', 'pg_index', 'pg_trigger', 'pg_proc'];
  const selects = catalogues.map((name) => `select xmin from ${name}`);
  const { rows } = await sql<{ version: string }>`
    select max(xmin::text::bigint) || ' ' || count(*) as version from (${sql.raw(selects.join(' union all '))}) definitions`.execute(
    db,
  );
  return rows[0]?.version ?? '';
}

/** Triggers are disabled, because foreign keys would require an order of deletions. */
const EMPTY_ALL_TABLES = `do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely_%' loop
      execute format('delete from %I', name);
    end loop;
  end $$`;

type Suite = (open: (options?: Partial<StoreOptions>) => Promise<Store>, name: DatabaseName) => void;

/** Runs the suite on SQLite and on PostgreSQL. `open` gives each test an empty store. */
export function describeEachDatabase(title: string, suite: Suite): void {
  for (const name of DATABASES) describeOn(name, title, suite);
}

/**
 * The databases for suites above the store: SQLite, with `--everything` also PostgreSQL. For suites that do not test locks,
 * paging, counts, signals or concurrent workers: the tests of the store cover their queries on both.
 */
export const ANY_DATABASE: readonly DatabaseName[] =
  process.env['TEST_EVERYTHING'] === 'true' ? DATABASES : ['sqlite'];

/** Runs the suite on `ANY_DATABASE`. */
export function describeAnyDatabase(title: string, suite: Suite): void {
  for (const name of ANY_DATABASE) describeOn(name, title, suite);
}

function describeOn(name: DatabaseName, title: string, suite: Suite): void {
  describe.skipIf(!hasDatabase(name))(`${title} (${name})`, () =>
    suite((options) => freshStore(name, options), name),
  );
}

/** Creates the migrated file from which the other databases of a run are copied. The caller must call `remove`. */
export async function createMigratedFile(): Promise<{ path: string; remove: () => void }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'certlantern-template-'));
  const store = await openStore({ databaseUrl: null, dataDir });
  await store.close();
  return {
    path: join(dataDir, SQLITE_FILE),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

/** Creates the migrated database from which the others of a run are copied. Returns the function that drops it and its copies. */
export async function createMigratedTemplate(
  serverUrl: string,
  template: string,
): Promise<() => Promise<void>> {
  await execute(serverUrl, `create database ${template}`);
  const store = await openStore({ databaseUrl: addressOf(serverUrl, template), dataDir: tmpdir() });
  await store.close();
  return async () => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    const like = `${template}%`;
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datname like $1',
      [like],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
    await client.end();
  };
}

async function createDatabase(
  { migrated, copyOf }: { migrated: boolean; copyOf: Database | undefined },
  server: PostgresTemplate | null,
): Promise<{ databaseUrl: string; drop: () => Promise<void> }> {
  if (server === null) throw new Error('No PostgreSQL here: see hasDatabase');
  // Named after the template, so that the end of the run finds leftovers.
  const name = `${server.template}_${randomBytes(8).toString('hex')}`;
  const source = copyOf ? new URL(copyOf.databaseUrl ?? '').pathname.slice(1) : server.template;
  // Measured: with fsync off, `file_copy` takes a third of the time of the default strategy.
  const copy = migrated ? ` template ${source} strategy file_copy` : '';
  await execute(server.url, `create database ${name}${copy}`);
  return {
    databaseUrl: addressOf(server.url, name),
    drop: () => execute(server.url, `drop database ${name} with (force)`),
  };
}

function addressOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function execute(databaseUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
