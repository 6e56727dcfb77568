import { DAY_MS } from '../../../contract/durations.ts';
import { expectedRenewal } from '../alert-steps.ts';
import type { ForecastContext, PastRenewal } from './evidence.ts';
import type { Forecast } from './forecast.ts';

/** Only renewals between these shares of the lifetime show a habit. Earlier ones were made by hand, for example for a new name. */
const USUAL_FROM = 0.3;
const USUAL_TO = 1.1;
const MOST_RENEWALS = 5;
/** Number of renewals of other certificates that show a habit of the account. */
const LEAST_OTHERS = 5;

/** When certificates were renewed so far. */
export interface Habit {
  /** Median share of the lifetime after which certificates were renewed. */
  share: number;
  /** Days from the start of validity to the renewal: median and maximum. */
  days: number;
  mostDays: number;
  /** Difference between the latest and the earliest renewal in days. */
  spreadDays: number;
  renewals: number;
}

/** Returns the habit that renewals show; null if all of them were too early or too late in the lifetime to show one. */
function habitOf(renewals: readonly PastRenewal[]): Habit | null {
  const usual = renewals.filter(({ notBefore, renewedAt, lifetimeMs }) => {
    const share = (renewedAt - notBefore) / lifetimeMs;
    return lifetimeMs > 0 && share >= USUAL_FROM && share <= USUAL_TO;
  });
  if (usual.length === 0) return null;
  const days = usual
    .map(({ notBefore, renewedAt }) => (renewedAt - notBefore) / DAY_MS)
    .toSorted((a, b) => a - b);
  const shares = usual
    .map(({ notBefore, renewedAt, lifetimeMs }) => (renewedAt - notBefore) / lifetimeMs)
    .toSorted((a, b) => a - b);
  return {
    share: median(shares),
    days: median(days),
    mostDays: days.at(-1) ?? 0,
    spreadDays: (days.at(-1) ?? 0) - (days[0] ?? 0),
    renewals: usual.length,
  };
}

/** Returns the median of sorted numbers; of an even count, the upper one of the two in the middle. */
const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

/** Returns the habit of the certificate's own last renewals; null if it had none. */
export const ownHabit = ({ renewals }: Pick<ForecastContext, 'renewals'>): Habit | null =>
  habitOf(renewals.slice(0, MOST_RENEWALS));

/** Returns the habit of other certificates with a similar lifetime; null if there are fewer than five renewals. */
export function othersHabit({ certificate, otherRenewals }: ForecastContext): Habit | null {
  const lifetime = certificate.notAfter - certificate.notBefore;
  const similar = otherRenewals.filter(({ lifetimeMs }) => Math.abs(lifetimeMs - lifetime) <= lifetime / 10);
  const habit = habitOf(similar);
  return habit !== null && habit.renewals >= LEAST_OTHERS ? habit : null;
}

/**
 * Returns when the renewal is expected, ms UTC: at the start of the CA's window (RFC 9773), else after the same share of the lifetime as the last
 * renewals, else when a third of the lifetime is left (half if the lifetime is under 10 days).
 */
export function expectedDay(context: ForecastContext): Pick<Forecast, 'expectedAt' | 'expectedBy'> {
  const { certificate, renewalWindow } = context;
  if (renewalWindow !== null) return { expectedAt: renewalWindow.start, expectedBy: 'ari' };
  const habit = ownHabit(context);
  const { notBefore, notAfter } = certificate;
  if (habit !== null) {
    const lifetime = Math.max(0, notAfter - notBefore);
    return { expectedAt: Math.round(notBefore + Math.min(1, habit.share) * lifetime), expectedBy: 'habit' };
  }
  return { expectedAt: expectedRenewal(certificate).from, expectedBy: 'lifetime' };
}
