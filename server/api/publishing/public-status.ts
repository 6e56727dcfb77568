import { daysLeft } from '../../../contract/state/badge.ts';
import {
  MAX_INCIDENTS_SHOWN,
  MAX_SHOWN,
  type PublicStatus,
  type ShownDomain,
} from '../../../contract/status-page.ts';
import { displayName } from '../../core/endpoint.ts';
import type { Store } from '../../store/db/open-store.ts';
import {
  listDowntime,
  listPageMonitors,
  type StatusPageChoices,
} from '../../store/publishing/status-pages.ts';
import { dailyDowntimes, uptimePercents, uptimeWindowOf } from '../../store/checks/downtime.ts';
import { certificateStateOf, iso, isoOrNull } from '../domains/domain-wire.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { ATTENTION_REASONS } from '../../../contract/words.ts';
import { contentHash } from '../http/answer-cache.ts';
import type { BadgeState } from './badge-svg.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';

/**
 * Returns the content of a status page with these settings, and the private names that it omits. Only the fields named here
 * become public: no id, note, tag or IP address.
 */
export async function publicStatus(
  store: Store,
  { accountId, choices, isPrivate, now }: PageRequest,
): Promise<{ status: PublicStatus; privateNames: string[] }> {
  const labels = new Map(choices.domains.map(({ id, label }) => [id, label]));
  const { monitors, more, leftOut } = await listPageMonitors(store, {
    accountId,
    choices,
    isShown: ({ id, host }) => labels.has(id) || !isPrivate(host),
    max: MAX_SHOWN,
    now,
  });
  // Omit the target: it may reveal a backend address or an internal name.
  const nameOf = ({ id, host, port }: Monitor) => labels.get(id) || displayName({ host, port });
  const windowDays = await uptimeWindowOf(store, accountId, now);
  const uptimeOf = choices.showUptime ? await shownUptimes(store, { monitors, windowDays, now }) : () => null;
  const domains = monitors.map((monitor) => ({
    name: nameOf(monitor),
    ...uptimeState(monitor),
    certificate: choices.showCertificates ? shownCertificate(monitor, now) : null,
    is_unread: choices.showCertificates && isUnread(monitor),
    uptime: uptimeOf(monitor),
  }));
  const status: PublicStatus = {
    title: choices.title,
    state: worstOf(domains),
    window_days: windowDays,
    checked_at: isoOrNull(Math.max(0, ...monitors.map(({ lastCheckedAt }) => lastCheckedAt ?? 0)) || null),
    domains: (choices.shows === 'chosen' ? domains : domains.toSorted(byName)).toSorted(worstFirst),
    more,
    incidents: choices.showIncidents
      ? await shownIncidents(store, { accountId, monitors, nameOf, from: now - windowDays * DAY_MS })
      : null,
  };
  return { status, privateNames: leftOut.map((endpoint) => displayName(endpoint)).toSorted() };
}

export interface PageRequest {
  accountId: string;
  choices: StatusPageChoices;
  /** Returns whether a host is a local name or a private address. */
  isPrivate: (host: string) => boolean;
  now: number;
}

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en');

/** Sorts like the order `worst` of the dashboard. Domains that need no attention keep their own order. */
const worstFirst = (a: RankedDomain, b: RankedDomain) =>
  rankOf(a) - rankOf(b) || endIfUrgent(a) - endIfUrgent(b);
/** The `ATTENTION_REASONS`, then the states of domains without one. */
const WORST_FIRST: readonly string[] = [...ATTENTION_REASONS, 'unknown', 'up', 'paused'];
type RankedDomain = Pick<ShownDomain, 'state' | 'certificate'>;

/** Returns the place of a domain on the page, 0 for the worst. */
function rankOf({ state, certificate }: RankedDomain): number {
  return WORST_FIRST.findIndex((place) => place === state || place === certificate?.state);
}

/** Returns the end of validity, ms UTC, of a shown domain that needs attention. All others have the same, later one. */
function endIfUrgent(domain: RankedDomain): number {
  const isUrgent = rankOf(domain) < ATTENTION_REASONS.length;
  return isUrgent && domain.certificate
    ? Date.parse(domain.certificate.expiry_date)
    : Number.MAX_SAFE_INTEGER;
}

async function shownUptimes(
  store: Store,
  { monitors, windowDays, now }: { monitors: readonly Monitor[]; windowDays: number; now: number },
): Promise<(monitor: Monitor) => ShownDomain['uptime']> {
  const percents = await uptimePercents(store, monitors, now);
  const daily = await dailyDowntimes(store, monitors, { days: windowDays, now });
  const noData = Array.from({ length: windowDays }, () => null);
  return ({ id, pausedBy }) =>
    pausedBy === null ? { percent: percents.get(id) ?? null, down_minutes: daily.get(id) ?? noData } : null;
}

function uptimeState({ pausedBy, uptime, downSince }: Monitor): Pick<ShownDomain, 'state' | 'down_since'> {
  if (pausedBy !== null) return { state: 'paused', down_since: null };
  return { state: uptime ?? 'unknown', down_since: uptime === 'down' ? isoOrNull(downSince) : null };
}

/**
 * Returns the certificate as a status page shows it. Returns null if no certificate was read yet, and for a paused domain, whose
 * certificate is no longer checked.
 */
function shownCertificate(monitor: Monitor, now: number): ShownDomain['certificate'] {
  const { certificate, pausedBy } = monitor;
  const state = certificateState(monitor, now);
  if (certificate === null || state === null || pausedBy !== null) return null;
  const { notAfter } = certificate;
  const isWorse = monitor.problem === 'refused' && (state === 'ok' || state === 'soon');
  return {
    state: isWorse ? 'refused' : state,
    days_left: daysLeft(notAfter, now),
    expiry_date: iso(notAfter),
  };
}

const isUnread = ({ certificate, lastCheckedAt, pausedBy }: Monitor) =>
  certificate === null && lastCheckedAt !== null && pausedBy === null;

const BAD_CERTIFICATES = ['expired', 'revoked', 'untrusted', 'refused'];
const isRefused = ({ certificate }: Pick<ShownDomain, 'certificate'>) =>
  BAD_CERTIFICATES.includes(certificate?.state ?? '');

/**
 * Returns the state of the whole page: the worst state of its domains. Ignores certificates that expire soon, because these
 * concern the owner, not the readers.
 */
function worstOf(domains: readonly RankedDomain[]): PublicStatus['state'] {
  if (domains.some(({ state }) => state === 'down')) return 'down';
  if (domains.some(isRefused)) return 'trouble';
  return domains.some(({ state }) => state === 'up') ? 'up' : 'unknown';
}

async function shownIncidents(
  store: Store,
  request: { accountId: string; monitors: Monitor[]; nameOf: (monitor: Monitor) => string; from: number },
): Promise<PublicStatus['incidents']> {
  const { accountId, monitors, nameOf, from } = request;
  const names = new Map(monitors.map((monitor) => [monitor.id, nameOf(monitor)]));
  const incidents = await listDowntime(store, {
    accountId,
    monitorIds: [...names.keys()],
    from,
    max: MAX_INCIDENTS_SHOWN,
  });
  return incidents.map(({ monitorId, startedAt, endedAt }) => ({
    // Nobody can guess the monitor's id, a random UUID, so the hash does not reveal it.
    id: contentHash(`${monitorId} ${startedAt}`),
    name: names.get(monitorId) ?? '',
    started_at: iso(startedAt),
    ended_at: isoOrNull(endedAt),
  }));
}

type CertificateState = Exclude<NonNullable<ShownDomain['certificate']>['state'], 'refused'>;

/**
 * Returns the public state of the certificate last seen; null if none was seen. The first that applies: revoked, expired,
 * untrusted, near expiry. A short-lived certificate whose renewal is not overdue is `ok`.
 */
function certificateState(
  monitor: Pick<Monitor, 'certificate' | 'verdict' | 'onScheduleUntil'>,
  now: number,
): CertificateState | null {
  const { certificate, verdict, onScheduleUntil } = monitor;
  const seen = certificateStateOf(monitor, now);
  if (certificate === null || seen === 'unread') return null;
  // Such a certificate is also untrusted, but these states are more specific.
  if (seen === 'revoked' || seen === 'expired') return seen;
  if (verdict?.reached === true && !verdict.trusted) return 'untrusted';
  return onScheduleUntil !== null && onScheduleUntil > now ? 'ok' : seen;
}

/** Returns the state that the badge shows: the first in the order of `ATTENTION_REASONS` of those that a badge has words for. */
export function badgeState(monitor: Monitor, now: number): BadgeState {
  if (monitor.pausedBy !== null) return { state: 'paused' };
  const state = certificateState(monitor, now);
  if (state === 'revoked' || state === 'expired' || state === 'untrusted') return { state };
  if (monitor.uptime === 'down') return { state: 'down' };
  if (state === null || monitor.certificate === null) return { state: 'unknown' };
  return { state: state === 'ok' ? 'valid' : state, daysLeft: daysLeft(monitor.certificate.notAfter, now) };
}
