import { Kysely, type KyselyConfig, sql } from 'kysely';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LimitName, type Limits, STANDARD_LIMITS } from '../../core/limits.ts';
import { type DialectName, type LeaseClock, SQLITE_FILE, sqliteDialect, storageFaultOf } from './dialect.ts';
import {
  databaseId,
  type DatabasePlace,
  ensureDatabaseId,
  refuseLostFile,
  refuseOtherDatabase,
} from '../schema/database-id.ts';
import { LogSync } from './log-sync.ts';
import { isUpToDate, migrate } from '../schema/migrate.ts';
import {
  CONNECT_ATTEMPTS,
  type ConnectOptions,
  errorMessage,
  type PoolUse,
  postgresDialect,
  refuseNewer,
  waitForPostgres,
} from './postgres-connection.ts';
import { createLocalSignals, createPostgresSignals, type Signals } from './signals.ts';
import { openReplica } from './replica.ts';
import { SearchDialect } from './search-dialect.ts';
import { StorageHealth } from './storage-health.ts';
import { StoreError, type StoreLog } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';
import { Worker } from 'node:worker_threads';

/** An open database at the newest schema. Functions of the store take it as their first argument. */
export interface Store {
  dialect: DialectName;
  db: Kysely<Tables>;
  /**
   * Database for reads that may lag some seconds behind; equals `db` if there is no replica. The architecture test lists who may
   * use it.
   */
  replica: Kysely<Tables>;
  /** Function for text searches, which may be slow and must not delay other queries. */
  search: Search;
  signals: Signals;
  storage: StorageHealth;
  /** Id of the database; null if no server of this or a later version has opened the database yet. */
  id: string | null;
  /** Clock that decides whether a lease has expired: `database` for workers on several machines. */
  leaseClock: LeaseClock;
  /** True if the deployment has no billing, so that every account has Premium. */
  everyonePremium: boolean;
  /** The `database` option for better-auth. */
  identityDatabase: { db: Kysely<Tables>; type: DialectName; transaction: true };
  limits: Limits;
  /** Callback for a limit that was reached. */
  onLimit: (limit: LimitName) => void;
  /** Returns the use of the PostgreSQL connection pool; null on SQLite. */
  pool(): PoolUse | null;
  close(): Promise<void>;
}

/**
 * Options of `openStore`. A migration waits for processes of older versions to end; `connectAttempts` also limits these waits.
 */
export interface StoreOptions extends ConnectOptions {
  /** URL of the PostgreSQL database; null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  /** URL of a read-only replica of the PostgreSQL database. Default: null, no replica. */
  replicaUrl?: string | null;
  /** Id that the database must have. Default: null, which accepts any database and also an empty one. */
  expectedId?: string | null;
  log?: StoreLog;
  /** False to refuse a database that needs migrations, for tools that run beside the server. Default: true. */
  mayMigrate?: boolean;
  /** True to run WAL checkpoints in a separate thread, on SQLite only. Default: false, some writes run them. */
  checkpointsInThread?: boolean;
  /**
   * Clock for leases. Default: `database` on PostgreSQL; `caller` on SQLite, which has one process and so one clock. Tests use
   * `caller` to control the time.
   */
  leaseClock?: LeaseClock;
  /** True if every account has Premium. Default: false, each account has its own plan. */
  everyonePremium?: boolean;
  /** Limits to apply. Default: STANDARD_LIMITS. */
  limits?: Limits;
  /** Callback for a limit that was reached. Default: none. */
  onLimit?: (limit: LimitName) => void;
  /** Callback after every query, with the query's text but not its parameter values. Default: none. */
  onQuery?: (query: { text: string; durationMs: number; failed: boolean }) => void;
}

/** Number of PostgreSQL connections for searches. They have a separate pool, so that searches cannot use up the main one. */
const SEARCH_CONNECTIONS = 2;

const SILENT_LOG: StoreLog = { warn: () => undefined };

/**
 * Opens the database: connects, checks the server's version and the database's id, and migrates it unless `mayMigrate` is false.
 * @throws StoreError
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, dataDir } = options;
  return databaseUrl === null ? openSqlite(dataDir, options) : openPostgres(databaseUrl, options);
}

async function openSqlite(dataDir: string, options: StoreOptions): Promise<Store> {
  const { leaseClock = 'caller', checkpointsInThread = false, mayMigrate } = options;
  const { onQuery, expectedId = null, log = SILENT_LOG } = options;
  const path = join(dataDir, SQLITE_FILE);
  const name = `The database in DATA_DIR (${dataDir})`;
  const database: DatabasePlace = { dialect: 'sqlite', name, dataDir, expectedId };
  refuseLostFile(database);
  createPrivateFile(path);
  const sync = new LogSync(path);
  const storage = new StorageHealth({ path, sync });
  const queries = queryLog(storage, onQuery);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(dataDir, sync), ...queries });
  let id: string | null;
  try {
    await sql`select 1`.execute(db);
    id = await bringUpToDate(db, database, { mayMigrate });
  } catch (error) {
    await db.destroy();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      'unusable_file',
      `DATA_DIR ${dataDir}: the database ${SQLITE_FILE} cannot be used (${errorMessage(error)}). Restore it from a backup, or move it away to start empty.`,
      error,
    );
  }
  const searchDb = new Kysely<Tables>({ dialect: new SearchDialect(path), ...queries });
  const checkpoints = checkpointsInThread ? startCheckpoints(path, log, sync) : null;
  return assemble(options, {
    dialect: 'sqlite',
    db,
    replica: db,
    searchDb,
    signals: createLocalSignals(),
    storage,
    id,
    leaseClock,
    pool: () => null,
    async close() {
      await Promise.all([storage.close(), checkpoints?.close()]);
      // Close the writing connection last, because only it can remove the write-ahead log.
      await searchDb.destroy();
      await db.destroy();
    },
  });
}

/** Creates an empty file with mode 0600, even if others may read the folder. SQLite gives its log files the same mode. */
function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // The file exists already, or SQLite reports the error when it opens the file.
  }
}

async function openPostgres(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const { leaseClock = 'database', replicaUrl = null, limits = STANDARD_LIMITS } = options;
  const { log = SILENT_LOG, onQuery, dataDir, expectedId = null } = options;
  let isMigrated = false;
  const onLostConnection = (error: Error): void =>
    log.warn({ err: error }, 'a connection to the database was lost');
  const dialect = postgresDialect(databaseUrl, onLostConnection, {
    check: async (client) => (isMigrated ? refuseNewer(client) : undefined),
  });
  const storage = new StorageHealth(null);
  const queries = queryLog(storage, onQuery);
  const db = new Kysely<Tables>({ dialect, ...queries });
  const database: DatabasePlace = {
    dialect: 'postgres',
    name: 'The database of DATABASE_URL',
    dataDir,
    expectedId,
  };
  let id: string | null;
  try {
    await waitForPostgres(db, databaseUrl, options);
    id = await bringUpToDate(db, database, options);
    isMigrated = true;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const signals = createPostgresSignals(db, databaseUrl, log);
  await signals.firstTry;
  const replica = replicaUrl === null ? db : openReplica(replicaUrl, dialect.pool, log);
  const searchDb = new Kysely<Tables>({
    dialect: postgresDialect(databaseUrl, onLostConnection, {
      connections: SEARCH_CONNECTIONS,
      check: async (client) => {
        await refuseNewer(client);
        await client.query(`set statement_timeout = ${limits.searchSeconds * 1_000}`);
      },
    }),
    ...queries,
  });
  return assemble(options, {
    dialect: 'postgres',
    db,
    replica,
    searchDb,
    signals,
    storage,
    id,
    leaseClock,
    pool: () => dialect.use(),
    async close() {
      await signals.close();
      await searchDb.destroy();
      if (replica !== db) await replica.destroy();
      await db.destroy();
    },
  });
}

/** The parts of a store that SQLite and PostgreSQL open differently. */
type Opened = Omit<Store, keyof StoreOptions | 'search' | 'identityDatabase'> &
  Pick<Store, 'leaseClock'> & { searchDb: Kysely<Tables> };

function assemble(
  { everyonePremium = false, limits = STANDARD_LIMITS, onLimit = () => undefined }: StoreOptions,
  { searchDb, ...opened }: Opened,
): Store {
  return {
    ...opened,
    search: createSearch(searchDb),
    everyonePremium,
    limits,
    onLimit,
    identityDatabase: { db: opened.db, type: opened.dialect, transaction: true },
  };
}

function queryLog(storage: StorageHealth, onQuery: StoreOptions['onQuery']): Pick<KyselyConfig, 'log'> {
  return {
    log(event) {
      if (event.level === 'error') storage.learn(event.error);
      onQuery?.({
        text: event.query.sql,
        durationMs: event.queryDurationMillis,
        failed: event.level === 'error',
      });
    },
  };
}

/** Migrates the database and checks its id. Returns the id. */
async function bringUpToDate(
  db: Kysely<Tables>,
  database: DatabasePlace,
  {
    mayMigrate = true,
    connectAttempts = CONNECT_ATTEMPTS,
  }: Pick<StoreOptions, 'mayMigrate' | 'connectAttempts'>,
): Promise<string | null> {
  await refuseOtherDatabase(db, database);
  if (mayMigrate) {
    await migrate(db, { ...database, attempts: connectAttempts });
    return ensureDatabaseId(db, database);
  }
  if (await isUpToDate(db, database)) return databaseId(db, database.dialect);
  throw new StoreError(
    'older_database',
    `${database.name} is not up to date for this version of the program. Start the server of this version once, then try again.`,
  );
}

/** A function that runs `read` on the search database, after earlier searches of the same account have ended. */
export type Search = <T>(accountId: string, read: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs searches of an account one at a time, because `db` has few connections and one account
 * must not occupy all of them with slow searches.
 */
function createSearch(db: Kysely<Tables>): Search {
  const lastOf = new Map<string, Promise<void>>();
  return async (accountId, read) => {
    const result = (lastOf.get(accountId) ?? Promise.resolve()).then(() => read(db));
    const last = result.then(
      () => undefined,
      () => undefined,
    );
    lastOf.set(accountId, last);
    try {
      return await result;
    } finally {
      if (lastOf.get(accountId) === last) lastOf.delete(accountId);
    }
  };
}

/** Memory limits of the thread in MB, low because it has only one connection and loads no other code. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32, stackSizeMb: 1 };

/**
 * Runs WAL checkpoints of the SQLite file `path` in a separate thread, so that a write only runs one if the log grows long. Call
 * `close` before the last other connection closes. `sync` is told when a checkpoint could not be written to the disk.
 */
export function startCheckpoints(path: string, log: StoreLog, sync: LogSync): { close(): Promise<void> } {
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
    workerData: path,
    resourceLimits: RESOURCE_LIMITS,
  });
  // Let the process exit while only this thread is running.
  thread.unref();
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      hasEnded = true;
      resolve();
    });
  });
  thread.on('message', ({ error, errcode }: { error: Error; errcode: unknown }) => {
    if (storageFaultOf(Object.assign(error, { errcode })) === 'disk_failed') sync.fail(error);
  });
  thread.on('error', (error) =>
    log.warn({ err: error }, 'the checkpoint thread ended; writes checkpoint the database themselves now'),
  );
  return {
    async close() {
      if (hasEnded) return;
      // Keep the process running until the thread has ended.
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}
