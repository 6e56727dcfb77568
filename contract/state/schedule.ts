import { DAY_MS, HOUR_MS } from '../durations.ts';
import { count } from '../words.ts';

/** Years are counted as 365 days, so that a certificate for 3,650 days is one for 10 years. */
const YEAR_DAYS = 365;
/** Spans of at least this many days are given in years. */
const MANY_DAYS = 730;

/** Returns '1 day' or '90 days'; '9 years', rounded down, if it is two years or more. */
export function daysText(days: number): string {
  return days < MANY_DAYS ? count(days, 'day') : count(Math.floor(days / YEAR_DAYS), 'year');
}

/**
 * Returns the time left, rounded down: '3 days', '31 hours' below two days, 'less than an hour'. The badge does not use it: the
 * specification gives its words, which count days below two, too.
 */
export function timeLeft(ms: number): string {
  if (ms < HOUR_MS) return 'less than an hour';
  return ms < 2 * DAY_MS ? count(Math.floor(ms / HOUR_MS), 'hour') : daysText(Math.floor(ms / DAY_MS));
}

/** What decides whether a renewal is on schedule. Instants are ISO 8601. */
export interface Renewing {
  expiry_date: string | null;
  renewal: { overdue_at: string | null; is_short_lived: boolean } | null;
  /** Absent if not known. */
  trusted?: boolean | null;
  /** State of the domain or the certificate, such as 'revoked'. */
  state?: string;
  /** What is wrong with a listed certificate on one of its domains. */
  problem?: string | null;
}

/** Problems of certificates that most or all clients still accept. */
const STILL_ACCEPTED = ['refused', 'flawed', 'overdue'];

/** Returns whether the renewal is overdue, by the server's rule. False once the certificate has expired. `now` in ms UTC. */
export function isRenewalOverdue({ renewal, expiry_date: expiryDate }: Renewing, now: number): boolean {
  if (!renewal?.overdue_at || expiryDate === null) return false;
  return Date.parse(renewal.overdue_at) <= now && now < Date.parse(expiryDate);
}

/**
 * Returns whether the renewal of a short-lived certificate is on schedule or overdue; null for other certificates, for expired, revoked
 * and refused ones, and if another address serves the renewed one. Only the badge does not follow it. The store has the rule in SQL.
 */
export function scheduleOf(certificate: Renewing, now: number): 'on schedule' | 'overdue' | null {
  const { renewal, expiry_date: expiryDate, trusted, state, problem = null } = certificate;
  if (!renewal?.is_short_lived || renewal.overdue_at === null) return null;
  const isRefused = problem !== null && !STILL_ACCEPTED.includes(problem);
  if (trusted === false || state === 'revoked' || isRefused) return null;
  if (expiryDate === null || now >= Date.parse(expiryDate)) return null;
  return isRenewalOverdue(certificate, now) ? 'overdue' : 'on schedule';
}

/** Returns 'renews on schedule, next in 2 days' or 'renewal overdue' for a short-lived certificate; null like `scheduleOf`. */
export function scheduleWords(certificate: Renewing, now: number): string | null {
  const schedule = scheduleOf(certificate, now);
  if (schedule === null) return null;
  return schedule === 'overdue' ? 'renewal overdue' : onScheduleWords(certificate.renewal?.overdue_at, now);
}

/** Returns 'renews on schedule, next in 2 days'. `dueAt` is when the renewal would be overdue, ISO 8601. */
export function onScheduleWords(dueAt: string | null | undefined, now: number): string {
  return dueAt ? `renews on schedule, next in ${timeLeft(Date.parse(dueAt) - now)}` : 'renews on schedule';
}
