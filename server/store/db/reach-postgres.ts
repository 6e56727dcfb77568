import { type Kysely, sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { mayPass, OLDEST_POSTGRES } from './dialect.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';

export const CONNECT_ATTEMPTS = 8;

export interface Patience {
  /** Default: 8. Waits grow by half a second per attempt, up to 5 seconds. */
  connectAttempts?: number;
  /** Called once, when the first attempt fails and more follow. `place` is host:port/name. */
  onWaiting?: (place: string) => void;
}

/** Waits for the server and checks its version. `setting` is the name of the URL in messages. @throws StoreError */
export async function reachPostgres(
  db: Kysely<Tables>,
  databaseUrl: string,
  {
    connectAttempts = CONNECT_ATTEMPTS,
    onWaiting,
    setting = 'DATABASE_URL',
  }: Patience & { setting?: string },
): Promise<void> {
  const server = describeServer(databaseUrl);
  const hint = setting === 'DATABASE_URL' ? '; without DATABASE_URL the embedded database is used' : '';
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(db);
      const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
      if (major >= OLDEST_POSTGRES) return;
      throw new StoreError(
        'server_too_old',
        `${setting}: ${server} is PostgreSQL ${major}; version ${OLDEST_POSTGRES} or newer is needed.`,
      );
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!mayPass(error))
        throw new StoreError('refused', `${setting}: ${server} refuses us (${reason(error)}).`, error);
      if (attempt >= connectAttempts)
        throw new StoreError(
          'unreachable',
          `${setting}: no PostgreSQL answers at ${server} (${reason(error)}; ${formatAttempts(connectAttempts)}). Start it or correct the address${hint}.`,
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

/** Returns the message of an error. */
export function reason(error: unknown): string {
  // If both IP families of "localhost" fail, the error is an AggregateError with an empty message.
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error ? cause.message : String(cause);
}
