import { type Dialect, PostgresDialect } from 'kysely';
import { type ClientBase, type ClientConfig, Pool, types } from 'pg';
import { PROGRAM_LEVEL } from '../schema/migrations/index.ts';
import { APPLICATION_NAME } from './running-processes.ts';
import { StoreError } from './store-error.ts';

const INT8: number = types.builtins.INT8;

export interface PoolOptions {
  /** What a new connection is asked before it is used; it is closed where this throws. Default: nothing. */
  check?: (client: ClientBase) => Promise<void>;
  /** Default: 10 connections. */
  connections?: number;
  /** After which a connection is closed when it is given back. Default: 0, never. */
  lifetimeSeconds?: number;
}

/** Connections of this process, as they are now. */
export interface PoolUse {
  /** Open ones, and of these those that nobody uses. */
  open: number;
  idle: number;
  /** Queries that wait for one. */
  waiting: number;
  limit: number;
}

/** Kysely over a pool of connections. */
export function postgresDialect(
  databaseUrl: string,
  onLostConnection: (error: Error) => void,
  options: PoolOptions = {},
): Dialect & { pool: Pool; use(): PoolUse } {
  const pool = createPool(databaseUrl, onLostConnection, options);
  return Object.assign(new PostgresDialect({ pool }), {
    pool,
    use: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      limit: pool.options.max,
    }),
  });
}

/** Connections that are made as they are needed, and kept for a while. */
export function createPool(
  databaseUrl: string,
  onLostConnection: (error: Error) => void,
  { check, connections = 10, lifetimeSeconds = 0 }: PoolOptions = {},
): Pool {
  const pool = new Pool({
    ...connectionOptions(databaseUrl),
    max: connections,
    maxLifetimeSeconds: lifetimeSeconds,
    // bigint (instants, counts) arrives as text otherwise; every one of ours is far below 2^53.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format ?? 'text'),
    },
    verify: (client, answer) => void verify(client, check, answer),
  });
  // The pool listens to idle connections alone: without a listener of its own, one that breaks while a query or a
  // transaction holds it would end the process.
  pool.on('connect', (client) => client.on('error', onLostConnection));
  // The pool passes on what an idle connection said to that listener already; nobody listening would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** For a connection to PostgreSQL: our name, a connect timeout, and keep-alives so that a vanished server is noticed. */
export function connectionOptions(databaseUrl: string): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The system's own default is two hours.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * What a machine that vanished in a transaction had locked is free again in 45 seconds, like what it had leased: nobody works on monitors
 * whose rows are locked. By default the server asks whoever is silent for two hours, and sends an answer again for a quarter of one.
 */
const NOTICE_A_LOSS = `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3;
  set tcp_user_timeout = 45000`;

async function verify(
  client: ClientBase,
  check: PoolOptions['check'],
  answer: (refusal?: Error) => void,
): Promise<void> {
  try {
    await client.query(NOTICE_A_LOSS);
    await check?.(client);
  } catch (error) {
    answer(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  answer();
}

/**
 * An update waits for the end of the processes that it sees. One that was cut off from the database meanwhile comes back with a
 * new connection; the table of the migrations makes it wait for one that is under way.
 * @throws StoreError `newer_database`
 */
export async function refuseNewer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ level: number }>(
    'select level from oldest_program where exists (select 1 from kysely_migration)',
  );
  if ((rows[0]?.level ?? 0) > PROGRAM_LEVEL)
    throw new StoreError(
      'newer_database',
      'The database of DATABASE_URL was changed by a newer version of this program while this process was cut off from it. Stop it, and start the new version.',
    );
}
