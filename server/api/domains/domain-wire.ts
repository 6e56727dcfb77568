import type { UserWire } from '../../../contract/account.ts';
import { expiryState } from '../../../contract/state/badge.ts';
import { attentionReason, type DomainState } from '../../../contract/words.ts';
import type { DomainWire, FindingWire, HistoryEntryWire, SummaryWire } from '../../../contract/domain.ts';
import { currentZoneName } from '../../../contract/time-zone.ts';
import { expectedRenewal, isShortLived, type Renewable, renewalOverdueAt } from '../../core/alert-steps.ts';
import { isHeldBack } from '../../core/check/uptime.ts';
import { displayName } from '../../core/endpoint.ts';
import { findingMessage, isOfEachAddress, shortLine } from '../../core/report/describe-finding.ts';
import { failureSentence } from '../../core/report/reach-finding.ts';
import { describeTarget, readTarget } from '../../core/target.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Summary } from '../../store/monitors/monitor-summary.ts';
import type { Store } from '../../store/db/open-store.ts';
import { downCauses, uptimePercents } from '../../store/checks/downtime.ts';
import type { HistoryEntry } from '../../store/checks/certificate-history.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';

/** Formats an instant (ms UTC) as ISO 8601 in UTC, the format of the API. */
export const iso = (instant: number): string => new Date(instant).toISOString();
export const isoOrNull = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : iso(instant);

/** Message for names that resolve to an address that the policy refuses. It must not reveal the address. */
export const REFUSED_HOST = 'The address policy of this server does not allow checking this host.';

export function userWire(account: Account): UserWire {
  return {
    id: account.id,
    email: account.email,
    full_name: account.fullName,
    photo_url: account.photoUrl,
    paddle_id: account.paddleId,
    company_name: account.companyName,
    // An account may have an outdated zone name in the database.
    time_zone: currentZoneName(account.timeZone),
  };
}

/**
 * Maps a monitor to the wire format of a domain. `now` is ms UTC. `uptimePercent` and `downCause` are null in calls that do not query
 * them.
 */
export function domainWire(
  monitor: Monitor,
  {
    now,
    uptimePercent = null,
    downCause = null,
  }: { now: number; uptimePercent?: number | null | undefined; downCause?: string | null | undefined },
): DomainWire {
  const { certificate, verdict } = monitor;
  const waiting = waitingOf(monitor);
  return {
    id: monitor.id,
    hostname: monitor.host,
    port: monitor.port,
    protocol: monitor.protocol,
    target: targetWire(monitor.target),
    display_name: displayName(monitor),
    state: stateOf(monitor, now),
    issuer: certificate?.issuer ?? null,
    subject: certificate?.subject ?? null,
    valid_from: isoOrNull(certificate?.notBefore),
    expiry_date: isoOrNull(certificate?.notAfter),
    last_checked_at: isoOrNull(monitor.lastCheckedAt),
    authority_name: certificate?.authorityName ?? null,
    authority_full_dn: certificate?.authorityFullDn ?? null,
    authority_url: certificate?.authorityUrl ?? null,
    fingerprint: certificate?.fingerprint ?? null,
    renewal_from: renewalWire(monitor)?.from ?? null,
    is_revoked: verdict?.revocation.state === 'revoked',
    revocation: revocationWire(verdict),
    renewal: renewalWire(monitor),
    next_renewal: nextRenewalWire(monitor),
    weakest_link: weakestLink(verdict),
    uptime: {
      state: monitor.uptime,
      checks: monitor.recentChecks,
      percent: uptimePercent,
      response_ms: monitor.responseMs,
      cause: monitor.uptime === 'down' ? downCause : null,
      down_since: isoOrNull(monitor.downSince),
    },
    trusted: verdict?.reached ? verdict.trusted : null,
    refused: monitor.problem === 'refused',
    attention: attentionOf(monitor, now),
    findings: findingsWire(verdict, displayName(monitor)),
    unreachable: unreachableWire(monitor),
    // A new monitor is due at once, so show it as being checked.
    checking:
      monitor.pausedBy === null && waiting === null && (monitor.checking || monitor.lastCheckedAt === null),
    waiting,
    paused: monitor.pausedBy,
    notes: monitor.notes,
    tags: monitor.tags,
    favicon:
      monitor.faviconVersion === null
        ? null
        : `/api/domain/${monitor.id}/favicon?v=${monitor.faviconVersion}`,
    check_every_minutes: monitor.checkEveryMinutes,
    next_check_at: iso(monitor.nextCheckAt),
    created_at: iso(monitor.createdAt),
  };
}

export function historyEntryWire(entry: HistoryEntry): HistoryEntryWire {
  const { facts } = entry;
  return {
    id: entry.id,
    fingerprint: entry.fingerprint,
    issuer: facts.issuer,
    subject: facts.subject,
    valid_from: iso(facts.notBefore),
    expiry_date: iso(facts.notAfter),
    authority_name: facts.authorityName,
    authority_full_dn: facts.authorityFullDn,
    authority_url: facts.authorityUrl,
    sans: facts.sans,
    first_seen_at: iso(entry.firstSeenAt),
    last_seen_at: iso(entry.lastSeenAt),
    kept: entry.derIsKept,
  };
}

export function summaryWire(summary: Summary): SummaryWire {
  const { total, counts, onSchedule, attention, renewalFails, tags, expiries, problems } = summary;
  const shared = new Set(
    expiries.flatMap(({ count, certificateCount, fingerprint }) =>
      count > 1 && certificateCount === 1 ? fingerprint : [],
    ),
  );
  const ifShared = (fingerprint: string | null) =>
    fingerprint !== null && shared.has(fingerprint) ? fingerprint : null;
  return {
    total,
    counts,
    on_schedule: onSchedule,
    renewal_fails: renewalFails,
    attention: {
      ...attention,
      first: attention.first.map((monitor) => ({
        id: monitor.id,
        hostname: monitor.host,
        display_name: displayName(monitor),
        reason: monitor.reason,
        not_after: isoOrNull(monitor.notAfter),
      })),
    },
    tags,
    expiries: expiries.map((expiry) => ({
      id: expiry.id,
      hostname: expiry.host,
      display_name: displayName(expiry),
      not_after: iso(expiry.notAfter),
      valid_from: isoOrNull(expiry.notBefore),
      state: expiry.state,
      on_schedule: expiry.renewalDueAt !== null,
      renewal_due_at: isoOrNull(expiry.renewalDueAt),
      count: expiry.count,
      certificate_count: expiry.certificateCount,
      fingerprint: ifShared(expiry.fingerprint),
    })),
    problems: problems.map((problem) => ({
      id: problem.id,
      hostname: problem.host,
      display_name: displayName(problem),
      state: problem.state,
      kind: problem.kind,
      message: problem.message,
      fingerprint: ifShared(problem.fingerprint),
    })),
  };
}

function findingsWire(verdict: Verdict | null, host: string): FindingWire[] {
  const answered = verdict?.addresses.filter(({ failure }) => failure === null).length ?? 0;
  return (verdict?.findings ?? []).map((finding) => {
    const { code, severity, addresses } = finding;
    const message = findingMessage(finding, host);
    const isOfSome = isOfEachAddress(finding) && addresses.length < answered;
    return {
      code,
      severity,
      message,
      short: shortLine(finding),
      addresses,
      ...(isOfSome && { of_addresses: answered }),
    };
  });
}

/** Maps the revocation state and its source to wire format. The report lists every source that was queried. */
export function revocationWire(verdict: Verdict | null): DomainWire['revocation'] {
  return {
    state: verdict?.revocation.state ?? 'unknown',
    source: verdict?.revocation.source ?? null,
    checked_at: isoOrNull(verdict?.revocation.at),
    reason: verdict?.revocation.reason ?? null,
    revoked_at: isoOrNull(verdict?.revocation.revokedAt),
  };
}

/** Returns the renewal window of the certificate last read; null if no certificate was read. */
export function renewalWire({
  certificate,
  verdict,
}: Pick<Monitor, 'verdict'> & { certificate: Renewable | null }): DomainWire['renewal'] {
  if (certificate === null) return null;
  const { from, to, source, explanationUrl, overdueAt } = verdict?.renewal ?? {
    ...expectedRenewal(certificate),
    source: certificate.renewalWindow ? ('ari' as const) : ('lifetime' as const),
    explanationUrl: null,
    overdueAt: renewalOverdueAt(certificate),
  };
  return {
    from: iso(from),
    to: iso(to),
    overdue_at: isoOrNull(overdueAt),
    is_short_lived: isShortLived(certificate),
    source,
    explanation_url: explanationUrl,
  };
}

/** Returns the forecast of the next renewal; null without one. */
export function nextRenewalWire({ nextRenewal }: Pick<Monitor, 'nextRenewal'>): DomainWire['next_renewal'] {
  if (nextRenewal === null) return null;
  const { outcome, line, expectedAt } = nextRenewal;
  return { outcome, line, expected_at: iso(expectedAt) };
}

function weakestLink(verdict: Verdict | null): DomainWire['weakest_link'] {
  const limiting = verdict?.limiting ?? null;
  return limiting?.role === 'intermediate'
    ? { name: limiting.name, expiry_date: iso(limiting.notAfter) }
    : null;
}

/** Maps the target of an endpoint to wire format; null if it has none. */
export function targetWire(target: string | undefined): DomainWire['target'] {
  const summary = describeTarget(target);
  if (summary === null) return null;
  const { connect_to, server_name, verify_name, expected_status, family } = readTarget(target);
  return {
    connect_to: connect_to ?? null,
    server_name: server_name ?? null,
    verify_name: verify_name ?? null,
    expected_status: expected_status ?? null,
    family: family ?? null,
    summary,
  };
}

/** Returns why the last check was postponed and when it is repeated; null if it was not postponed. */
function waitingOf(monitor: Monitor): DomainWire['waiting'] {
  if (monitor.pausedBy !== null || monitor.checking || !isHeldBack(monitor)) return null;
  return { reason: 'own_network', until: iso(monitor.nextCheckAt) };
}

function attentionOf(monitor: Monitor, now: number): DomainWire['attention'] {
  const { problem, uptime, onScheduleUntil } = monitor;
  return attentionReason({
    state: stateOf(monitor, now),
    isDown: uptime === 'down',
    problem,
    isOnSchedule: onScheduleUntil !== null && onScheduleUntil > now,
  });
}

function stateOf({ certificate, verdict, lastCheckedAt, pausedBy }: Monitor, now: number): DomainState {
  if (pausedBy !== null) return 'paused';
  return certificate === null && lastCheckedAt === null
    ? 'pending'
    : certificateStateOf({ certificate, verdict }, now);
}

/** Returns the state at `now` (ms UTC) of the certificate that the last finished check read; 'unread' if it read none. */
export function certificateStateOf(
  { certificate, verdict }: Pick<Monitor, 'verdict'> & { certificate: { notAfter: number } | null },
  now: number,
) {
  if (certificate === null) return 'unread';
  if (verdict?.revocation.state === 'revoked') return 'revoked';
  return expiryState(certificate.notAfter, now);
}

/** Returns whether a check found that the name resolves to an address that the policy refuses. */
export function isRefusedByPolicy({ verdict }: { verdict: Verdict | null }): boolean {
  return verdict?.failure?.stage === 'policy' || verdict?.failure?.reason === 'address_refused';
}

/**
 * Returns why the last check failed; null if it did not fail. If the policy refuses an address, the message does not reveal it.
 */
export function unreachableWire(monitor: Monitor): DomainWire['unreachable'] {
  const { verdict, unreachableSince, lastCheckedAt } = monitor;
  if (!verdict?.failure) return null;
  const { stage, reason } = verdict.failure;
  const message = stage === 'policy' ? REFUSED_HOST : failureSentence(verdict.failure, displayName(monitor));
  const since = unreachableSince ?? lastCheckedAt ?? verdict.observedAt;
  return { stage, reason, message, since: iso(since) };
}

/**
 * Maps monitors of one account to wire format, with the uptime percentage over the days that its plan includes, and why they are down.
 * `now` is ms UTC.
 */
export async function domainWires(
  store: Store,
  monitors: readonly Monitor[],
  now: number,
): Promise<DomainWire[]> {
  const percents = await uptimePercents(store, monitors, now);
  const causes = await downCauses(store, monitors);
  return monitors.map((monitor) => {
    const { id } = monitor;
    return domainWire(monitor, { now, uptimePercent: percents.get(id), downCause: causes.get(id) });
  });
}

/** Maps one monitor to wire format, like `domainWires`. */
export async function oneDomainWire(store: Store, monitor: Monitor, now: number): Promise<DomainWire> {
  const [wire] = await domainWires(store, [monitor], now);
  return wire ?? domainWire(monitor, { now });
}
