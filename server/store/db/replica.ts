import { Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { MIGRATIONS } from '../schema/migrations/index.ts';
import { dialectOfPool } from './long-lists.ts';
import { createPool } from './postgres-connection.ts';
import type { StoreLog } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Returns the store with `db` replaced by the replica, which may lag some seconds behind. Callers must not write with it, and
 * must not base writes on what they read from it.
 */
export function onReplica<S extends { replica: Kysely<Tables> }>(store: S): S & { db: Kysely<Tables> } {
  return { ...store, db: store.replica };
}

/** Time in ms during which the primary answers after the replica failed. */
const FALLBACK_MS = 10_000;
/** Maximum age of a connection. Each new connection checks the lag again. */
const CONNECTION_LIFETIME_S = 60;
/**
 * Maximum lag of the replica in seconds. Without a maximum, a replica whose replication stopped would return stale data for ever.
 */
const MAX_LAG_S = 60;

/**
 * Opens a database that reads from the replica, and from the primary while the replica is unreachable, lags by more
 * than a minute, or lacks the newest migration.
 */
export function openReplica(replicaUrl: string, primary: Pool, log: StoreLog): Kysely<Tables> {
  const logFailure = (error: unknown): void => log.warn({ err: error }, 'the read replica cannot be used');
  const replica = createPool(replicaUrl, logFailure, {
    check: refuseOutdated,
    lifetimeSeconds: CONNECTION_LIFETIME_S,
  });
  let fallbackUntil = 0;
  let loggedReason: string | null = null;
  const pool: PostgresPool = {
    options: {},
    async connect(): Promise<PostgresPoolClient> {
      if (performance.now() >= fallbackUntil)
        try {
          const client = await replica.connect();
          loggedReason = null;
          return client;
        } catch (error) {
          // Log the same reason once, because the replica may be down for days or the primary idle for hours.
          const reason = error instanceof Error ? error.message : String(error);
          if (loggedReason !== reason) logFailure(error);
          loggedReason = reason;
          fallbackUntil = performance.now() + FALLBACK_MS;
        }
      return primary.connect();
    },
    end: () => replica.end(),
  };
  return new Kysely({ dialect: dialectOfPool(pool) });
}

async function refuseOutdated(client: ClientBase): Promise<void> {
  const newest = Object.keys(MIGRATIONS).at(-1);
  const { rowCount } = await client.query('select 1 from kysely_migration where name = $1', [newest]);
  if (rowCount === 0) throw new Error(`The replica does not have the migration ${newest} yet.`);
  // While the primary writes nothing, the replica seems to lag. Reads then go to the primary, which is idle anyway.
  const behind = await client.query(
    'select 1 where pg_is_in_recovery() and now() - pg_last_xact_replay_timestamp() > make_interval(secs => $1)',
    [MAX_LAG_S],
  );
  if (behind.rowCount !== 0) throw new Error(`The replica is more than ${MAX_LAG_S} seconds behind.`);
}
