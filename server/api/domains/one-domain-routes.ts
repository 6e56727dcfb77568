import { CALLS } from '../../../contract/calls/calls.ts';
import { count, grouped, PAGE_SIZE } from '../../../contract/words.ts';
import { type PresentedCertificate, readChain } from '../../core/facts.ts';
import { dailyQuotaKb, type LimitName, type Limits } from '../../core/limits.ts';
import { countMonitors, findMonitor, removeMonitor } from '../../store/monitors/monitors.ts';
import type { Api, AppParts } from '../http/api.ts';
import { readTimeCursor, writeCursor } from '../http/cursor.ts';
import { DOMAIN_REFUSALS } from './domain-refusals.ts';
import { domainWire, historyEntryWire, iso, isoOrNull, oneDomainWire } from './domain-wire.ts';
import { Refusal, refuse } from '../http/problem.ts';
import type { ChainCertificateWire } from '../../../contract/domain.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { faviconOf } from '../../store/monitors/favicons.ts';
import { uptimeHistory, type UptimeHistory } from '../../store/checks/uptime.ts';
import type { UptimeWire } from '../../../contract/uptime.ts';
import {
  certificateHistory,
  lastStorageLimit,
  presentedChain,
} from '../../store/checks/certificate-history.ts';
import { updateDescription } from '../../store/monitors/monitor-change.ts';

/** Time in ms for which the history mentions that a certificate was not stored. */
const NOT_KEPT_SHOWN_MS = 30 * DAY_MS;

export function oneDomainRoutes(api: Api, { store, config }: AppParts): void {
  api.on(CALLS.domain, async ({ params, session, now }) => {
    const monitor = await findMonitor(store, { accountId: session.account.id, monitorId: params.id });
    return monitor === null ? DOMAIN_REFUSALS.notFound() : { data: await oneDomainWire(store, monitor, now) };
  });

  api.on(CALLS.describeDomain, async ({ params, body, session, now }) => {
    const described = await updateDescription(store, {
      accountId: session.account.id,
      monitorId: params.id,
      describe: ({ notes, tags }) => ({ notes: body.notes ?? notes, tags: body.tags ?? tags }),
    });
    return described.ok
      ? { data: await oneDomainWire(store, described.monitor, now) }
      : DOMAIN_REFUSALS.notFound();
  });

  api.on(CALLS.removeDomain, async ({ params, session, now }) => {
    const removed = await removeMonitor(store, { accountId: session.account.id, monitorId: params.id, now });
    return removed === null ? DOMAIN_REFUSALS.notFound() : { data: domainWire(removed, { now }) };
  });

  api.on(CALLS.domainHistory, async ({ params, query, session, now }) => {
    const after = readTimeCursor(query.cursor);
    if (after instanceof Refusal) return after;
    const accountId = session.account.id;
    const isUnpaged = after === null && query.limit === undefined;
    const limit = query.limit ?? PAGE_SIZE;
    // Sort pages by first seen: last seen may change between two pages. Read one row more, to know whether another page follows.
    const range = isUnpaged ? null : { after, limit: limit + 1 };
    const key = { accountId, monitorId: params.id };
    const entries = await certificateHistory(store, key, range);
    if (entries === null) return DOMAIN_REFUSALS.notFound();
    const unkept = await lastStorageLimit(store, key);
    const isRecent = unkept !== null && now - unkept.at < NOT_KEPT_SHOWN_MS;
    const data = isUnpaged ? entries : entries.slice(0, limit);
    const last = data.length < entries.length ? data.at(-1) : undefined;
    return {
      data: data.map(historyEntryWire),
      next_cursor: last ? writeCursor({ at: last.firstSeenAt, id: last.id }) : null,
      not_kept: isRecent
        ? notKeptSentence(config.limits, unkept.limit, await countMonitors(store.db, accountId))
        : null,
    };
  });

  api.on(CALLS.domainChain, async ({ params, session }) => {
    const ders = await presentedChain(store, { accountId: session.account.id, monitorId: params.id });
    return ders === null ? DOMAIN_REFUSALS.notFound() : { data: readChain(ders).map(chainCertificateWire) };
  });
}

/**
 * Returns a sentence about the limit that prevented certificates from being stored. `domains` is the account's number
 * of domains.
 */
function notKeptSentence(limits: Limits, limit: LimitName, domains: number): string {
  const { certificatesPerDomain, storedKbPerCheck } = limits;
  if (limit === 'certificatesPerDomain')
    return `The limit of ${count(certificatesPerDomain, 'certificate')} per domain is reached. We keep only the names and dates of the oldest ones.`;
  if (limit === 'storedKbPerCheck')
    return `The limit of ${grouped(storedKbPerCheck)} kB per check is reached: this host sends very large certificates. We keep only the names and dates of some.`;
  const kb = grouped(dailyQuotaKb(limits, domains));
  return `The limit of ${kb} kB per day is reached: the certificates of your domains change at nearly every check. We do not keep all of them. Checks and alerts continue.`;
}

function chainCertificateWire(certificate: PresentedCertificate): ChainCertificateWire {
  return {
    fingerprint: certificate.fingerprint,
    role: certificate.role,
    subject: certificate.subject,
    subject_full_dn: certificate.subjectFullDn,
    issuer: certificate.issuer,
    issuer_full_dn: certificate.authorityFullDn,
    serial_number: certificate.serialNumber,
    valid_from: new Date(certificate.notBefore).toISOString(),
    expiry_date: new Date(certificate.notAfter).toISOString(),
    public_key: certificate.publicKey,
    sans: certificate.sans,
    pem: certificate.pem,
  };
}

/** Serves the icon of a site, which a worker has fetched, so that the browser contacts no other host. */
export function faviconRoutes(api: Api, { store }: AppParts): void {
  api.on(CALLS.domainFavicon, async ({ c, params, session }) => {
    const icon = await faviconOf(store, { accountId: session.account.id, monitorId: params.id });
    if (icon === null) return refuse('not_found', 'There is no icon.');
    const isVersioned = c.req.query('v') === icon.version;
    return c.body(Buffer.from(icon.content), 200, {
      'Content-Type': icon.contentType,
      'Cache-Control': `private, max-age=86400${isVersioned ? ', immutable' : ''}`,
      // The icon is untrusted and comes from our own origin, so forbid type sniffing and scripts.
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
  });
}

export function domainUptimeRoute(api: Api, { store }: AppParts): void {
  api.on(CALLS.domainUptime, async ({ params, session, now }) => {
    const history = await uptimeHistory(store, {
      accountId: session.account.id,
      monitorId: params.id,
      now,
    });
    return history === null ? DOMAIN_REFUSALS.notFound() : { data: uptimeWire(history) };
  });
}

function uptimeWire(history: UptimeHistory): UptimeWire {
  return {
    state: history.state,
    percent: history.percent,
    window_days: history.windowDays,
    since: isoOrNull(history.since),
    checks: history.checks.map(({ at, state, responseMs, message }) => ({
      at: iso(at),
      state,
      response_ms: responseMs,
      message,
    })),
    incidents: history.incidents.map(({ id, startedAt, endedAt, cause, message }) => ({
      id,
      started_at: iso(startedAt),
      ended_at: isoOrNull(endedAt),
      cause,
      message,
    })),
    response_times: history.responseTimes.map(({ at, averageMs, slowestMs }) => ({
      at: iso(at),
      average_ms: averageMs,
      slowest_ms: slowestMs,
    })),
  };
}
