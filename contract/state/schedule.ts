import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { count } from '../words.ts';

/** A year has 365 days here, so that 3,650 days are 10 years. */
const YEAR_DAYS = 365;
/** Spans of at least this many days are written in years. */
const MANY_DAYS = 730;

/** Returns '1 day' or '90 days'. From two years on, returns whole years, rounded down: '9 years'. */
export function daysText(days: number): string {
  return days < MANY_DAYS ? count(days, 'day') : count(Math.floor(days / YEAR_DAYS), 'year');
}

/**
 * Returns the time left, rounded down: '3 days', '31 hours' below two days, 'less than an hour'. The badge has other words,
 * which the specification gives: it counts in days even below two days.
 */
export function timeLeft(ms: number): string {
  if (ms < HOUR_MS) return 'less than an hour';
  return ms < 2 * DAY_MS ? count(Math.floor(ms / HOUR_MS), 'hour') : daysText(Math.floor(ms / DAY_MS));
}

/** Returns how long something lasted as '35 minutes', '1 hour 35 minutes', '3 days 4 hours' or '9 years', rounded down. */
export function durationInTwoUnits(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const parts = [
    days > 0 && daysText(days),
    days < MANY_DAYS && hours > 0 && count(hours, 'hour'),
    days === 0 && minutes > 0 && count(minutes, 'minute'),
  ];
  return parts.filter((part) => part !== false).join(' ') || 'less than a minute';
}

/** The facts that decide whether a renewal is on schedule. Instants are ISO 8601. */
export interface RenewalFacts {
  expiry_date: string | null;
  renewal: { overdue_at: string | null; is_short_lived: boolean } | null;
  /** Absent if not known. */
  trusted?: boolean | null;
  /** State of the domain or the certificate, such as 'revoked'. */
  state?: string;
  /** What is wrong with a listed certificate on one of its domains. */
  problem?: string | null;
}

/** Problems of certificates that at least some clients still accept. */
const STILL_ACCEPTED = ['refused', 'flawed', 'overdue'];

/**
 * Returns whether the renewal is overdue, by the same rule as the server. False once the certificate has expired or is revoked: then it must
 * be replaced in any case. `now` in ms UTC.
 */
export function isRenewalOverdue(certificate: RenewalFacts, now: number): boolean {
  const { renewal, expiry_date: expiryDate, state } = certificate;
  if (!renewal?.overdue_at || expiryDate === null || state === 'expired' || state === 'revoked') return false;
  return Date.parse(renewal.overdue_at) <= now && now < Date.parse(expiryDate);
}

/**
 * Returns whether the renewal of a short-lived certificate is on schedule or overdue. Returns null for other certificates,
 * for expired, revoked and refused ones, and if another address serves the renewed one. The badge ignores this: it only
 * counts days. `server/store` has the same rule in SQL.
 */
export function scheduleOf(certificate: RenewalFacts, now: number): 'on schedule' | 'overdue' | null {
  const { renewal, expiry_date: expiryDate, trusted, state, problem = null } = certificate;
  if (!renewal?.is_short_lived || renewal.overdue_at === null) return null;
  const isRefused = problem !== null && !STILL_ACCEPTED.includes(problem);
  if (trusted === false || state === 'revoked' || isRefused) return null;
  if (expiryDate === null || now >= Date.parse(expiryDate)) return null;
  return isRenewalOverdue(certificate, now) ? 'overdue' : 'on schedule';
}

/** Returns 'renews on schedule, due in 2 days' or 'renewal overdue' for a short-lived certificate; null like `scheduleOf`. */
export function scheduleWords(certificate: RenewalFacts, now: number): string | null {
  const schedule = scheduleOf(certificate, now);
  if (schedule === null) return null;
  return schedule === 'overdue' ? 'renewal overdue' : onScheduleWords(certificate.renewal?.overdue_at, now);
}

/** Returns 'renews on schedule, due in 2 days'. `dueAt` is when the renewal would be overdue, ISO 8601. */
export function onScheduleWords(dueAt: string | null | undefined, now: number): string {
  return dueAt ? `renews on schedule, due in ${timeLeft(Date.parse(dueAt) - now)}` : 'renews on schedule';
}
