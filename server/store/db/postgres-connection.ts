import { type Dialect, type Kysely, sql } from 'kysely';
import { type ClientBase, type ClientConfig, Pool, types } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { PROGRAM_LEVEL } from '../schema/migrations/index.ts';
import { dialectOfPool } from './long-lists.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';
import { isTransientConnectionError, MIN_POSTGRES_VERSION } from './dialect.ts';

const INT8: number = types.builtins.INT8;

export interface PoolOptions {
  /** Check of a new connection before its first use. If it throws, the connection is closed. Default: no check. */
  check?: (client: ClientBase) => Promise<void>;
  /** Maximum number of connections. Default: 10. */
  connections?: number;
  /** Maximum age of a connection in seconds, checked when it returns to the pool. Default: 0, no limit. */
  lifetimeSeconds?: number;
}

/** Current use of this process's connection pool. */
export interface PoolUse {
  /** Number of open connections, including idle ones. */
  open: number;
  idle: number;
  /** Number of queries that wait for a connection. */
  waiting: number;
  limit: number;
}

/** Returns a Kysely dialect with its own connection pool, and a function that returns the current use of the pool. */
export function postgresDialect(
  databaseUrl: string,
  onLostConnection: (error: Error) => void,
  options: PoolOptions = {},
): Dialect & { pool: Pool; use(): PoolUse } {
  const pool = createPool(databaseUrl, onLostConnection, options);
  return Object.assign(dialectOfPool(pool), {
    pool,
    use: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      limit: pool.options.max,
    }),
  });
}

/** Creates a pool that opens connections on demand. */
export function createPool(
  databaseUrl: string,
  onLostConnection: (error: Error) => void,
  { check, connections = 10, lifetimeSeconds = 0 }: PoolOptions = {},
): Pool {
  const pool = new Pool({
    ...connectionOptions(databaseUrl),
    max: connections,
    maxLifetimeSeconds: lifetimeSeconds,
    // By default pg returns bigint (timestamps, counts) as text. All stored values are far below 2^53.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format ?? 'text'),
    },
    verify: (client, answer) => void verify(client, check, answer),
  });
  // The pool only handles errors of idle connections. An error of a connection in use would end the process without this
  // listener.
  pool.on('connect', (client) => client.on('error', onLostConnection));
  // The listener above has already logged errors of idle connections. Without this one they would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** Returns the connection options: the application name, a connect timeout, and keep-alives that detect a lost server. */
export function connectionOptions(databaseUrl: string): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The operating system's default is two hours.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * Settings that make the server drop a lost client after 45 seconds, the default length of a lease, because its row locks block
 * other workers. By default the server would probe silent clients after two hours and resend data for 15 minutes.
 * Queries are not compiled, because that took more than half of the time of the dashboard's summary.
 */
const SESSION_SETTINGS = `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 45000; set jit = off`;

async function verify(
  client: ClientBase,
  check: PoolOptions['check'],
  answer: (refusal?: Error) => void,
): Promise<void> {
  try {
    await client.query(SESSION_SETTINGS);
    await check?.(client);
  } catch (error) {
    answer(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  answer();
}

/**
 * Refuses a database that needs a newer program. Migrations only wait for connected processes, so a process that had lost its
 * connection calls this when it reconnects. @throws StoreError `newer_database`
 */
export async function refuseNewer(client: ClientBase): Promise<void> {
  // This query waits for a running migration, which may lock kysely_migration.
  const { rows } = await client.query<{ level: number }>(
    'select level from oldest_program where exists (select 1 from kysely_migration)',
  );
  if ((rows[0]?.level ?? 0) > PROGRAM_LEVEL)
    throw new StoreError(
      'newer_database',
      'The database of DATABASE_URL was changed by a newer version of this program while this process was disconnected. Stop this process, and start the new version.',
    );
}

const NAME = 'certlantern';

/** The `application_name` of this program's connections. Other processes read its schema level from it. */
const APPLICATION_NAME = `${NAME}/${PROGRAM_LEVEL}`;

export interface ProcessesFound {
  connections: number;
  /** Client addresses, for messages. */
  clients: string[];
}

/**
 * Counts connections of this program's processes with a schema level below `level`, except this connection. A name without a
 * level counts as level 0: it comes from a version before levels existed.
 */
export async function findOldProcesses(db: Kysely<Tables>, level: number): Promise<ProcessesFound> {
  const { rows } = await sql<{ application_name: string; client: string | null }>`
    select application_name, host(client_addr) as client from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = ${NAME} or application_name like ${`${NAME}/%`})`.execute(db);
  const old = rows.filter(({ application_name: name }) => levelIn(name) < level);
  const clients = new Set(old.map(({ client }) => client ?? 'this machine'));
  return { connections: old.length, clients: [...clients].toSorted() };
}

function levelIn(applicationName: string): number {
  const level = applicationName.slice(NAME.length + 1);
  return /^\d+$/.test(level) ? Number(level) : 0;
}

export const CONNECT_ATTEMPTS = 8;

export interface ConnectOptions {
  /** Maximum number of attempts. Default: 8. The pause grows by half a second per attempt, up to 5 seconds. */
  connectAttempts?: number;
  /** Callback for the first failed attempt if more attempts follow. `server` is host:port/name. */
  onWaiting?: (server: string) => void;
}

/**
 * Waits for the server and checks its version. `setting` is the name of the URL in messages. @throws StoreError `unreachable`,
 * `refused`, `server_too_old`
 */
export async function waitForPostgres(
  db: Kysely<Tables>,
  databaseUrl: string,
  {
    connectAttempts = CONNECT_ATTEMPTS,
    onWaiting,
    setting = 'DATABASE_URL',
  }: ConnectOptions & { setting?: string },
): Promise<void> {
  const server = describeServer(databaseUrl);
  const hint = setting === 'DATABASE_URL' ? '; without DATABASE_URL the embedded database is used' : '';
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(db);
      const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
      if (major >= MIN_POSTGRES_VERSION) return;
      throw new StoreError(
        'server_too_old',
        `${setting}: ${server} is PostgreSQL ${major}; version ${MIN_POSTGRES_VERSION} or newer is needed.`,
      );
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!isTransientConnectionError(error))
        throw new StoreError(
          'refused',
          `${setting}: ${server} refused the connection (${errorMessage(error)}).`,
          error,
        );
      if (attempt >= connectAttempts)
        throw new StoreError(
          'unreachable',
          `${setting}: no PostgreSQL answers at ${server} (${errorMessage(error)}; ${formatAttempts(connectAttempts)}). Start it or correct the address${hint}.`,
          error,
        );
      if (attempt === 1) onWaiting?.(server);
      await delay(Math.min(5_000, 500 * attempt));
    }
  }
}

const formatAttempts = (attempts: number): string => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;

/** Returns host:port/name without user and password. */
function describeServer(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  if (url === null) return 'the given address';
  return `${url.host || url.searchParams.get('host') || 'localhost'}${url.pathname}`;
}

export function errorMessage(error: unknown): string {
  // If "localhost" fails over both IPv4 and IPv6, the error is an AggregateError with an empty message. Use its first error.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error ? cause.message : String(cause);
}
