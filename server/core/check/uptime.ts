import type { Plan } from '../plan.ts';
import type { FailedObservation, HandshakeObservation, Observation, ReachFailure } from '../observation.ts';
import {
  countsAsDownAt,
  mostTellingFailure,
  type PreviousResult,
  temporarilyRefusedSince,
} from '../telling-failure.ts';
import { displayName } from '../endpoint.ts';
import { isExpectedStatus } from '../expected-status.ts';
import { effectiveTarget } from '../target.ts';
import type { Verdict } from '../verdict.ts';
import { failureSentence } from '../report/reach-finding.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Availability of an endpoint; `unknown` if a problem on our side hides it, or the server asks to come back later. */
export type Uptime = 'up' | 'down' | 'unknown';

/** The reason why an endpoint counts as down: a stable code, and a sentence for people. */
export interface DownCause {
  code: string;
  message: string;
}

/** The result of a single check, without regard to earlier ones. */
export interface UptimeAssessment {
  state: Uptime;
  /**
   * Time in ms to the HTTP response if there was one, else to the end of the handshake; null if unknown, or down without a
   * response.
   */
  responseMs: number | null;
  /** The reason for `down`, or for `unknown` after a temporary refusal; else null. */
  cause: DownCause | null;
  /** After a temporary refusal: when it begins to count as `down`, ms UTC. */
  downAt?: number;
}

const UNKNOWN: UptimeAssessment = { state: 'unknown', responseMs: null, cause: null };

/** Codes of node:dns for a lookup that reached no name server and so says nothing about the name. */
const OWN_RESOLVER_FAILURES = new Set([
  'ECONNREFUSED',
  'ENOTINITIALIZED',
  'ENOMEM',
  'EFILE',
  'ECANCELLED',
  'EDESTRUCTION',
]);

/**
 * Returns the uptime, which ignores faults of the certificate. One working address is enough, as for browsers. Without an HTTP
 * response (we aborted, or the server demands a client certificate) the handshake decides, unless a status is expected.
 */
export function assessUptime(
  observation: Observation,
  previous: PreviousResult | null = null,
): UptimeAssessment {
  if (!isConclusive(observation)) return UNKNOWN;
  const host = displayName(observation.endpoint);
  const reached = observation.addresses.find(({ outcome }) => outcome === 'handshake') as
    HandshakeObservation | undefined;
  if (reached === undefined) {
    const failure = mostTellingFailure(observation, previous);
    if (failure === null) return down({ code: 'other', message: `${host} is down.` });
    const cause = { code: failure.reason, message: failureSentence(failure, host) };
    const downAt = countsAsDownAt(failure);
    return downAt !== null && observation.observedAt < downAt ? { ...UNKNOWN, cause, downAt } : down(cause);
  }
  const { http } = observation;
  const { expectedStatus } = effectiveTarget(observation.endpoint);
  if (http === null)
    return expectedStatus === null
      ? { state: 'up', responseMs: reached.durationMs, cause: null }
      : down({
          code: 'no_status',
          message: `${host} sent no HTTP status, as servers do that demand a client certificate.`,
        });
  const handshake = observation.addresses.find(({ address }) => address === http.address) ?? reached;
  const responseMs = handshake.durationMs + http.durationMs;
  if (http.outcome === 'answered')
    return isExpectedStatus(http.status, expectedStatus)
      ? { state: 'up', responseMs, cause: null }
      : down(statusCause(host, http.status, expectedStatus), responseMs);
  if (http.http2Faults !== undefined)
    return down({
      code: 'not_http2',
      message: `${host} agreed on HTTP/2 but answers only by HTTP/1.1, so browsers cannot open it.`,
    });
  switch (http.reason) {
    case 'timeout':
      return down({ code: 'no_answer', message: `${host} did not answer the request in time.` });
    case 'closed':
      return down({
        code: 'closed',
        message: `${host} closed the connection without answering the request.`,
      });
    case 'not_http2':
      // Browsers show an error, because they do not fall back to HTTP/1.1 after the handshake.
      return down({ code: 'not_http2', message: `${host} agreed on HTTP/2 but did not answer by it.` });
    default:
      if (expectedStatus !== null)
        return down({ code: 'no_status', message: `${host} answered without a readable HTTP status.` });
      // The server answered, but not with HTTP, or with too large headers. Only silence, a closed connection, broken HTTP/2
      // and server errors are an outage.
      return { state: 'up', responseMs, cause: null };
  }
}

function statusCause(host: string, status: number, expected: string | null): DownCause {
  return expected === null
    ? { code: 'server_error', message: `${host} answered with the error ${status}.` }
    : {
        code: 'unexpected_status',
        message: `${host} answered with the status ${status} instead of ${expected}.`,
      };
}

function down(cause: DownCause, responseMs: number | null = null): UptimeAssessment {
  return { state: 'down', responseMs, cause };
}

/** Failures of our own name servers. */
const OUR_RESOLVER: ReadonlySet<ReachFailure> = new Set(['dns_refused', 'resolver_silent']);

/**
 * Returns false if every failure is on our side: no IPv6 or no IPv4, the address policy, our resolver, an aborted examination, or a
 * slow server for which we did not wait.
 */
function isConclusive({ resolution, addresses }: Observation): boolean {
  if (!resolution.ok) {
    if (resolution.stage !== 'dns' || OUR_RESOLVER.has(resolution.reason)) return false;
    return !(resolution.reason === 'dns_failed' && OWN_RESOLVER_FAILURES.has(resolution.detail ?? ''));
  }
  const isLocalFailure = (seen: FailedObservation) =>
    seen.stage === 'policy' ||
    seen.reason === 'no_route_here' ||
    seen.reason === 'slow_answers' ||
    OUR_RESOLVER.has(seen.reason);
  return (
    addresses.length === 0 || addresses.some((seen) => seen.outcome === 'handshake' || !isLocalFailure(seen))
  );
}

/** The uptime state of an endpoint between two checks. Times are ms UTC. */
export interface UptimeStanding {
  /** The confirmed state; null before the first conclusive check. */
  uptime: Uptime | null;
  /** Time of a first failure that no second check has confirmed yet; null if there is none. */
  suspectedSince: number | null;
  /** Time of the first failure of the outage; null while the endpoint is not down. */
  downSince: number | null;
  /** Time of the last check that found the endpoint down; null while it is not down. */
  downSeenAt: number | null;
}

export interface UptimeStep {
  standing: UptimeStanding;
  /** Start or end of an incident: `begin` at `standing.downSince`, `end` at `endedAt`; null for neither. */
  incident: 'begin' | 'end' | null;
  /**
   * End of the incident, ms UTC: this check, or after a long gap the last check that found the endpoint down. null if none
   * ends.
   */
  endedAt: number | null;
  /** When a second check is due to confirm a failure (ms UTC); null if none is. */
  recheckAt: number | null;
}

const CONFIRM_AFTER_MS = 30_000;
/**
 * How long a failure waits for a second check. After that (crash, pause, our own outage), the next failure is a first one.
 */
const SUSPICION_ENDS_MS = 10 * MINUTE_MS;
/**
 * After this long without a failed check, the state of a down endpoint is unknown, and its outage ends at the last failed
 * one. Down endpoints are checked at least hourly, so no check was conclusive meanwhile.
 */
const INCIDENT_ENDS_MS = 3 * HOUR_MS;

/**
 * Returns the uptime after a check. A second failure soon after the first opens an incident that began at the first. It ends at a success,
 * or when three hours pass without a failed check. `isRefused`: unknown because the server asks to come back later.
 */
export function followUptime(
  before: UptimeStanding,
  { state, isRefused = false, now }: { state: Uptime; isRefused?: boolean; now: number },
): UptimeStep {
  const { uptime, downSince, downSeenAt } = before;
  const lastSeenDown = downSeenAt ?? downSince;
  // A check far in the future is from a clock that ran ahead.
  if (lastSeenDown !== null && Math.abs(now - lastSeenDown) > INCIDENT_ENDS_MS) {
    const step = nextStep({ ...NOT_DOWN, uptime: 'unknown' }, state, now);
    return { ...step, incident: 'end', endedAt: Math.min(lastSeenDown, now) };
  }
  // A server that refuses us is not up. One that was down stays down until a check succeeds.
  return nextStep(isRefused && uptime === 'up' ? { ...before, uptime: 'unknown' } : before, state, now);
}

const NOT_DOWN = { suspectedSince: null, downSince: null, downSeenAt: null };

function nextStep(standing: UptimeStanding, state: Uptime, now: number): UptimeStep {
  const nothing = { incident: null, endedAt: null, recheckAt: null };
  if (state === 'unknown') return { ...nothing, standing: { ...standing, uptime: standing.uptime ?? state } };
  if (state === 'up') {
    const up = { ...nothing, standing: { ...NOT_DOWN, uptime: state } };
    return standing.downSince === null ? up : { ...up, incident: 'end', endedAt: now };
  }
  if (standing.downSince !== null)
    return { ...nothing, standing: { ...standing, suspectedSince: null, downSeenAt: now } };
  const { suspectedSince } = standing;
  if (suspectedSince === null || now - suspectedSince > SUSPICION_ENDS_MS || now < suspectedSince)
    return { ...nothing, standing: { ...standing, suspectedSince: now }, recheckAt: now + CONFIRM_AFTER_MS };
  return {
    ...nothing,
    standing: { uptime: 'down', suspectedSince: null, downSince: suspectedSince, downSeenAt: now },
    incident: 'begin',
  };
}

const MAX_RECENT = 90;
const LETTERS: Record<Uptime, string> = { up: 'u', down: 'd', unknown: '?' };

/**
 * Appends the result of a check to earlier ones and keeps the last 90, oldest first, as one letter each: `u`, `d` or `?`.
 */
export function recentChecks(before: string, state: Uptime): string {
  return (before + LETTERS[state]).slice(-MAX_RECENT);
}

/** Failures on our side, after which the check is recorded and leaves a `?`. */
const OWN_FAILURES: ReadonlySet<ReachFailure> = new Set([
  'address_refused',
  'no_route_here',
  'dns_refused',
  'dns_failed',
  'resolver_silent',
  'slow_answers',
  'not_examined',
]);

/**
 * Returns whether the last check was held back, because our own network may have caused its result. It then left a `?`, and the
 * last recorded verdict does not explain that.
 */
export function isHeldBack({
  recentChecks: letters,
  verdict,
}: {
  recentChecks: string;
  verdict: Pick<Verdict, 'failure'> | null;
}): boolean {
  const failure = verdict?.failure ?? null;
  const isExplained =
    failure !== null && (OWN_FAILURES.has(failure.reason) || temporarilyRefusedSince(failure) !== null);
  return letters.endsWith(LETTERS.unknown) && !isExplained;
}

/** Returns whether a check found the monitor up, or a second check confirmed that it is down. */
export function isUptimeConfirmed({
  uptime,
  recentChecks: letters,
  downMs,
}: {
  uptime: Uptime | null;
  recentChecks: string;
  downMs: number;
}): boolean {
  if (uptime === 'unknown') return downMs > 0 || letters.includes(LETTERS.up);
  return uptime !== null;
}

/**
 * Returns the share of the time from `from` to `now` without downtime, in percent with one decimal. Rounds down, so that 100
 * means no downtime at all.
 */
export function uptimePercent({ from, now, downMs }: { from: number; now: number; downMs: number }): number {
  if (downMs <= 0) return 100;
  if (now <= from || downMs >= now - from) return 0;
  return Math.floor((1 - downMs / (now - from)) * 1_000) / 10;
}

/** Returns how many days of response times and incidents a plan shows. */
export function uptimeWindowDays(plan: Plan): number {
  return plan === 'premium' ? 90 : 7;
}
