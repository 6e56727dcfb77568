import { getDomain } from 'tldts';
import type { FailedObservation, Observation, ReachFailure } from '../core/index.ts';
import type { Canaries, CanarySighting } from '../probe/index.ts';
import { createClockGuard } from './clock-guard.ts';
import type { Clock, Log } from './clock.ts';
import { createMassFailure, type Tally } from './mass-failure.ts';
import type { Alarms } from './operator-alarm.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

/** How long a message waits while nobody knows what time it is. */
export const CLOCK_WAIT_MS = 10 * MINUTE_MS;

export interface OwnNetworkOptions {
  /** null without CANARY_HOSTS: then the clock is believed, and the network unless much fails at once. */
  canaries: Canaries | null;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  /** In ms, for tests; no hand on the clock moves it. */
  monotonic?: () => number;
}

export interface OwnNetwork {
  /**
   * Tells whether a look may be recorded. False where our own network is the likelier cause of its failure, or our clock
   * is wrong: then nothing is known, and the caller looks again in about a minute. Must be asked about every look as soon
   * as it ends, because each one counts for the others.
   */
  trusts(observation: Observation, before: StandingBefore): Promise<boolean>;
  /** Whether our clock can be believed: where it cannot, nothing is judged, planned or said of dates. Mostly answers at once. */
  clockIsRight(): Promise<boolean>;
  /** Ends alarms of this process whose cause is gone; to be called about once a minute. */
  lookAgain(): Promise<void>;
  close(): void;
}

/** What was recorded before a look, of those who watch its endpoint. */
export interface StandingBefore {
  /** The monitor that is asked about is known to be down: that it fails is no news. */
  wasDown: boolean;
  /** The accounts whose monitor of the endpoint was up. */
  upFor: readonly string[];
}

/** Until such a look is repeated: less than failures count for while they are held, with the time that a look takes. */
export const LOOK_AGAIN_MS = { least: 40_000, most: 55_000 };

/** Believes everything. For tests of what has nothing to do with it. */
export const TRUSTING: OwnNetwork = {
  trusts: () => Promise.resolve(true),
  clockIsRight: () => Promise.resolve(true),
  lookAgain: () => Promise.resolve(),
  close: () => undefined,
};

const LEAST_HEALTHY = 2;
/** With canaries that answer, our network works as a whole: much that fails at once is soon believed. */
const BELIEVED_AFTER_MS = 10 * MINUTE_MS;
/** Without any, an outage of ours of half an hour is rarer than one of a large provider. */
const BELIEVED_ALONE_AFTER_MS = 30 * MINUTE_MS;

/** Tells an outage of our own network, and a clock that is wrong, from what the world does. */
export function createOwnNetwork(options: OwnNetworkOptions): OwnNetwork {
  const { canaries, clock, log, alarms, monotonic = () => performance.now() } = options;
  const closing = new AbortController();
  const failures = createMassFailure();
  const guard = createClockGuard(clock, monotonic);
  const believedAfterMs = canaries === null ? BELIEVED_ALONE_AFTER_MS : BELIEVED_AFTER_MS;
  let running: Promise<boolean> | null = null;
  let following: Promise<boolean> | null = null;
  let unhealthyAt = Number.NEGATIVE_INFINITY;
  /** The hosts that the log has as silent; empty while the network works. */
  let logged = '';

  async function round(among: Canaries): Promise<boolean> {
    const sightings = await among.look(closing.signal);
    guard.hear(sightings);
    const healthy = sightings.filter(({ isHealthy }) => isHealthy).length;
    if (closing.signal.aborted) return true;
    if (healthy >= LEAST_HEALTHY) {
      logged = '';
      return true;
    }
    unhealthyAt = monotonic();
    const silent = silentOnes(sightings);
    // An outage has many rounds.
    if (silent.join() !== logged)
      log.warn({ silent }, 'fewer than two canaries answer: our own network is cut');
    logged = silent.join();
    return false;
  }

  /** A round that begins from now on, shared by all who ask before it does: one at a time, however much fails. */
  function freshRound(among: Canaries): Promise<boolean> {
    const start = (): Promise<boolean> => {
      following = null;
      const current = round(among).finally(() => {
        if (running === current) running = null;
      });
      running = current;
      return current;
    };
    if (running === null) return start();
    following ??= running.then(start, start);
    return following;
  }

  /** Whether a look that lasted so long and ended just now had a network. */
  async function hadNetwork(durationMs: number): Promise<boolean> {
    if (canaries === null) return true;
    const startedAt = monotonic() - durationMs;
    // Also where it is back by now: what failed while it was gone tells nothing.
    return (await freshRound(canaries)) && unhealthyAt < startedAt;
  }

  async function clockIsRight(): Promise<boolean> {
    if (canaries === null) return true;
    if (guard.isStale()) await freshRound(canaries);
    const offMs = guard.offBy();
    if (offMs === null) return true;
    await alarms.raise('clock_wrong', `The clock of this server is ${inWords(offMs)}.`);
    return false;
  }

  return {
    clockIsRight,
    async trusts(observation, { wasDown, upFor }) {
      if (!(await clockIsRight())) return false;
      const failed = isNetworkFailure(observation);
      if (failed && wasDown) return true;
      const { host, port } = observation.endpoint;
      const domain = getDomain(host, { detectIp: true }) ?? host;
      failures.note({ target: `${host}:${port}`, domain, accounts: upFor, failed }, clock.now());
      if (!failed) return true;
      if (!(await hadNetwork(observation.durationMs))) {
        await alarms.raise('network_cut', 'Fewer than two of CANARY_HOSTS answer this server.');
        return false;
      }
      const mass = failures.holds(clock.now(), believedAfterMs);
      if (mass === null) return true;
      await alarms.raise('network_cut', inFigures(mass));
      return false;
    },
    async lookAgain() {
      if (alarms.raised('clock_wrong') && (await clockIsRight())) await alarms.clear('clock_wrong');
      if (!alarms.raised('network_cut') || failures.holds(clock.now(), believedAfterMs) !== null) return;
      if (canaries === null || (await freshRound(canaries))) await alarms.clear('network_cut');
    },
    close: () => closing.abort(),
  };
}

const silentOnes = (sightings: readonly CanarySighting[]): string[] =>
  sightings.filter(({ isHealthy }) => !isHealthy).map(({ host }) => host);

const inFigures = ({ failed, targets, domains, accounts }: Tally): string =>
  `${failed} of the ${targets} hosts that were up and checked within a minute fail at once, over ${domains} domains and ${accounts === 1 ? 'one account' : `${accounts} accounts`}.`;

function inWords(offMs: number): string {
  const hours = Math.round(Math.abs(offMs) / HOUR_MS);
  const span = hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.round(hours / 24)} days`;
  return `${span} ${offMs > 0 ? 'ahead' : 'behind'}`;
}

/**
 * What a peer did that a network cannot do by being cut: it answered, if not as it should. Everything else may be our own
 * side's doing: lost packets (timeout, also in the middle of a handshake or of the answer to a request), a firewall or a
 * router that answers for others (refused, reset, closed, unroutable), a resolver that cannot reach anybody and says so in
 * whatever words it has (SERVFAIL, REFUSED, silence, some even NXDOMAIN).
 */
const ANSWERED: ReadonlySet<ReachFailure> = new Set([
  'not_tls',
  'tls_alert',
  'protocol_version',
  'no_certificate',
  'too_large',
  'wrong_protocol',
  'starttls_refused',
  'starttls_injection',
]);

/** Said by us and not by any network: what the policy refuses, and that there is no IPv6 here. */
const isOurs = ({ stage, reason }: Pick<FailedObservation, 'stage' | 'reason'>): boolean =>
  stage === 'policy' || reason === 'no_route_here';

/** Whether a look failed in a way that the network between us and the endpoint may be to blame for. */
export function isNetworkFailure({ resolution, addresses, http }: Observation): boolean {
  if (!resolution.ok) return resolution.stage === 'dns';
  // Shook hands, but the request got no answer. An error of the server (5xx) is an answer.
  if (addresses.some(({ outcome }) => outcome === 'handshake'))
    return http !== null && http.outcome === 'failed' && ['timeout', 'closed'].includes(http.reason);
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  if (failed.some(({ reason }) => ANSWERED.has(reason))) return false;
  return failed.some((seen) => !isOurs(seen));
}
