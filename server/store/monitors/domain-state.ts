import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../contract/durations.ts';

/**
 * What a list says about a monitor at a glance. `paused`: nobody checks it; `pending`: never checked; `unread`: no
 * certificate was ever read; the rest by whole days left (rounded down) of the leaf last seen: critical up to 7, soon
 * up to 14.
 */
export const DOMAIN_STATES = [
  'paused',
  'pending',
  'unread',
  'revoked',
  'expired',
  'critical',
  'soon',
  'ok',
] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

const CRITICAL_DAYS = 7;
const SOON_DAYS = 14;
/** The phases of `monitor_listing` of whose certificate an end is known. In the last one that decides; those before have a state each. */
export const REVOKED = DOMAIN_STATES.indexOf('revoked');
export const DATED = DOMAIN_STATES.indexOf('expired');

const criticalFrom = (now: number): number => now;
const soonFrom = (now: number): number => now + (CRITICAL_DAYS + 1) * DAY_MS;
const okFrom = (now: number): number => now + (SOON_DAYS + 1) * DAY_MS;

/** The state of a row of `monitor_listing` as SQL. */
export function domainState(now: number): RawBuilder<DomainState> {
  return sql<DomainState>`case monitor_listing.phase
    when 0 then 'paused' when 1 then 'pending' when 2 then 'unread' when 3 then 'revoked'
    else case
      when monitor_listing.not_after < ${sql.lit(criticalFrom(now))} then 'expired'
      when monitor_listing.not_after < ${sql.lit(soonFrom(now))} then 'critical'
      when monitor_listing.not_after < ${sql.lit(okFrom(now))} then 'soon'
      else 'ok' end end`;
}

/** Whether a row of `monitor_listing` is in that state: a range of the index of phases, which `domainState` is not. */
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
      return sql`phase = ${sql.lit(DOMAIN_STATES.indexOf(state))}`;
  }
}

/**
 * Whether a row of `monitor_listing` needs a person although no date says so: it is down, was not read, or is not trusted. What
 * has expired or is revoked is not trusted for a reason that its badge says already; what is paused is not known.
 */
export function needsPerson(now: number): RawBuilder<boolean> {
  return sql`trouble > 0 and (trouble = 2 or phase = 1 or phase = 2
    or (phase = ${sql.lit(DATED)} and not_after >= ${now}))`;
}

/** Of a row of `monitor_listing`: it is down, or its certificate could not be read. In the words of a partial index. */
export const isUnreached = sql<boolean>`trouble > 0 and trouble = 2`;

/** Of a row of `monitor_listing` that stands on the horizon: a certificate was read, and it is checked. */
export const hasCertificate = sql<boolean>`phase in (${sql.lit(REVOKED)}, ${sql.lit(DATED)})`;

/** Of a row of `monitor_listing`: nobody checks it. */
export const isPaused = sql<boolean>`phase = ${sql.lit(DOMAIN_STATES.indexOf('paused'))}`;

/** Of a row of `monitor_listing` whose state does not follow from the end of its certificate. */
export const isUndated = sql<boolean>`phase < ${sql.lit(DATED)}`;

/**
 * Of a row of `monitor_listing` that is `critical` or `soon`: nobody has to act yet, because its certificate is short-lived and
 * its renewal is not overdue.
 */
export function isOnSchedule(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)} and on_schedule_until > ${now}`;
}

/** Of the others that are not `ok`. */
export function endsSoon(now: number): RawBuilder<boolean> {
  return sql`phase = ${sql.lit(DATED)} and not_after < ${okFrom(now)}`;
}
