import { Kysely, type KyselyConfig, sql } from 'kysely';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LimitName, type Limits, STANDARD_LIMITS } from '../../core/index.ts';
import { type DialectName, SQLITE_FILE, sqliteDialect } from './dialect.ts';
import { isUpToDate, migrate, type MigrateOptions } from '../schema/migrate.ts';
import { type PoolUse, postgresDialect, refuseNewer } from './postgres-connection.ts';
import { createPostgresSignals } from './postgres-signals.ts';
import { CONNECT_ATTEMPTS, type Patience, reachPostgres, reason } from './reach-postgres.ts';
import { openReplica } from './replica.ts';
import { SearchDialect } from './search-dialect.ts';
import { createLocalSignals, type Signals } from './signals.ts';
import { StoreError, type StoreLog } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';
import { Worker } from 'node:worker_threads';

export { isDiskFull, isOutage, refersToNothing, tookTooLong } from './dialect.ts';
export { StoreError } from './store-error.ts';
export type { Signal, Signals } from './signals.ts';

/** An open database at the newest schema. Every function of the other files takes it first. */
export interface Store {
  dialect: DialectName;
  db: Kysely<Tables>;
  /** For reads that may be some seconds behind, by those that the architecture's test names; `db` where there is no replica. */
  replica: Kysely<Tables>;
  /** For reads that look through text: they may take long, and must not delay other queries. */
  search: Search;
  signals: Signals;
  /** Whose clock decides that a lease is over: `database` for workers on several machines. */
  leaseClock: LeaseClock;
  /** True where nothing is sold: every account has Premium. */
  everyonePremium: boolean;
  /** better-auth's way to its own tables; its `database` option. */
  identityDatabase: { db: Kysely<Tables>; type: DialectName; transaction: true };
  limits: Limits;
  /** Counts that somebody reached a limit. */
  onLimit: (limit: LimitName) => void;
  /** Connections to PostgreSQL; null on SQLite, which has no pool. */
  pool(): PoolUse | null;
  close(): Promise<void>;
}

type LeaseClock = 'database' | 'caller';

/** As often as PostgreSQL is tried, processes of an older version that an update waits for are given the time to end. */
export interface StoreOptions extends Patience {
  /** null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  /** A read-only copy of the database that PostgreSQL keeps up to date. Default: null, there is none. */
  replicaUrl?: string | null;
  log?: StoreLog;
  /** false: a database of an older level is refused and not changed, for tools beside the server. Default: true. */
  mayMigrate?: boolean;
  /** Of SQLite: what a write leaves behind is tidied up in a thread of its own. Default: false, writes now and then do it. */
  tidiesApart?: boolean;
  /** Default: `database` on PostgreSQL, `caller` (one process, one clock) on SQLite. `caller` lets tests move time. */
  leaseClock?: LeaseClock;
  /** Default: false, accounts have what they are entitled to. */
  everyonePremium?: boolean;
  /** Default: the standard ones. */
  limits?: Limits;
  /** Hears of every limit that is reached in the database. Default: nobody. */
  onLimit?: (limit: LimitName) => void;
  /** Hears of every query that has ended, with its text but none of its values. Default: nobody. */
  onQuery?: (query: { text: string; durationMs: number; failed: boolean }) => void;
}

/** Of PostgreSQL, whose other connections they leave free. */
const SEARCHES_AT_ONCE = 2;

const QUIET: StoreLog = { warn: () => undefined };

/** Connects, checks the server's version and migrates under a lock. @throws StoreError */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, dataDir } = options;
  return databaseUrl === null ? openSqlite(dataDir, options) : openPostgres(databaseUrl, options);
}

async function openSqlite(
  dataDir: string,
  {
    leaseClock = 'caller',
    everyonePremium = false,
    tidiesApart = false,
    limits = STANDARD_LIMITS,
    onLimit = () => undefined,
    mayMigrate,
    onQuery,
    log = QUIET,
  }: StoreOptions,
): Promise<Store> {
  makePrivately(join(dataDir, SQLITE_FILE));
  const db = new Kysely<Tables>({ dialect: sqliteDialect(dataDir), ...heard(onQuery) });
  try {
    await sql`select 1`.execute(db);
    await bringUpToDate(
      db,
      { dialect: 'sqlite', name: `The database in DATA_DIR (${dataDir})` },
      { mayMigrate },
    );
  } catch (error) {
    await db.destroy();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      'unusable_file',
      `DATA_DIR ${dataDir}: the database ${SQLITE_FILE} cannot be used (${reason(error)}). Restore it from a backup, or move it away to start empty.`,
      error,
    );
  }
  const path = join(dataDir, SQLITE_FILE);
  const searched = new Kysely<Tables>({ dialect: new SearchDialect(path), ...heard(onQuery) });
  const search = createSearch(searched);
  const settings = { replica: db, search, leaseClock, everyonePremium, limits, onLimit, pool: () => null };
  const checkpoints = tidiesApart ? startCheckpoints(path, log) : null;
  return assemble('sqlite', db, createLocalSignals(), settings, async () => {
    await checkpoints?.close();
    // The last connection to close has to be one that may write: it removes the log beside the database.
    await searched.destroy();
    await db.destroy();
  });
}

/** A folder that somebody else made may let others read in it. SQLite gives the files beside a database the mode that this has. */
function makePrivately(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there already; whatever else is wrong SQLite says too.
  }
}

async function openPostgres(
  databaseUrl: string,
  {
    leaseClock = 'database',
    everyonePremium = false,
    replicaUrl = null,
    limits = STANDARD_LIMITS,
    onLimit = () => undefined,
    log = QUIET,
    onQuery,
    ...patience
  }: StoreOptions,
): Promise<Store> {
  let isGuarded = false;
  const onLostConnection = (error: Error): void =>
    log.warn({ err: error }, 'a connection to the database was lost');
  const dialect = postgresDialect(databaseUrl, onLostConnection, {
    check: async (client) => (isGuarded ? refuseNewer(client) : undefined),
  });
  const db = new Kysely<Tables>({ dialect, ...heard(onQuery) });
  try {
    await reachPostgres(db, databaseUrl, patience);
    await bringUpToDate(db, { dialect: 'postgres', name: 'The database of DATABASE_URL' }, patience);
    isGuarded = true;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const signals = createPostgresSignals(db, databaseUrl, log);
  await signals.firstTry;
  const replica = replicaUrl === null ? db : openReplica(replicaUrl, dialect.pool, log);
  const searched = new Kysely<Tables>({
    dialect: postgresDialect(databaseUrl, onLostConnection, {
      connections: SEARCHES_AT_ONCE,
      check: async (client) => {
        await refuseNewer(client);
        await client.query(`set statement_timeout = ${limits.searchSeconds * 1_000}`);
      },
    }),
    ...heard(onQuery),
  });
  const settings = {
    replica,
    search: createSearch(searched),
    leaseClock,
    everyonePremium,
    limits,
    onLimit,
    pool: () => dialect.use(),
  };
  return assemble('postgres', db, signals, settings, async () => {
    await signals.close();
    await searched.destroy();
    if (replica !== db) await replica.destroy();
    await db.destroy();
  });
}

function assemble(
  dialect: DialectName,
  db: Kysely<Tables>,
  signals: Signals,
  settings: Omit<Store, 'dialect' | 'db' | 'signals' | 'identityDatabase' | 'close'>,
  close: () => Promise<void>,
): Store {
  return {
    dialect,
    db,
    signals,
    ...settings,
    identityDatabase: { db, type: dialect, transaction: true },
    close,
  };
}

function heard(onQuery: StoreOptions['onQuery']): Pick<KyselyConfig, 'log'> {
  if (onQuery === undefined) return {};
  return {
    log: ({ level, query, queryDurationMillis }) =>
      onQuery({ text: query.sql, durationMs: queryDurationMillis, failed: level === 'error' }),
  };
}

async function bringUpToDate(
  db: Kysely<Tables>,
  database: MigrateOptions,
  {
    mayMigrate = true,
    connectAttempts = CONNECT_ATTEMPTS,
  }: Pick<StoreOptions, 'mayMigrate' | 'connectAttempts'>,
): Promise<void> {
  if (!mayMigrate) {
    if (await isUpToDate(db, database)) return;
    throw new StoreError(
      'older_database',
      `${database.name} is not yet as this version of the program needs it. Start the server of this version once, then try again.`,
    );
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate(db, database);
    } catch (error) {
      const mayEnd = error instanceof StoreError && error.code === 'old_processes';
      if (!mayEnd || attempt >= connectAttempts) throw error;
      await delay(500);
    }
  }
}

/** Runs `read` on the database for searches, after the searches that the account began before. */
export type Search = <T>(accountId: string, read: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/**
 * Runs the searches of an account one after the other: `db` has few connections, and one account must not hold them all with searches
 * that take long.
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

/** It has one connection, and nothing of the program. */
const LITTLE_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32, stackSizeMb: 1 };

/**
 * Carries what stands in SQLite's write-ahead log over into the database, in a thread of its own: whoever writes leaves that to it, and
 * does it himself only where the log has become long. `path`: of the database's file. To be closed before the last other connection.
 */
export function startCheckpoints(path: string, log: StoreLog): { close(): Promise<void> } {
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
    workerData: path,
    resourceLimits: LITTLE_MEMORY,
  });
  // It alone keeps nobody running.
  thread.unref();
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      hasEnded = true;
      resolve();
    });
  });
  thread.on('error', (error) =>
    log.warn({ err: error }, 'the thread that tidies up after writes ended; they do it themselves now'),
  );
  return {
    async close() {
      if (hasEnded) return;
      // What is waited for has to keep the process running.
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}
