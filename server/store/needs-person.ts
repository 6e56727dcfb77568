import { type RawBuilder, sql } from 'kysely';
import { domainState } from './domain-state.ts';

/**
 * Whether a row of `monitors` needs a person although no date says so: it is down, was not read, or is not trusted. What
 * has expired or is revoked is not trusted for a reason that its badge says already; what is paused is not known.
 */
export function needsPerson(now: number): RawBuilder<boolean> {
  return sql<boolean>`monitors.paused_by is null and (
    monitors.uptime = 'down'
    or monitors.problem = 'unreachable'
    or (monitors.problem = 'untrusted' and ${domainState(now)} not in ('expired', 'revoked')))`;
}
