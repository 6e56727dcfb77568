import { CALLS } from '../../../contract/calls/calls.ts';
import { displayName, normaliseEndpoint } from '../../core/endpoint.ts';
import { isSensitive } from '../../core/protocol.ts';
import { failureSentence, whatHappenedAt } from '../../core/report/reach-finding.ts';
import { type Report, reportFindings } from '../../core/report/report.ts';
import {
  type PreviewResult,
  readPreviewResult,
  removePreview,
  requestPreview,
} from '../../store/checks/preview-checks.ts';
import { countProbedPort } from '../../store/monitors/misuse.ts';
import { inTransaction } from '../../store/db/transaction.ts';
import { type Api, type AppParts, endpointPolicy } from '../http/api.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { DOMAIN_REFUSALS } from './domain-refusals.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { byClient, countAll, type RateLimit } from '../http/rate-limit.ts';
import { waitForSignal } from '../http/wait-for-signal.ts';
import {
  certificateStateOf,
  iso,
  isoOrNull,
  isRefusedByPolicy,
  REFUSED_HOST,
  renewalWire,
  revocationWire,
} from './domain-wire.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import type { PreviewCheckWire } from '../../../contract/preview-check.ts';

/**
 * Limits per client, because each check contacts a host that a stranger chose. One network prefix can use up at most half of
 * `IN_TOTAL`.
 */
const BY_CLIENT = {
  minute: { address: { count: 10, windowMs: MINUTE_MS }, prefix: { count: 30, windowMs: MINUTE_MS } },
  hour: { address: { count: 60, windowMs: HOUR_MS }, prefix: { count: 300, windowMs: HOUR_MS } },
};
const IN_TOTAL = { minute: { count: 60, windowMs: MINUTE_MS }, hour: { count: 1_000, windowMs: HOUR_MS } };

/**
 * Serves preview checks for people without an account. A worker runs each check, and its result is deleted after the
 * answer.
 */
export function previewCheckRoutes(api: Api, parts: AppParts): void {
  const { store, config, policy, timing, clock, readiness } = parts;
  const hosts = endpointPolicy({ policy });

  api.on(CALLS.glance, async ({ c, body, now }) => {
    c.header('Cache-Control', 'no-store');
    if (!config.tryIt) return refuse('not_found', 'Checks without an account are switched off here.');
    const normalised = normaliseEndpoint(body.host, hosts);
    if (!normalised.ok) return refuse('invalid_host', normalised.message);
    if (isSensitive(normalised.endpoint))
      return refuse(
        'host_refused',
        'Checking ports of databases, caches and administration requires an account.',
      );
    const client = c.get('client');
    const counted = await countAll(store, now, limits(client));
    if (counted instanceof Refusal) return counted;
    const { host, port, protocol } = normalised.endpoint;
    const max = config.limits.portsPerHost;
    const portCount = await inTransaction(store, (trx) =>
      countProbedPort(trx, { who: client.prefix, host, port, max, now }),
    );
    if (!portCount.allowed) return DOMAIN_REFUSALS.tooManyPorts(config.limits, portCount.retryAfterMs);

    let previewId: string | null = null;
    const waiter = waitForSignal(
      store,
      (signal) => signal.topic === 'glance' && signal.glanceId === previewId,
    );
    try {
      const id = await requestPreview(store, { host, port, protocol, now });
      previewId = id;
      const answer = await waiter.until(() => readPreviewResult(store, id), {
        timeoutMs: timing.previewMs,
        signal: AbortSignal.any([c.req.raw.signal, readiness.draining]),
      });
      if (answer === null)
        return refuse('unavailable', 'The report was not ready in time. Please try again in a moment.');
      if (isRefusedByPolicy(answer)) return refuse('host_refused', REFUSED_HOST);
      return { data: previewWire({ host, port, protocol }, answer, clock.now()) };
    } finally {
      waiter.stop();
      if (previewId !== null) await removePreview(store, previewId);
    }
  });
}

function limits(client: ClientAddress): [key: string, limit: RateLimit][] {
  return [
    ...byClient('try:minute', client, BY_CLIENT.minute),
    ...byClient('try:hour', client, BY_CLIENT.hour),
    ['try:minute', IN_TOTAL.minute],
    ['try:hour', IN_TOTAL.hour],
  ];
}

type PreviewedEndpoint = Report['endpoint'];

/** Maps a preview check to wire format. `now` is ms UTC. */
function previewWire(
  endpoint: PreviewedEndpoint,
  { verdict, leaf, chain, names, outage }: PreviewResult,
  now: number,
): PreviewCheckWire {
  return {
    hostname: endpoint.host,
    port: endpoint.port,
    display_name: displayName(endpoint),
    state: certificateStateOf({ certificate: leaf, verdict }, now),
    issuer: leaf?.issuer ?? null,
    subject: leaf?.subject ?? null,
    valid_from: isoOrNull(leaf?.notBefore),
    expiry_date: isoOrNull(leaf?.notAfter),
    authority_name: leaf?.authorityName ?? null,
    fingerprint: leaf?.fingerprint ?? null,
    renewal_from: isoOrNull(verdict.renewal?.from),
    renewal: renewalWire({ certificate: leaf, verdict }),
    trusted: verdict.reached ? verdict.trusted : null,
    findings: findingsWire(endpoint, { verdict, outage }),
    revocation: revocationWire(verdict),
    revocation_sources: verdict.revocation.sources.map(({ source, state }) => ({ source, state })),
    unreachable: verdict.failure && {
      stage: verdict.failure.stage,
      reason: verdict.failure.reason,
      message: failureSentence(verdict.failure, displayName(endpoint)),
      since: iso(verdict.observedAt),
    },
    sans: leaf?.sans ?? [],
    sans_total: names,
    chain: chain.map(({ subject, issuer, notAfter }) => ({ subject, issuer, expiry_date: iso(notAfter) })),
    addresses: verdict.addresses.map((seen) => ({
      address: seen.address,
      tls_version: seen.tlsVersion,
      failure: whatHappenedAt(seen),
    })),
    checked_at: iso(verdict.observedAt),
  };
}

/**
 * Maps findings to wire format. Adds one first if the host is down although a certificate was read. Removes attachments, because
 * a preview check cannot offer files, and the advice must not say "send this file".
 */
function findingsWire(
  endpoint: PreviewedEndpoint,
  { verdict, outage }: Pick<PreviewResult, 'verdict' | 'outage'>,
): PreviewCheckWire['findings'] {
  const findings = verdict.findings.map((finding) => ({ ...finding, attachment: null }));
  const state = outage === null ? null : 'down';
  const uptime = { state, cause: outage, downSince: null, percent: null, windowDays: null } as const;
  return reportFindings({ endpoint, verdict: { ...verdict, findings, failure: null }, uptime }).map(
    ({ code, severity, message, addresses, clients, fix, command }) => ({
      code,
      severity,
      message,
      addresses,
      clients: [...clients],
      fix,
      command,
    }),
  );
}
