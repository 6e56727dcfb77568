import { entitlement, isRefunded, type Subscription } from './plan.ts';

type Told = Subscription & { id: string; createdAt: number };

/**
 * Those that can still take money, the one to keep first: what gives Premium before what gives nothing, then the older.
 */
export function runningSubscriptions<Each extends Told>(subscriptions: readonly Each[], now: number): Each[] {
  const gives = (each: Each) =>
    entitlement({ trialEndsAt: null, grant: null, subscriptions: [each] }, now).plan === 'premium';
  return subscriptions
    .filter(({ status, cancelsAt }) => status !== 'canceled' && (cancelsAt === null || cancelsAt > now))
    .toSorted(
      (a, b) => Number(gives(b)) - Number(gives(a)) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
    );
}

/** What stands in the way of buying another one; null where nothing does. */
export function obstacleToBuying<Each extends Told>(
  subscriptions: readonly Each[],
  now: number,
): Each | null {
  return runningSubscriptions(subscriptions, now).find((each) => !isRefunded(each)) ?? null;
}
