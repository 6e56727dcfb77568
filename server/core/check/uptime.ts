import type { Plan } from '../plan.ts';
import {
  type FailedObservation,
  type HandshakeObservation,
  mostTellingFailure,
  type Observation,
} from '../observation.ts';
import { displayName } from '../endpoint.ts';
import { failureSentence } from '../report/reach-finding.ts';
import { MINUTE_MS, HOUR_MS } from '../../../contract/durations.ts';

/** Whether people reach an endpoint; `unknown` where our own side keeps us from telling. */
export type Uptime = 'up' | 'down' | 'unknown';

/** Why an endpoint counts as down: a stable code, and a sentence for people. */
export interface DownCause {
  code: string;
  message: string;
}

/** What one check alone says. */
export interface UptimeAssessment {
  state: Uptime;
  /** Until the handshake was done, and for https until the answer began; null where neither came. */
  responseMs: number | null;
  /** Only where it is down. */
  cause: DownCause | null;
}

const UNKNOWN: UptimeAssessment = { state: 'unknown', responseMs: null, cause: null };

/** What node:dns says where it never heard from a name server at all: nothing about the name. */
const OWN_RESOLVER_FAILURES = new Set([
  'ECONNREFUSED',
  'ENOTINITIALIZED',
  'ENOMEM',
  'EFILE',
  'ECANCELLED',
  'EDESTRUCTION',
]);

/**
 * Up or down, from what was seen and not from what certificates are worth: with a bad one an endpoint is up. One address
 * that works is enough, as browsers try the others; those that fail beside it are a finding of the verdict. Of an https
 * endpoint the answer to its one request decides, over the first address that shook hands; without such a request (it was
 * cut off before, or the server answers only clients with a certificate) the handshake does.
 */
export function assessUptime(observation: Observation): UptimeAssessment {
  if (!isTelling(observation)) return UNKNOWN;
  const host = displayName(observation.endpoint);
  const reached = observation.addresses.find(({ outcome }) => outcome === 'handshake') as
    HandshakeObservation | undefined;
  if (reached === undefined) {
    const failure = mostTellingFailure(observation);
    if (failure === null) return down({ code: 'other', message: `${host} is down.` });
    return down({ code: failure.reason, message: failureSentence(failure, host) });
  }
  const { http } = observation;
  if (http === null) return { state: 'up', responseMs: reached.durationMs, cause: null };
  const shaken = observation.addresses.find(({ address }) => address === http.address) ?? reached;
  const responseMs = shaken.durationMs + http.durationMs;
  if (http.outcome === 'answered')
    return http.status < 500
      ? { state: 'up', responseMs, cause: null }
      : down(
          { code: 'server_error', message: `${host} answered with the error ${http.status}.` },
          responseMs,
        );
  switch (http.reason) {
    case 'timeout':
      return down({ code: 'no_answer', message: `${host} did not answer the request in time.` });
    case 'closed':
      return down({
        code: 'closed',
        message: `${host} closed the connection without answering the request.`,
      });
    default:
      // It did answer, if not as a web server does: only silence and errors of its own are an outage.
      return { state: 'up', responseMs, cause: null };
  }
}

function down(cause: DownCause, responseMs: number | null = null): UptimeAssessment {
  return { state: 'down', responseMs, cause };
}

/** False where all that failed is ours: no IPv6, the address policy, a resolver that did not work for us. */
function isTelling({ resolution, addresses }: Observation): boolean {
  if (!resolution.ok) {
    const isOurs = ['dns_refused', 'resolver_silent'].includes(resolution.reason);
    if (resolution.stage !== 'dns' || isOurs) return false;
    return !(resolution.reason === 'dns_failed' && OWN_RESOLVER_FAILURES.has(resolution.detail ?? ''));
  }
  const isOurs = (seen: FailedObservation) => seen.stage === 'policy' || seen.reason === 'no_route_here';
  return addresses.length === 0 || addresses.some((seen) => seen.outcome === 'handshake' || !isOurs(seen));
}

/** What is known of an endpoint's uptime between two checks; instants in ms UTC. */
export interface UptimeStanding {
  /** What the last checks agree on; null before the first that told anything. */
  uptime: Uptime | null;
  /** When a failure was first seen that no second look has confirmed. */
  suspectedSince: number | null;
  /** From the first failure on; null while it is not down. */
  downSince: number | null;
  /** When a check last saw it down; null while it is not. */
  downSeenAt: number | null;
}

export interface UptimeStep {
  standing: UptimeStanding;
  /** `begin`: since `standing.downSince`; `end`: at `endedAt`. */
  incident: 'begin' | 'end' | null;
  /** Only where an incident ends: the check at hand, or the last that saw it down where nobody looked for long. */
  endedAt: number | null;
  /** A failure waits to be confirmed: the time for a second look, ms UTC. */
  lookAgainAt: number | null;
}

const SECOND_LOOK_MS = 30_000;
/** A failure that nobody looked at again for so long (a crash, a pause, our own side) is a matter of its own. */
const SUSPICION_ENDS_MS = 10 * MINUTE_MS;
/** What is down is looked at every hour: after more than two such looks that told nothing nobody knows how it fared. */
const INCIDENT_ENDS_MS = 3 * HOUR_MS;

/**
 * What a check changes. One failure is a suspicion, a second one soon after makes it an incident from the first one on. No
 * incident claims time that nobody looked at.
 */
export function followUptime(
  before: UptimeStanding,
  { state, now }: { state: Uptime; now: number },
): UptimeStep {
  const { downSince, downSeenAt } = before;
  const lastSeenDown = downSeenAt ?? downSince;
  if (lastSeenDown !== null && now - lastSeenDown > INCIDENT_ENDS_MS) {
    const step = followWatched({ ...NOT_DOWN, uptime: 'unknown' }, state, now);
    return { ...step, incident: 'end', endedAt: lastSeenDown };
  }
  return followWatched(before, state, now);
}

const NOT_DOWN = { suspectedSince: null, downSince: null, downSeenAt: null };

function followWatched(standing: UptimeStanding, state: Uptime, now: number): UptimeStep {
  const nothing = { incident: null, endedAt: null, lookAgainAt: null };
  if (state === 'unknown') return { ...nothing, standing: { ...standing, uptime: standing.uptime ?? state } };
  if (state === 'up') {
    const up = { ...nothing, standing: { ...NOT_DOWN, uptime: state } };
    return standing.downSince === null ? up : { ...up, incident: 'end', endedAt: now };
  }
  if (standing.downSince !== null)
    return { ...nothing, standing: { ...standing, suspectedSince: null, downSeenAt: now } };
  const { suspectedSince } = standing;
  if (suspectedSince === null || now - suspectedSince > SUSPICION_ENDS_MS || now < suspectedSince)
    return { ...nothing, standing: { ...standing, suspectedSince: now }, lookAgainAt: now + SECOND_LOOK_MS };
  return {
    ...nothing,
    standing: { uptime: 'down', suspectedSince: null, downSince: suspectedSince, downSeenAt: now },
    incident: 'begin',
  };
}

const MOST_RECENT = 90;
const LETTERS: Record<Uptime, string> = { up: 'u', down: 'd', unknown: '?' };

/** The letters of the last checks with another one, oldest first: `u`, `d` or `?` each, at most 90. */
export function recentChecks(before: string, state: Uptime): string {
  return (before + LETTERS[state]).slice(-MOST_RECENT);
}

/**
 * The share of the time from `from` to `now` in which it was not down, in percent with one decimal; rounded down, so that
 * 100 means: not down at all.
 */
export function uptimePercent({ from, now, downMs }: { from: number; now: number; downMs: number }): number {
  if (downMs <= 0) return 100;
  if (now <= from || downMs >= now - from) return 0;
  return Math.floor((1 - downMs / (now - from)) * 1_000) / 10;
}

/** How far back a plan shows response times and incidents. */
export function uptimeWindowDays(plan: Plan): number {
  return plan === 'premium' ? 90 : 7;
}
