import { CALLS } from '../../../contract/calls/calls.ts';
import { type DomainMetrics, readDomainMetrics } from '../../store/accounts/account-metrics.ts';
import { onReplica } from '../../store/db/replica.ts';
import { createAnswerCache } from '../http/answer-cache.ts';
import type { Api, AppParts } from '../http/api.ts';
import { countMonitors } from '../../store/monitors/monitors.ts';
import { displayName } from '../../core/endpoint.ts';
import { DAY_MS, SECOND_MS } from '../../../contract/durations.ts';

/** Time in ms for which an account's metrics are cached, however often they are read. */
const CACHE_MS = 10_000;
/** Maximum number of domains in an answer. 10,000 domains make about 9 MB of text. */
const MAX_DOMAINS = 10_000;
const MAX_CACHED_CHARACTERS = 32_000_000;
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves an account's metrics to Prometheus. */
export function accountMetricsRoute(api: Api, { store, clock }: AppParts): void {
  const cache = createAnswerCache<string>({
    clock,
    cacheMs: CACHE_MS,
    maxWeight: MAX_CACHED_CHARACTERS,
    weigh: (text) => text.length,
  });
  api.on(CALLS.accountMetrics, async ({ c, session: { account }, now }) => {
    const text = await cache.get(account.id, async () => {
      const domains = await readDomainMetrics(onReplica(store), {
        accountId: account.id,
        max: MAX_DOMAINS,
      });
      const total = domains.length < MAX_DOMAINS ? domains.length : await countMonitors(store.db, account.id);
      return accountMetricsText(domains, { total, now });
    });
    return c.body(text, 200, { 'Content-Type': PROMETHEUS_TEXT });
  });
}

/**
 * Renders domains in Prometheus text format (version 0.0.4), gauge by gauge. `total` is the account's number of
 * domains, which may be more than `domains` contains. `now` is ms UTC.
 */
export function accountMetricsText(
  domains: readonly DomainMetrics[],
  { total, now }: { total: number; now: number },
): string {
  const lines = [
    '# HELP certlantern_domains Domains of the account.',
    '# TYPE certlantern_domains gauge',
    `certlantern_domains ${total}`,
  ];
  const labels = domains.map((domain) => `{domain="${escaped(displayName(domain))}"}`);
  for (const { name, help, value } of GAUGES) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    domains.forEach((domain, index) => {
      const known = value(domain, now);
      if (known !== null) lines.push(`${name}${labels[index]} ${known}`);
    });
  }
  return `${lines.join('\n')}\n`;
}

/** Escapes a label's value: backslash, double quote and line feed. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`);

interface Gauge {
  name: string;
  help: string;
  /** Returns the value for a domain; null if it is unknown, so that the text has no sample for the domain. */
  value: (domain: DomainMetrics, now: number) => number | null;
}

const orNull = <T>(value: T | null, of: (known: T) => number): number | null =>
  value === null ? null : of(value);

/**
 * Returns 1 if the certificate is valid, else 0; null if that is unknown. Returns 0 for an expired or revoked certificate even if
 * the last check did not reach the host.
 */
function valid({ notAfter, revoked, trusted }: DomainMetrics, now: number): number | null {
  if (notAfter === null) return null;
  if (revoked || notAfter < now) return 0;
  return orNull(trusted, Number);
}

const GAUGES: Gauge[] = [
  {
    name: 'certlantern_domain_certificate_days_left',
    help: 'Days until the last seen certificate expires; negative after its expiry.',
    value: ({ notAfter }, now) => orNull(notAfter, (at) => Math.round(((at - now) / DAY_MS) * 1_000) / 1_000),
  },
  {
    name: 'certlantern_domain_certificate_not_after_seconds',
    help: 'When the last seen certificate expires, in seconds since 1970 (UTC).',
    value: ({ notAfter }) => orNull(notAfter, (at) => Math.floor(at / SECOND_MS)),
  },
  {
    name: 'certlantern_domain_certificate_valid',
    help: 'Whether the certificate is trusted, covers this name, is within its validity period and not revoked.',
    value: valid,
  },
  {
    name: 'certlantern_domain_certificate_revoked',
    help: 'Whether its authority says, in a signed response, that the certificate is revoked.',
    value: ({ notAfter, revoked }) => (notAfter === null ? null : Number(revoked)),
  },
  {
    name: 'certlantern_domain_up',
    help: 'Whether the domain is up; changes are confirmed by a second check. Absent while paused or unknown.',
    value: ({ isPaused, uptime }) =>
      isPaused || uptime === null || uptime === 'unknown' ? null : Number(uptime === 'up'),
  },
  {
    name: 'certlantern_domain_response_seconds',
    help: 'Response time of the last check.',
    value: ({ responseMs }) => orNull(responseMs, (ms) => ms / SECOND_MS),
  },
  {
    name: 'certlantern_domain_last_check_age_seconds',
    help: 'Time since the last check ended.',
    value: ({ lastCheckedAt }, now) =>
      orNull(lastCheckedAt, (at) => Math.max(0, Math.round((now - at) / SECOND_MS))),
  },
  {
    name: 'certlantern_domain_paused',
    help: 'Whether its checks are paused, by its owner or by the plan.',
    value: ({ isPaused }) => Number(isPaused),
  },
];
