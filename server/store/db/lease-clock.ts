import { type RawBuilder, sql } from 'kysely';
import { databaseClock } from './dialect.ts';
import type { Store } from './open-store.ts';

/**
 * "Now" as leases see it. Workers on many machines share the database's clock: one that runs ahead must not take the leases
 * of the others for over.
 */
export function leaseClock(store: Store, now: number): RawBuilder<number> {
  return store.leaseClock === 'database' ? databaseClock(store.dialect) : sql<number>`cast(${now} as bigint)`;
}
