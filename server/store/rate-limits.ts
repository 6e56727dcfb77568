import type { Store } from './open-store.ts';

export type RateLimitAnswer = { allowed: true } | { allowed: false; retryAfterMs: number };

/** Counts one use of `key` in its fixed window, in one statement, so that parallel uses cannot pass. */
export async function consumeRateLimit(
  store: Pick<Store, 'db'>,
  { key, limit, windowMs, now }: { key: string; limit: number; windowMs: number; now: number },
): Promise<RateLimitAnswer> {
  const { count, window_ends_at } = await store.db
    .insertInto('rate_limits')
    .values({ key, count: 1, window_ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('rate_limits.window_ends_at', '<=', now);
        return {
          count: eb
            .case()
            .when(isOver)
            .then(1)
            .else(eb('rate_limits.count', '+', 1))
            .end(),
          window_ends_at: eb
            .case()
            .when(isOver)
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

/** Takes one use back, for an attempt that turned out to be the right person's. */
export async function refundRateLimit(store: Pick<Store, 'db'>, { key }: { key: string }): Promise<void> {
  await store.db
    .updateTable('rate_limits')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

const DAY_MS = 86_400_000;

/** Removes windows that are over, and those that only a clock that ran ahead can have made; returns how many. */
export async function pruneRateLimits(store: Store, now: number): Promise<number> {
  const result = await store.db
    .deleteFrom('rate_limits')
    .where((eb) => eb.or([eb('window_ends_at', '<=', now), eb('window_ends_at', '>', now + DAY_MS)]))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
