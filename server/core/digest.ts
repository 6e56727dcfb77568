import { DAY_MS, WEEK_MS } from '../../contract/durations.ts';
import { ATTENTION_REASONS, type AttentionReason } from '../../contract/words.ts';
import type { Concern, Digest, TruncatedList } from './account-mail.ts';
import { nameOf, type Targeted } from './target.ts';
import { nextLocalTime } from './alerting/local-time.ts';
import type { Problem } from './alerting/alert.ts';
import { uptimePercent } from './check/uptime.ts';
import type { Plan } from './plan.ts';

/** The local time at which a digest is due: Monday, 08:00. */
const DIGEST_TIME = { minute: 8 * 60, weekday: 1 };
/** Time before expiry from which the digest lists a certificate, ms. */
export const DIGEST_AHEAD_MS = 30 * DAY_MS;
/** Length of the period that a digest reports on, ms. */
export const DIGEST_PERIOD_MS = WEEK_MS;
/** Longest time that a digest is planned ahead. If one is planned for later, the clock ran ahead when it was planned. */
export const DIGEST_MAX_AHEAD_MS = 8 * DAY_MS;
/** Time after which a digest that could not be sent is dropped. */
export const DIGEST_EXPIRES_AFTER_MS = 3 * DAY_MS;
/** Limits on domains per section of the mail. The dashboard shows the rest. */
const MAX_LISTED = 10;
const MAX_UPTIMES = 5;

/** The data of a domain that the digest is made from. Instants are ms UTC. */
export interface DigestDomain {
  notAfter: number | null;
  revoked: boolean;
  isDown: boolean;
  problem: 'unreachable' | 'untrusted' | null;
  /** Start of the expected renewal; null if it is unknown, or the expiry is more than 30 days away. */
  renewFrom: number | null;
  /**
   * Time from which the renewal is overdue. Null if it is unknown, if the expiry is more than 30 days away, and if another
   * address already shows the renewed certificate.
   */
  overdueAt: number | null;
}

/** Returns the next Monday at 08:00 in the time zone (null means UTC), in ms UTC. */
export function nextDigestAt(now: number, timeZone: string | null): number {
  return nextLocalTime(now, timeZone, DIGEST_TIME);
}

/**
 * Returns whether a digest planned for `plannedAt` is due, and when the account's next digest is (ms UTC). If the time zone has changed
 * since the digest was planned, Monday may still be ahead in the new zone.
 */
export function followDigest(
  plannedAt: number,
  { now, timeZone }: { now: number; timeZone: string | null },
): { isDue: boolean; nextAt: number } {
  const inCurrentZone = nextDigestAt(plannedAt - DAY_MS, timeZone);
  const isDue = plannedAt <= now && inCurrentZone <= now;
  const isAhead = inCurrentZone > now && inCurrentZone <= now + DIGEST_MAX_AHEAD_MS;
  return { isDue, nextAt: isAhead ? inCurrentZone : nextDigestAt(now, timeZone) };
}

/** Returns whether a plan includes the digest. */
export function mayGetDigest(plan: Plan): boolean {
  return plan === 'premium';
}

/** An incident of a domain in the week of the digest. Instants are ms UTC; `endedAt` is null while it is open. */
export interface DigestIncident extends Targeted {
  monitorId: string;
  problem: Problem;
  startedAt: number;
  endedAt: number | null;
  /** Start of the domain's uptime figures; null if it has none. */
  uptimeSince: number | null;
}

/**
 * Composes the digest for `now` (ms UTC). `domains`: the active domains, soonest expiry first. `failing`: those whose next renewal will fail.
 * `renewed`: those whose leaf replaced another one in the week. `incidents`: those of the week except expiries, newest first.
 */
export function composeDigest(
  {
    domains,
    failing,
    renewed,
    incidents,
  }: {
    domains: readonly (Targeted & DigestDomain)[];
    failing: readonly (Targeted & { line: string; expectedAt: number })[];
    renewed: readonly (Targeted & { notAfter: number })[];
    incidents: readonly DigestIncident[];
  },
  now: number,
): Digest {
  const from = now - DIGEST_PERIOD_MS;
  const urgent: { domain: Targeted & DigestDomain; reason: Reported }[] = [];
  const expiring: (Targeted & { notAfter: number })[] = [];
  for (const domain of domains) {
    const { notAfter } = domain;
    const reason = urgencyOf(domain, now);
    if (reason !== null) urgent.push({ domain, reason });
    else if (notAfter !== null && isExpiring(domain, now)) expiring.push({ ...domain, notAfter });
  }
  const rankOf = ({ reason }: { reason: Reported }) => ATTENTION_REASONS.indexOf(reason);
  const attention = urgent
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map(({ domain, reason }) => ({ ...domain, concern: CONCERNS[reason] }));
  return {
    from,
    until: now,
    watched: domains.length,
    attention: toListed(attention, ({ concern, notAfter }) => ({ concern, notAfter })),
    expiring: toListed(expiring, ({ notAfter }) => ({ notAfter })),
    failing: toListed(failing, ({ line, expectedAt }) => ({ line, expectedAt })),
    renewed: toListed(renewed, ({ notAfter }) => ({ notAfter })),
    incidents: toListed(incidents, ({ problem, startedAt, endedAt }) => ({ problem, startedAt, endedAt })),
    uptime: lowestUptimes(incidents, { from, now }),
  };
}

function toListed<T extends Targeted, S>(all: readonly T[], details: (item: T) => S): TruncatedList<S> {
  const first = all.slice(0, MAX_LISTED).map((item) => ({ ...nameOf(item), ...details(item) }));
  return { first, more: all.length - first.length };
}

/** Returns the lowest uptimes of domains that were down, over the part of the week for which they were monitored. */
function lowestUptimes(
  incidents: readonly DigestIncident[],
  { from, now }: { from: number; now: number },
): Digest['uptime'] {
  const outages = incidents.filter(({ problem }) => problem === 'down');
  const uptimes = [...Map.groupBy(outages, ({ monitorId }) => monitorId).values()].flatMap((ofMonitor) => {
    const [first] = ofMonitor;
    if (first === undefined || first.uptimeSince === null) return [];
    const watchedFrom = Math.max(from, first.uptimeSince);
    const downMs = ofMonitor.reduce(
      (sum, { startedAt, endedAt }) => sum + Math.max(0, (endedAt ?? now) - Math.max(watchedFrom, startedAt)),
      0,
    );
    return [{ ...nameOf(first), percent: uptimePercent({ from: watchedFrom, now, downMs }) }];
  });
  return uptimes.toSorted((left, right) => left.percent - right.percent).slice(0, MAX_UPTIMES);
}

const CONCERNS = {
  expired: 'expiry',
  revoked: 'revoked',
  untrusted: 'untrusted',
  down: 'down',
  critical: 'expiry',
  unreachable: 'unreachable',
} as const satisfies Partial<Record<AttentionReason, Concern>>;
type Reported = keyof typeof CONCERNS;

/**
 * Returns the most urgent reason why a domain needs attention; null if there is none. From a week before the expiry, a certificate counts
 * as `critical` unless its renewal is known not to be overdue yet.
 */
export function urgencyOf(
  { notAfter, revoked, isDown, problem, overdueAt }: DigestDomain,
  now: number,
): Reported | null {
  const left = notAfter === null || revoked ? Infinity : notAfter - now;
  const isOnSchedule = overdueAt !== null && overdueAt > now;
  const applying = [
    revoked && 'revoked',
    left <= 0 && 'expired',
    isDown && 'down',
    left < WEEK_MS && !isOnSchedule && 'critical',
    problem,
  ];
  return ATTENTION_REASONS.find((reason): reason is Reported => applying.includes(reason)) ?? null;
}

/**
 * Returns whether the digest lists a certificate as expiring: it expires within 30 days, and its renewal is due or unknown.
 */
export function isExpiring({ notAfter, renewFrom }: DigestDomain, now: number): boolean {
  return notAfter !== null && notAfter < now + DIGEST_AHEAD_MS && (renewFrom === null || renewFrom <= now);
}
