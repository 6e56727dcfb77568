import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';
import { CRITICAL_DAYS, SOON_DAYS, type DomainState } from '../../../contract/words.ts';

/**
 * The phases of a row of `monitor_listing`, by number. `dated` means that the certificate's end of validity decides the state;
 * every other phase is itself a state.
 */
const PHASES = ['paused', 'pending', 'unread', 'revoked', 'dated'] as const;
const UNREAD = PHASES.indexOf('unread');
export const REVOKED = PHASES.indexOf('revoked');
export const DATED = PHASES.indexOf('dated');

const criticalFrom = (now: number): number => now;
const soonFrom = (now: number): number => now + (CRITICAL_DAYS + 1) * DAY_MS;
const okFrom = (now: number): number => now + (SOON_DAYS + 1) * DAY_MS;

/** Returns an SQL expression for the state of a row of `monitor_listing`. */
export function domainState(now: number): RawBuilder<DomainState> {
  return sql<DomainState>`case monitor_listing.phase
    when 0 then 'paused' when 1 then 'pending' when 2 then 'unread' when 3 then 'revoked'
    else case
      when monitor_listing.not_after < ${sql.lit(criticalFrom(now))} then 'expired'
      when monitor_listing.not_after < ${sql.lit(soonFrom(now))} then 'critical'
      when monitor_listing.not_after < ${sql.lit(okFrom(now))} then 'soon'
      else 'ok' end end`;
}

/**
 * Returns an SQL condition for one state of `monitor_listing`. PostgreSQL and SQLite can answer it by a range scan of the index
 * `phases`, which a comparison with `domainState` prevents.
 */
export function isInState(state: DomainState, now: number): RawBuilder<boolean> {
  const from = { critical: criticalFrom(now), soon: soonFrom(now), ok: okFrom(now) };
  switch (state) {
    case 'expired':
      return sql`phase = ${sql.lit(DATED)} and not_after < ${from.critical}`;
    case 'critical':
      return sql`phase = ${sql.lit(DATED)} and not_after >= ${from.critical} and not_after < ${from.soon}`;
    case 'soon':
      return sql`phase = ${sql.lit(DATED)} and not_after >= ${from.soon} and not_after < ${from.ok}`;
    case 'ok':
      return sql`phase = ${sql.lit(DATED)} and not_after >= ${from.ok}`;
    default:
      return sql`phase = ${sql.lit(PHASES.indexOf(state))}`;
  }
}

/** SQL condition for monitors without a usable certificate: none was ever read, or it is revoked. */
const hasNoUsableCertificate = sql<boolean>`phase in (${sql.lit(UNREAD)}, ${sql.lit(REVOKED)})`;

/** Returns an SQL condition for the list's filter `expiring`. Its rule is `hasListStatus` of the contract. */
export function isExpiring(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)}
    and (not_after < ${now} or on_schedule_until is null or on_schedule_until <= ${now})`;
}

/**
 * Returns an SQL condition for the list's filter `problem`: monitors that need attention for a reason other than a date. Its rule
 * is `hasListStatus` of the contract.
 */
export function hasProblem(now: number): RawBuilder<boolean> {
  return sql`trouble > 0 and (trouble = 2 or phase <> ${sql.lit(DATED)} or not_after >= ${now})`;
}

/**
 * Returns SQL conditions that together find the monitors that need attention, each only once. Each condition reads one range of
 * an index. The rule is `attentionReason` of the contract.
 */
export function attentionParts(now: number): [RawBuilder<boolean>, RawBuilder<boolean>, RawBuilder<boolean>] {
  return [
    isExpiring(now),
    hasNoUsableCertificate,
    sql`trouble > 0 and not (${hasNoUsableCertificate}) and not (${isExpiring(now)})`,
  ];
}

/** SQL condition for monitors that are down or unreachable. `trouble > 0` matches the partial index. */
export const isUnreached = sql<boolean>`trouble > 0 and trouble = 2`;

/**
 * SQL condition for monitors that the dashboard's timeline of expiries shows: a certificate was read and the monitor is not
 * paused.
 */
export const hasCertificate = sql<boolean>`phase in (${sql.lit(REVOKED)}, ${sql.lit(DATED)})`;

export const isPaused = sql<boolean>`phase = ${sql.lit(PHASES.indexOf('paused'))}`;

/** SQL condition for monitors whose state does not depend on `not_after`. */
export const isUndated = sql<boolean>`phase < ${sql.lit(DATED)}`;

/**
 * Returns an SQL condition for `critical` and `soon` monitors that need no action yet, because the certificate is short-lived and
 * its renewal is not overdue.
 */
export function isOnSchedule(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)} and on_schedule_until > ${now}`;
}

/** Returns an SQL condition for monitors in the phase `dated` whose state is not `ok`. */
export function endsSoon(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)}`;
}
