import { entitlement, isRefunded, type Subscription } from './plan.ts';

type StoredSubscription = Subscription & { id: string; createdAt: number };

/**
 * Returns the subscriptions that can still charge money, the one to keep first: those that give
 * Premium first, then the older.
 */
export function runningSubscriptions<Each extends StoredSubscription>(
  subscriptions: readonly Each[],
  now: number,
): Each[] {
  const gives = (each: Each) =>
    entitlement({ trialEndsAt: null, grant: null, subscriptions: [each] }, now).plan === 'premium';
  return subscriptions
    .filter(({ status, cancelsAt }) => status !== 'canceled' && (cancelsAt === null || cancelsAt > now))
    .toSorted(
      (a, b) => Number(gives(b)) - Number(gives(a)) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
    );
}

/** Returns the subscription that prevents buying another one; null if none does. */
export function obstacleToBuying<Each extends StoredSubscription>(
  subscriptions: readonly Each[],
  now: number,
): Each | null {
  return runningSubscriptions(subscriptions, now).find((each) => !isRefunded(each)) ?? null;
}
