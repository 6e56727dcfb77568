import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';
import {
  ATTENTION_REASONS,
  type AttentionReason,
  CRITICAL_DAYS,
  type DomainState,
  SOON_DAYS,
} from '../../../contract/words.ts';

/**
 * The phases of a row of `monitor_listing`, by number. `dated` means that the certificate's end of validity decides the state;
 * every other phase is itself a state.
 */
const PHASES = ['paused', 'pending', 'unread', 'revoked', 'dated'] as const;
export const REVOKED = PHASES.indexOf('revoked');
export const DATED = PHASES.indexOf('dated');

const criticalFrom = (now: number): number => now;
const soonFrom = (now: number): number => now + (CRITICAL_DAYS + 1) * DAY_MS;
export const okFrom = (now: number): number => now + (SOON_DAYS + 1) * DAY_MS;

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

/** Returns an SQL condition for the list's filter `expiring`. Its rule is `hasListStatus` of the contract. */
export function isExpiring(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)}
    and (not_after < ${now} or on_schedule_until is null or on_schedule_until <= ${now})`;
}

/**
 * Returns an SQL condition for the list's filter `problem`: monitors that need attention for a reason other than a date. Its rule
 * is `hasListStatus` of the contract. An overdue renewal is trouble 3.
 */
export function hasProblem(now: number): RawBuilder<boolean> {
  return sql`trouble > 0 and (trouble = 2 or phase <> ${sql.lit(DATED)} or not_after >= ${okFrom(now)}
    or (trouble <> 3 and not_after >= ${now}))`;
}

/**
 * Returns SQL conditions that together find the monitors that need attention, each only once. Each condition reads ranges of an
 * index. The rule is `attentionReason` of the contract.
 */
export function attentionParts(now: number): [RawBuilder<boolean>, RawBuilder<boolean>] {
  return [isExpiring(now), sql`fault > 0 and not (${isExpiring(now)})`];
}

const hasFault = (fault: number) => sql<boolean>`fault = ${sql.lit(fault)}`;
const FAULTLESS = hasFault(0);

/**
 * Returns the levels of urgency, most urgent first, each with an SQL condition for a row of `monitor_listing`: the `ATTENTION_REASONS`,
 * then domains that need nothing, those not checked yet, and paused ones. A row belongs to the first level whose condition holds.
 */
function levelTests(now: number): RawBuilder<boolean>[] {
  const isUnscheduled = sql`(on_schedule_until is null or on_schedule_until <= ${now})`;
  const byReason: Record<AttentionReason, RawBuilder<boolean>> = {
    expired: isInState('expired', now),
    revoked: hasFault(1),
    untrusted: hasFault(2),
    critical: sql`${isInState('critical', now)} and ${isUnscheduled}`,
    down: hasFault(3),
    refused: hasFault(5),
    soon: sql`${isInState('soon', now)} and ${isUnscheduled}`,
    unreachable: hasFault(4),
    overdue: hasFault(6),
    flawed: hasFault(7),
  };
  const others = (['dated', 'pending', 'paused'] as const).map(
    (phase) => sql<boolean>`${FAULTLESS} and phase = ${sql.lit(PHASES.indexOf(phase))}`,
  );
  return [...ATTENTION_REASONS.map((reason) => byReason[reason]), ...others];
}

/** Returns an SQL expression for the level of urgency of a row of `monitor_listing`, 0 for the most urgent. */
export function urgency(now: number): RawBuilder<number> {
  const cases = levelTests(now).map((test, level) => sql`when ${test} then ${sql.lit(level)}`);
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}

/** Returns SQL conditions for exactly the rows of each level, most urgent first. Each condition reads one range of an index. */
export function urgencyLevels(now: number): RawBuilder<boolean>[] {
  const tests = levelTests(now);
  return tests.map((test, level) => {
    const former = tests.slice(0, level).map((earlier) => sql`not (${earlier})`);
    return sql<boolean>`${sql.join([test, ...former], sql` and `)}`;
  });
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

/**
 * Returns the expiry times, in ms UTC, from `from` to before `until`, for which a certificate has the status unless it is revoked;
 * undefined for statuses that depend on more. No certificate expires later than `Number.MAX_SAFE_INTEGER`.
 */
export function endingIn(status: string, now: number): { from: number; until: number } | undefined {
  const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  switch (status) {
    case 'expired':
      return { from: least, until: criticalFrom(now) };
    case 'critical':
      return { from: criticalFrom(now), until: soonFrom(now) };
    case 'soon':
      return { from: soonFrom(now), until: okFrom(now) };
    case 'ok':
      return { from: okFrom(now), until: most };
    default:
      return undefined;
  }
}

/** Returns an SQL condition for monitors in the phase `dated` whose state is not `ok`. */
export function endsSoon(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)}`;
}
