import { DAY_MS } from '../../contract/durations.ts';

export type Plan = 'free' | 'premium';
/** What the page shows of an entitlement; empty without Premium. */
export type PlanStatus = '' | 'active' | 'trialing' | 'past_due';
/** Where Premium comes from. */
export type PlanSource = 'none' | 'deployment' | 'grant' | 'subscription' | 'trial';

export const FREE_DOMAIN_LIMIT = 3;
const FREQUENCIES_MINUTES: readonly number[] = [10, 15, 60, 1440];
export const FREE_FREQUENCY_MINUTES = 1440;

export const TRIAL_MS = 14 * DAY_MS;
/** How long Premium goes on after a payment failed, while the payment provider tries again. */
export const GRACE_MS = 14 * DAY_MS;

/** Whether an account that has `count` domains, paused ones included, may add one more. */
export function mayAdd(plan: Plan, count: number): boolean {
  return plan === 'premium' || count < FREE_DOMAIN_LIMIT;
}

/** How many more domains `mayAdd` lets an account have; null: as many as it likes. */
export function roomFor(plan: Plan, count: number): number | null {
  return plan === 'premium' ? null : Math.max(0, FREE_DOMAIN_LIMIT - count);
}

/** Whether an account of which `active` domains are checked may resume one more. */
export function mayResume(plan: Plan, active: number): boolean {
  return plan === 'premium' || active < FREE_DOMAIN_LIMIT;
}

/** Whether a plan may check every `minutes`; false for intervals that nobody may choose. */
export function mayUseFrequency(plan: Plan, minutes: number): boolean {
  return FREQUENCIES_MINUTES.includes(minutes) && (plan === 'premium' || minutes === FREE_FREQUENCY_MINUTES);
}

/** The minutes that hold between two checks where `minutes` were chosen, perhaps on a plan that has ended since. */
export function frequencyOn(plan: Plan, minutes: number): number {
  return mayUseFrequency(plan, minutes) ? minutes : FREE_FREQUENCY_MINUTES;
}

/** A subscription as the payment provider last told it. Instants are ms UTC. */
export interface Subscription {
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  /** Of the paid period. */
  periodStartsAt: number | null;
  periodEndsAt: number | null;
  /** The end that was already decided on. */
  cancelsAt: number | null;
  pastDueSince: number | null;
  /** When the money of a period was given back in full. */
  refundedAt: number | null;
}

export interface Entitlement {
  plan: Plan;
  status: PlanStatus;
  source: PlanSource;
  /** When it ends as things stand; null without Premium and where no end is known. */
  endsAt: number | null;
}

export interface PlanFacts {
  trialEndsAt: number | null;
  /** Premium given by the operator; `endsAt` null: for good. */
  grant: { endsAt: number | null } | null;
  subscriptions: readonly Subscription[];
}

/** Of an account to which nothing gives Premium. */
export const NOT_ENTITLED: Entitlement = { plan: 'free', status: '', source: 'none', endsAt: null };

/** What an account is entitled to at `now`: of everything that gives Premium, what lasts longest; first what is paid for. */
export function entitlement({ trialEndsAt, grant, subscriptions }: PlanFacts, now: number): Entitlement {
  const given: Entitlement[] = [];
  for (const subscription of subscriptions) {
    const running = ofSubscription(subscription);
    if (running) given.push({ plan: 'premium', source: 'subscription', ...running });
  }
  if (grant) given.push({ plan: 'premium', status: 'active', source: 'grant', endsAt: grant.endsAt });
  if (trialEndsAt !== null)
    given.push({ plan: 'premium', status: 'trialing', source: 'trial', endsAt: trialEndsAt });
  return given.filter((each) => endOf(each) > now).reduce(longer, NOT_ENTITLED);
}

const endOf = ({ plan, endsAt }: Entitlement) => (plan === 'free' ? 0 : (endsAt ?? Number.POSITIVE_INFINITY));
const longer = (a: Entitlement, b: Entitlement) => (endOf(b) > endOf(a) ? b : a);

function ofSubscription(subscription: Subscription): Pick<Entitlement, 'status' | 'endsAt'> | null {
  const { status, pastDueSince, cancelsAt } = subscription;
  if (isRefunded(subscription)) return null;
  if (status === 'active' || status === 'trialing') return { status, endsAt: cancelsAt };
  if (status !== 'past_due') return null;
  const graceEndsAt = (pastDueSince ?? 0) + GRACE_MS;
  return { status, endsAt: Math.min(graceEndsAt, cancelsAt ?? graceEndsAt) };
}

/** Money that was given back for an earlier period says nothing about one that was paid after it. */
export function isRefunded({
  refundedAt,
  periodStartsAt,
}: Pick<Subscription, 'refundedAt' | 'periodStartsAt'>): boolean {
  return refundedAt !== null && refundedAt >= (periodStartsAt ?? 0);
}
