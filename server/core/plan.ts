import { DAY_MS } from '../../contract/durations.ts';
import {
  CHECK_FREQUENCIES,
  DEFAULT_CHECK_EVERY_MINUTES,
  FREE_DOMAIN_LIMIT,
  TRIAL_DAYS,
} from '../../contract/words.ts';

export type Plan = 'free' | 'premium';
/** The status that the page shows; empty without Premium. */
export type PlanStatus = '' | 'active' | 'trialing' | 'past_due';
/** The source of Premium. */
export type PlanSource = 'none' | 'deployment' | 'grant' | 'subscription' | 'trial';

export const TRIAL_MS = TRIAL_DAYS * DAY_MS;
/** How long we keep a salted hash of an address after its account was deleted, so that it gets no second trial. */
export const TRIAL_REMEMBERED_MS = 365 * DAY_MS;
/** How long Premium continues after a failed payment, while the payment provider retries. */
export const PAST_DUE_GRACE_MS = 14 * DAY_MS;
/** Extra retention of history after Premium ends, so that somebody who renews Premium a few days late loses none. */
export const RETENTION_GRACE_MS = 7 * DAY_MS;

/** Returns whether an account with `count` domains, paused ones included, may add one more. */
export function mayAdd(plan: Plan, count: number): boolean {
  return plan === 'premium' || count < FREE_DOMAIN_LIMIT;
}

/** Returns how many more domains `mayAdd` permits; null if there is no limit. */
export function remainingDomains(plan: Plan, count: number): number | null {
  return plan === 'premium' ? null : Math.max(0, FREE_DOMAIN_LIMIT - count);
}

/** Returns whether an account with `active` checked domains may resume one more. */
export function mayResume(plan: Plan, active: number): boolean {
  return plan === 'premium' || active < FREE_DOMAIN_LIMIT;
}

/** Returns whether a plan permits checks every `minutes`; false for intervals that are not offered. */
export function mayUseFrequency(plan: Plan, minutes: number): boolean {
  return (
    CHECK_FREQUENCIES.some((choice) => choice.minutes === minutes) &&
    (plan === 'premium' || minutes === DEFAULT_CHECK_EVERY_MINUTES)
  );
}

/**
 * Returns the check interval in minutes that applies if a user chose `minutes`: the default if the plan does not permit that,
 * for example after Premium ended.
 */
export function effectiveFrequency(plan: Plan, minutes: number): number {
  return mayUseFrequency(plan, minutes) ? minutes : DEFAULT_CHECK_EVERY_MINUTES;
}

/** Splits running domains, oldest first, into those that keep running on Free and those that it pauses. */
export function splitForFree<Domain>(running: readonly Domain[]): { kept: Domain[]; paused: Domain[] } {
  return { kept: running.slice(0, FREE_DOMAIN_LIMIT), paused: running.slice(FREE_DOMAIN_LIMIT) };
}

/** A subscription as last reported by the payment provider. Instants are ms UTC. */
export interface Subscription {
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  /** Start of the paid period. */
  periodStartsAt: number | null;
  /** End of the paid period. */
  periodEndsAt: number | null;
  /** End of the subscription if its cancellation is scheduled, else null. */
  cancelsAt: number | null;
  pastDueSince: number | null;
  /** When a period was refunded in full; null if none was. */
  refundedAt: number | null;
}

export interface Entitlement {
  plan: Plan;
  status: PlanStatus;
  source: PlanSource;
  /** Known end of the entitlement, ms UTC; null without Premium, and if no end is known. */
  endsAt: number | null;
}

const PREMIUM_FOR_EVERYONE: Entitlement = {
  plan: 'premium',
  status: 'active',
  source: 'deployment',
  endsAt: null,
};

/**
 * Returns the entitlement at `now` (ms UTC): Premium if the deployment gives it to everyone, otherwise the stored one. Ignores a
 * stored entitlement whose end has passed, even before a worker ends it.
 */
export function entitlementAt(
  { everyonePremium }: { everyonePremium: boolean },
  stored: Entitlement,
  now: number,
): Entitlement {
  if (everyonePremium) return PREMIUM_FOR_EVERYONE;
  return stored.endsAt !== null && stored.endsAt <= now ? NOT_ENTITLED : stored;
}

/**
 * Returns the source of Premium that the mail about its end names, when an account becomes Free; null if no mail is due. If
 * domains were paused although the account's own plan did not end, everyone had Premium in this deployment until now.
 */
export function endedSource(
  before: Pick<Entitlement, 'plan' | 'source'>,
  pausedDomains: number,
): PlanSource | null {
  if (before.plan === 'premium') return before.source;
  return pausedDomains > 0 ? 'deployment' : null;
}

export interface PlanFacts {
  trialEndsAt: number | null;
  /** Premium granted by the operator; `endsAt` is null if it has no end. */
  grant: { endsAt: number | null } | null;
  subscriptions: readonly Subscription[];
}

/** The entitlement of an account without any source of Premium. */
export const NOT_ENTITLED: Entitlement = { plan: 'free', status: '', source: 'none', endsAt: null };

/**
 * Returns the entitlement of an account at `now`, from the source of Premium that lasts longest. If several last equally
 * long, a subscription comes before a grant, and a grant before a trial.
 */
export function entitlement({ trialEndsAt, grant, subscriptions }: PlanFacts, now: number): Entitlement {
  const sources: Entitlement[] = [];
  for (const subscription of subscriptions) {
    const running = subscriptionEntitlement(subscription);
    if (running) sources.push({ plan: 'premium', source: 'subscription', ...running });
  }
  if (grant) sources.push({ plan: 'premium', status: 'active', source: 'grant', endsAt: grant.endsAt });
  if (trialEndsAt !== null)
    sources.push({ plan: 'premium', status: 'trialing', source: 'trial', endsAt: trialEndsAt });
  return sources.filter((each) => endOf(each) > now).reduce(longer, NOT_ENTITLED);
}

const endOf = ({ plan, endsAt }: Entitlement) => (plan === 'free' ? 0 : (endsAt ?? Number.POSITIVE_INFINITY));
const longer = (a: Entitlement, b: Entitlement) => (endOf(b) > endOf(a) ? b : a);

function subscriptionEntitlement(subscription: Subscription): Pick<Entitlement, 'status' | 'endsAt'> | null {
  const { status, pastDueSince, cancelsAt } = subscription;
  if (isRefunded(subscription)) return null;
  if (status === 'active' || status === 'trialing') return { status, endsAt: cancelsAt };
  if (status !== 'past_due') return null;
  const graceEndsAt = (pastDueSince ?? 0) + PAST_DUE_GRACE_MS;
  return { status, endsAt: Math.min(graceEndsAt, cancelsAt ?? graceEndsAt) };
}

/** Returns whether the current period was refunded. Ignores a refund of an earlier period. */
function isRefunded({
  refundedAt,
  periodStartsAt,
}: Pick<Subscription, 'refundedAt' | 'periodStartsAt'>): boolean {
  return refundedAt !== null && refundedAt >= (periodStartsAt ?? 0);
}

type StoredSubscription = Subscription & { id: string; createdAt: number };

/**
 * Returns the subscriptions that can still charge money, the one to keep first: subscriptions that give Premium come before
 * others, and older ones before newer ones.
 */
export function chargeableSubscriptions<Each extends StoredSubscription>(
  subscriptions: readonly Each[],
  now: number,
): Each[] {
  const givesPremium = (each: Each) =>
    entitlement({ trialEndsAt: null, grant: null, subscriptions: [each] }, now).plan === 'premium';
  return subscriptions
    .filter(({ status, cancelsAt }) => status !== 'canceled' && (cancelsAt === null || cancelsAt > now))
    .toSorted(
      (a, b) =>
        Number(givesPremium(b)) - Number(givesPremium(a)) ||
        a.createdAt - b.createdAt ||
        (a.id < b.id ? -1 : 1),
    );
}

/** Returns the subscription that prevents buying another one; null if none does. */
export function blockingSubscription<Each extends StoredSubscription>(
  subscriptions: readonly Each[],
  now: number,
): Each | null {
  return chargeableSubscriptions(subscriptions, now).find((each) => !isRefunded(each)) ?? null;
}

/** The data of a subscription that decides what an event changes. Instants are ms UTC. */
interface KnownSubscription extends Pick<Subscription, 'status' | 'pastDueSince'> {
  /** Time of the last event that was applied. */
  reportedAt: number;
}

type SubscriptionReport = Pick<Subscription, 'status'> & { occurredAt: number };

/**
 * Returns whether an event is older than the last one applied, or would revive a cancelled subscription. The second rule is for
 * events of the same millisecond.
 */
export function isStaleReport(known: KnownSubscription, { status, occurredAt }: SubscriptionReport): boolean {
  return known.reportedAt > occurredAt || (known.status === 'canceled' && status !== 'canceled');
}

/** Returns since when payment is past due (ms UTC): from the first of several such events on; null if it is not. */
export function pastDueSince(
  known: KnownSubscription | null,
  { status, occurredAt }: SubscriptionReport,
): number | null {
  if (status !== 'past_due') return null;
  return known?.status === 'past_due' ? known.pastDueSince : occurredAt;
}

/** A full refund, or its reversal (`refunded` false). Instants are ms UTC. */
export interface Refund {
  refunded: boolean;
  /** A time within the refunded period, because later periods may still be paid. */
  refundedAt: number;
  /** Time of the webhook event. */
  occurredAt: number;
}

/** Returns the `refundedAt` of an event: its time, but at most the last millisecond of the refunded period (null if unknown). */
export function refundTime(occurredAt: number, periodEndsAt: number | null): number {
  return periodEndsAt === null ? occurredAt : Math.min(occurredAt, periodEndsAt - 1);
}

/** `refundedAt`: that of the `Refund` in effect; null if none is. `reportedAt`: time of the last event about refunds. Both in ms UTC. */
export interface RefundState {
  refundedAt: number | null;
  reportedAt: number | null;
}

/**
 * Returns the state after a refund or its reversal. If several periods were refunded, keeps the latest period. Returns null for an
 * event older than the last applied one, unless it is a refund and another one is in effect: its period may be the later one.
 */
export function followRefund(
  before: RefundState,
  { refunded, refundedAt, occurredAt }: Refund,
): RefundState | null {
  const reportedAt = before.reportedAt ?? 0;
  if (reportedAt > occurredAt && (!refunded || before.refundedAt === null)) return null;
  const isOfEarlierPeriod = before.refundedAt !== null && before.refundedAt > refundedAt;
  return {
    refundedAt: isOfEarlierPeriod ? before.refundedAt : refunded ? refundedAt : null,
    reportedAt: Math.max(reportedAt, occurredAt),
  };
}
