import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';
import { naturalDirection, type SortDirection } from '../../../contract/calls/list-order.ts';
import {
  ATTENTION_REASONS,
  type AttentionReason,
  type DomainSort,
  type DomainState,
  EXPIRY_STATES,
  SOON_DAYS,
} from '../../../contract/words.ts';

/**
 * The phases of a row of `monitor_listing`; the column has the index in this list. In the phase `dated` the certificate's end of
 * validity decides the state; every other phase is itself a state.
 */
const PHASES = ['paused', 'pending', 'unread', 'revoked', 'dated'] as const;
const REVOKED = PHASES.indexOf('revoked');
const DATED = PHASES.indexOf('dated');

/** Returns when a state ends, ms UTC: a certificate that expires at that time or later is in the next state. */
const endOf = (maxDays: number, now: number): number =>
  maxDays === Infinity ? Number.MAX_SAFE_INTEGER : now + (maxDays + 1) * DAY_MS;

/** Returns a time in ms UTC. Certificates that expire at that time or later need no action yet. */
export const firstOkExpiry = (now: number): number => endOf(SOON_DAYS, now);

/**
 * Returns the range of expiry times of certificates in an expiry state: from `from` to before `until`, ms UTC. Undefined for
 * other states.
 */
export function expiryRangeOf(status: string, now: number): { from: number; until: number } | undefined {
  const index = EXPIRY_STATES.findIndex(({ state }) => state === status);
  const [former, own] = [EXPIRY_STATES[index - 1], EXPIRY_STATES[index]];
  return (
    own && {
      from: former === undefined ? Number.MIN_SAFE_INTEGER : endOf(former.maxDays, now),
      until: endOf(own.maxDays, now),
    }
  );
}

/** Returns an SQL expression for the state of a row of `monitor_listing`. */
export function domainState(now: number): RawBuilder<DomainState> {
  const undated = PHASES.slice(0, DATED).map(
    (state, phase) => sql`when monitor_listing.phase = ${sql.lit(phase)} then ${sql.lit(state)}`,
  );
  const dated = EXPIRY_STATES.map(
    ({ state, maxDays }) =>
      sql`when monitor_listing.not_after < ${sql.lit(endOf(maxDays, now))} then ${sql.lit(state)}`,
  );
  return sql<DomainState>`case ${sql.join([...undated, ...dated], sql` `)} end`;
}

/**
 * Returns an SQL condition for one state of `monitor_listing`. The databases can answer it by a range scan of the index `phases`;
 * a comparison with `domainState` would prevent this.
 */
export function isInState(state: DomainState, now: number): RawBuilder<boolean> {
  const ends = expiryRangeOf(state, now);
  return ends === undefined
    ? sql`phase = ${sql.lit(PHASES.findIndex((phase) => phase === state))}`
    : sql`phase = ${sql.lit(DATED)} and not_after >= ${ends.from} and not_after < ${ends.until}`;
}

/** Returns an SQL condition for the list's filter `expiring`. `hasListStatus` of the contract defines it. */
export function isExpiring(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${firstOkExpiry(now)}
    and (not_after < ${now} or on_schedule_until is null or on_schedule_until <= ${now})`;
}

/**
 * Returns an SQL condition for the list's filter `problem`: monitors that need attention for a reason other than a date.
 * `hasListStatus` of the contract defines it. `trouble` 3 is an overdue renewal.
 */
export function hasProblem(now: number): RawBuilder<boolean> {
  return sql`trouble > 0 and (trouble = 2 or phase <> ${sql.lit(DATED)} or not_after >= ${firstOkExpiry(now)}
    or (trouble <> 3 and not_after >= ${now}))`;
}

/**
 * Returns two SQL conditions. Each monitor that needs attention meets exactly one of them. Each condition reads ranges of an
 * index. `attentionReason` of the contract defines what needs attention.
 */
export function attentionParts(now: number): [RawBuilder<boolean>, RawBuilder<boolean>] {
  return [isExpiring(now), sql`fault > 0 and not (${isExpiring(now)})`];
}

/** The faults of a row of `monitor_listing`; the column has the index in this list. */
const FAULTS = [
  'none',
  'revoked',
  'untrusted',
  'down',
  'unreachable',
  'refused',
  'overdue',
  'flawed',
] as const;
const hasFault = (fault: (typeof FAULTS)[number]) => sql<boolean>`fault = ${sql.lit(FAULTS.indexOf(fault))}`;

/**
 * Returns the levels of urgency, most urgent first, each with an SQL condition for a row of `monitor_listing`: the `ATTENTION_REASONS`,
 * then domains that need nothing, those not checked yet, and paused ones. A row belongs to the first level whose condition holds.
 */
function urgencyLevels(now: number): RawBuilder<boolean>[] {
  const test = (reason: AttentionReason) => {
    if (reason === 'expired') return isInState(reason, now);
    return reason === 'critical' || reason === 'soon' ? isUnscheduled(reason, now) : hasFault(reason);
  };
  const others = (['dated', 'pending', 'paused'] as const).map(
    (phase) => sql<boolean>`${hasFault('none')} and phase = ${sql.lit(PHASES.indexOf(phase))}`,
  );
  return [...ATTENTION_REASONS.map(test), ...others];
}

/** Returns an SQL expression for the number of the first of these levels whose condition holds. */
export function levelNumber(levels: readonly RawBuilder<boolean>[]): RawBuilder<number> {
  const cases = levels.map((test, level) => sql`when ${test} then ${sql.lit(level)}`);
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}

/** Returns an SQL expression for the level of urgency of a row of `monitor_listing`, 0 for the most urgent. */
export const urgency = (now: number): RawBuilder<number> => levelNumber(urgencyLevels(now));

/**
 * Returns one SQL condition per level that is true for exactly the rows of the level. Each condition reads one range of an index.
 */
export function exactLevels(levels: readonly RawBuilder<boolean>[]): RawBuilder<boolean>[] {
  return levels.map((test, level) => {
    const former = levels.slice(0, level).map((earlier) => sql`not (${earlier})`);
    return sql<boolean>`${sql.join([test, ...former], sql` and `)}`;
  });
}

/** An order of monitors. */
export interface MonitorOrder {
  sort: DomainSort;
  /** If absent, the direction is `naturalDirection(sort)`. */
  direction?: SortDirection | undefined;
  now: number;
}

export const isDescending = ({ sort, direction = naturalDirection(sort) }: MonitorOrder): boolean =>
  direction === 'desc';

export interface OrderLevels {
  /** SQL conditions, in ascending order. A row belongs to the first level whose condition holds. */
  tests: RawBuilder<boolean>[];
  /** The level that usually has most monitors. */
  largest: number;
  /** Returns the level of a cursor's position in the list. */
  at(cursor: { notAfter?: number | null; urgency?: number }): number;
}

/**
 * Returns the levels of an order that consists of levels, else null. Each level is a range of an index; the whole order is not.
 * These orders are `worst` and latest expiry first, in which monitors without a certificate still come last.
 */
export function levelsOf(order: MonitorOrder): OrderLevels | null {
  if (order.sort === 'worst')
    return {
      tests: urgencyLevels(order.now),
      largest: ATTENTION_REASONS.length,
      at: ({ urgency: level = 0 }) => level,
    };
  if (order.sort !== 'soonest' || !isDescending(order)) return null;
  return {
    tests: [sql`not_after is null`, sql`not_after is not null`],
    largest: 1,
    at: ({ notAfter }) => (notAfter === null ? 0 : 1),
  };
}

/** SQL condition for monitors that are down or unreachable. It includes `trouble > 0`, the condition of the partial index. */
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
  return sql`phase = ${sql.lit(DATED)} and not_after < ${firstOkExpiry(now)} and on_schedule_until > ${now}`;
}

/** Returns an SQL condition for `critical` or `soon` monitors whose certificate is not short-lived, or whose renewal is overdue. */
function isUnscheduled(state: 'critical' | 'soon', now: number): RawBuilder<boolean> {
  return sql`${isInState(state, now)} and (on_schedule_until is null or on_schedule_until <= ${now})`;
}

/**
 * Returns SQL conditions for groups of monitors with a certificate. On the timeline, all monitors of a group look the same,
 * unless one has a fault.
 */
export function timelineGroups(now: number): RawBuilder<boolean>[] {
  return [
    isInState('revoked', now),
    isInState('expired', now),
    isUnscheduled('critical', now),
    isUnscheduled('soon', now),
    isOnSchedule(now),
    isInState('ok', now),
  ];
}

/** Returns an SQL condition for monitors in the phase `dated` whose state is not `ok`. */
export function endsSoon(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${firstOkExpiry(now)}`;
}
