import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { MIGRATIONS } from '../schema/migrations/index.ts';
import type { Store } from './open-store.ts';
import { createPool } from './postgres-connection.ts';
import type { StoreLog } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';

/** The store for reads that may be some seconds behind; nothing may be decided by them, and nothing written. */
export function lagging(store: Store): Store {
  return { ...store, db: store.replica };
}

/** For how long the primary answers instead of a replica that could not. */
const PAUSE_MS = 10_000;
/** A connection is not kept for longer, so that one is asked again how far behind it is. */
const ASKED_AGAIN_S = 60;
/** Once replication has stopped a replica answers for ever, and always the same. */
const MOST_BEHIND_S = 60;

/**
 * Reads from the replica; from the primary while that cannot be reached, is more than a minute behind, or has not yet had the last
 * migration.
 */
export function openReplica(replicaUrl: string, primary: Pool, log: StoreLog): Kysely<Tables> {
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'the read replica cannot be used');
  const replica = createPool(replicaUrl, onTrouble, {
    check: refuseOutdated,
    lifetimeSeconds: ASKED_AGAIN_S,
  });
  let pausedUntil = 0;
  let toldOf: string | null = null;
  const pool: PostgresPool = {
    options: {},
    async connect(): Promise<PostgresPoolClient> {
      if (performance.now() >= pausedUntil)
        try {
          const client = await replica.connect();
          toldOf = null;
          return client;
        } catch (error) {
          // Once of the same: it may be away for days, or the primary have nothing to write for hours.
          const reason = error instanceof Error ? error.message : String(error);
          if (toldOf !== reason) onTrouble(error);
          toldOf = reason;
          pausedUntil = performance.now() + PAUSE_MS;
        }
      return primary.connect();
    },
    end: () => replica.end(),
  };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

async function refuseOutdated(client: ClientBase): Promise<void> {
  const newest = Object.keys(MIGRATIONS).at(-1);
  const { rowCount } = await client.query('select 1 from kysely_migration where name = $1', [newest]);
  if (rowCount === 0) throw new Error(`It does not have the migration ${newest} yet.`);
  // A primary on which nothing is written makes it look behind: then that one answers, and has little else to do.
  const behind = await client.query(
    'select 1 where pg_is_in_recovery() and now() - pg_last_xact_replay_timestamp() > make_interval(secs => $1)',
    [MOST_BEHIND_S],
  );
  if (behind.rowCount !== 0) throw new Error(`It is more than ${MOST_BEHIND_S} seconds behind.`);
}
