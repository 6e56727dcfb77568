import { daysLeft } from '../../../contract/badge.ts';
import {
  MAX_INCIDENTS_SHOWN,
  MAX_SHOWN,
  type PublicStatus,
  type ShownDomain,
} from '../../../contract/status-page.ts';
import { displayName, entitlementAt, uptimeWindowDays } from '../../core/index.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import {
  listDowntime,
  listPageMonitors,
  type StatusPageChoices,
} from '../../store/publishing/status-pages.ts';
import { uptimePercents } from '../../store/checks/uptime.ts';
import { iso, isoOrNull, certificateStateOf } from '../domains/domain-wire.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import type { BadgeState } from './badge-svg.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';

/**
 * Returns the content of a status page with these settings. Only fields named here become public: no id, note, tag or IP
 * address.
 */
export async function publicStatus(
  store: Store,
  { accountId, choices, now }: { accountId: string; choices: StatusPageChoices; now: number },
): Promise<PublicStatus> {
  const { monitors, more } = await listPageMonitors(store, { accountId, choices, max: MAX_SHOWN, now });
  const labels = new Map(choices.domains.map(({ id, label }) => [id, label]));
  const nameOf = (monitor: Monitor) => labels.get(monitor.id) || displayName(monitor);
  const percents = choices.showUptime ? await uptimePercents(store, monitors, now) : null;
  const windowDays = await windowOf(store, accountId, now);
  const domains = monitors.map((monitor) => ({
    name: nameOf(monitor),
    ...uptimeState(monitor),
    certificate: choices.showCertificates ? shownCertificate(monitor, now) : null,
    uptime:
      percents && monitor.pausedBy === null
        ? { percent: percents.get(monitor.id) ?? null, checks: monitor.recentChecks }
        : null,
  }));
  return {
    title: choices.title,
    state: worstOf(domains),
    window_days: windowDays,
    checked_at: isoOrNull(Math.max(0, ...monitors.map(({ lastCheckedAt }) => lastCheckedAt ?? 0)) || null),
    domains: choices.shows === 'chosen' ? domains : domains.toSorted(byName),
    more,
    incidents: choices.showIncidents
      ? await shownIncidents(store, { accountId, monitors, nameOf, from: now - windowDays * DAY_MS })
      : null,
  };
}

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en');

async function windowOf(store: Store, accountId: string, now: number): Promise<number> {
  const account = await findAccount(store, accountId);
  return uptimeWindowDays(account ? entitlementAt(store, account.entitlement, now).plan : 'free');
}

function uptimeState({ pausedBy, uptime, downSince }: Monitor): Pick<ShownDomain, 'state' | 'down_since'> {
  if (pausedBy !== null) return { state: 'paused', down_since: null };
  return { state: uptime ?? 'unknown', down_since: uptime === 'down' ? isoOrNull(downSince) : null };
}

/**
 * Returns the certificate as a status page shows it; null if none was read yet. Also returns null for a paused domain,
 * whose certificate is no longer checked.
 */
function shownCertificate(monitor: Monitor, now: number): ShownDomain['certificate'] {
  const { certificate, pausedBy } = monitor;
  const state = certificateState(monitor, now);
  if (certificate === null || state === null || pausedBy !== null) return null;
  const { notAfter } = certificate;
  return { state, days_left: daysLeft(notAfter, now), expiry_date: iso(notAfter) };
}

const BAD_CERTIFICATES = ['expired', 'revoked', 'untrusted'];

/**
 * Returns the state of the whole page, the worst of its domains. Ignores certificates that expire soon: they concern the
 * owner, not the readers.
 */
function worstOf(domains: readonly Pick<ShownDomain, 'state' | 'certificate'>[]): PublicStatus['state'] {
  if (domains.some(({ state }) => state === 'down')) return 'down';
  if (domains.some(({ certificate }) => BAD_CERTIFICATES.includes(certificate?.state ?? '')))
    return 'trouble';
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
    name: names.get(monitorId) ?? '',
    started_at: iso(startedAt),
    ended_at: isoOrNull(endedAt),
  }));
}

type CertificateState = NonNullable<ShownDomain['certificate']>['state'];

/**
 * Returns the public state of the certificate last seen; null if none was read yet. Revoked takes precedence over expired,
 * expired over untrusted, and untrusted over a near expiry.
 */
function certificateState(
  monitor: Pick<Monitor, 'certificate' | 'verdict'>,
  now: number,
): CertificateState | null {
  const seen = certificateStateOf(monitor, now);
  if (seen === 'unread') return null;
  // Such a certificate is also untrusted, but these states are more specific.
  if (seen === 'revoked' || seen === 'expired') return seen;
  const isRefused = monitor.verdict?.reached === true && !monitor.verdict.trusted;
  return isRefused ? 'untrusted' : seen;
}

/**
 * Returns the state that the badge shows. Problems that turn visitors away now take precedence over a near expiry.
 */
export function badgeState(monitor: Monitor, now: number): BadgeState {
  if (monitor.pausedBy !== null) return { state: 'paused' };
  const state = certificateState(monitor, now);
  if (state === 'revoked' || state === 'expired') return { state };
  if (monitor.uptime === 'down') return { state: 'down' };
  if (state === null || monitor.certificate === null) return { state: 'unknown' };
  if (state === 'untrusted') return { state };
  return { state: state === 'ok' ? 'valid' : state, daysLeft: daysLeft(monitor.certificate.notAfter, now) };
}
