import { type Kysely, sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { mayPass, OLDEST_POSTGRES } from './dialect.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';

export const CONNECT_ATTEMPTS = 8;

export interface Patience {
  /** Default: eight, a second apart at first, then longer. */
  connectAttempts?: number;
  /** Called once when the first attempt fails and more follow; `place` is host:port/name. */
  onWaiting?: (place: string) => void;
}

/** Waits for the server and checks its version. `setting` is where its address came from. @throws StoreError */
export async function reachPostgres(
  db: Kysely<Tables>,
  databaseUrl: string,
  {
    connectAttempts = CONNECT_ATTEMPTS,
    onWaiting,
    setting = 'DATABASE_URL',
  }: Patience & { setting?: string },
): Promise<void> {
  const where = placeOf(databaseUrl);
  const otherwise = setting === 'DATABASE_URL' ? '; without DATABASE_URL the embedded database is used' : '';
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(db);
      const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
      if (major >= OLDEST_POSTGRES) return;
      throw new StoreError(
        'server_too_old',
        `${setting}: ${where} is PostgreSQL ${major}; version ${OLDEST_POSTGRES} or newer is needed.`,
      );
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!mayPass(error))
        throw new StoreError('refused', `${setting}: ${where} refuses us (${reason(error)}).`, error);
      if (attempt >= connectAttempts)
        throw new StoreError(
          'unreachable',
          `${setting}: no PostgreSQL answers at ${where} (${reason(error)}; ${amount(connectAttempts)}). Start it or correct the address${otherwise}.`,
          error,
        );
      if (attempt === 1) onWaiting?.(where);
      await delay(Math.min(5_000, 500 * attempt));
    }
  }
}

const amount = (attempts: number): string => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;

/** host:port/name, without the user and the password. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  if (url === null) return 'the given address';
  return `${url.host || url.searchParams.get('host') || 'localhost'}${url.pathname}`;
}

/** Why, in the words of whoever failed. */
export function reason(error: unknown): string {
  // Trying both families of "localhost" fails with an AggregateError, whose own message is empty.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error ? cause.message : String(cause);
}
