import { type RawBuilder, sql } from 'kysely';

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

const DAY_MS = 86_400_000;
const CRITICAL_DAYS = 7;
const SOON_DAYS = 14;

/** The state of a row of `monitors` as SQL. Its columns stand together in an index, so that counting reads no rows. */
export function domainState(now: number): RawBuilder<DomainState> {
  return sql<DomainState>`case
    when monitors.paused_by is not null then 'paused'
    when monitors.not_after is null and monitors.last_checked_at is null then 'pending'
    when monitors.not_after is null then 'unread'
    when monitors.revoked = 1 then 'revoked'
    when monitors.not_after < ${sql.lit(now)} then 'expired'
    when monitors.not_after < ${sql.lit(now + (CRITICAL_DAYS + 1) * DAY_MS)} then 'critical'
    when monitors.not_after < ${sql.lit(now + (SOON_DAYS + 1) * DAY_MS)} then 'soon'
    else 'ok' end`;
}
