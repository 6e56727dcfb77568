import type { Kysely } from 'kysely';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';

export type RateLimitAnswer = { allowed: true } | { allowed: false; retryAfterMs: number };

/**
 * Counts `weight` uses of `key` in its fixed window, including refused uses. Uses a single statement, so that parallel uses
 * cannot exceed the limit. If the window began while the clock ran ahead, it ends no later than one that begins now.
 */
export async function consumeRateLimit(
  store: Pick<Store, 'db'>,
  use: { key: string; limit: number; windowMs: number; now: number; weight?: number },
): Promise<RateLimitAnswer> {
  const { key, limit, windowMs, now, weight = 1 } = use;
  const { count, window_ends_at } = await store.db
    .insertInto('rate_limits')
    .values({ key, count: weight, window_ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isExpired = eb('rate_limits.window_ends_at', '<=', now);
        return {
          count: eb
            .case()
            .when(isExpired)
            .then(weight)
            .else(eb('rate_limits.count', '+', weight))
            .end(),
          window_ends_at: eb
            .case()
            .when(eb.or([isExpired, eb('rate_limits.window_ends_at', '>', now + windowMs)]))
            .then(eb.ref('excluded.window_ends_at'))
            .else(eb.ref('rate_limits.window_ends_at'))
            .end(),
        };
      }),
    )
    .returning(['count', 'window_ends_at'])
    .executeTakeFirstOrThrow();
  return count <= limit ? { allowed: true } : { allowed: false, retryAfterMs: window_ends_at - now };
}

/** Returns the number of uses of `key` in its current window, and the window's end (ms UTC; `now` if there is no window). */
export async function readRateLimit(
  db: Kysely<Tables>,
  { key, windowMs, now }: { key: string; windowMs: number; now: number },
): Promise<{ count: number; endsAt: number }> {
  const row = await db
    .selectFrom('rate_limits')
    .select(['count', 'window_ends_at as endsAt'])
    .where('key', '=', key)
    .where('window_ends_at', '>', now)
    .executeTakeFirst();
  return row ? { ...row, endsAt: Math.min(row.endsAt, now + windowMs) } : { count: 0, endsAt: now };
}

/** Undoes the count of one use, for example after a successful sign-in. */
export async function refundRateLimit(store: Pick<Store, 'db'>, { key }: { key: string }): Promise<void> {
  await store.db
    .updateTable('rate_limits')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}
