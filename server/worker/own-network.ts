import { getDomain } from 'tldts';
import type { FailedObservation, Observation, ReachFailure } from '../core/observation.ts';
import { identityKey } from '../core/target.ts';
import type { Canaries, CanaryResult } from '../probe/canary.ts';
import { createClockGuard } from './clock-guard.ts';
import type { Clock, Log } from './clock.ts';
import { createMassFailure, type Tally } from './mass-failure.ts';
import type { Alarms } from './operator-alarm.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { count } from '../../contract/words.ts';

/** Time in ms for which a message is deferred while our clock is wrong. Then the clock is checked again. */
export const CLOCK_WAIT_MS = 10 * MINUTE_MS;

export interface OwnNetworkOptions {
  /**
   * Canary hosts; null without CANARY_HOSTS. Without canaries we trust the clock, and the network unless many hosts fail at once.
   */
  canaries: Canaries | null;
  clock: Clock;
  log: Log;
  alarms: Alarms;
}

export interface OwnNetwork {
  /**
   * Returns whether a check may be recorded. If not, our own network or clock may have caused its result: check again in about a
   * minute. Call it at the end of every check, because the results of other hosts decide whether a failure is trusted.
   */
  trusts(observation: Observation, before: PreviousState): Promise<boolean>;
  /**
   * Returns whether our clock can be trusted, and raises an alarm if not. If not, nothing that depends on dates may be judged,
   * scheduled or sent. Mostly resolves without asking the canaries.
   */
  clockIsRight(): Promise<boolean>;
  /** Clears alarms of this process whose cause is gone; call it about once a minute. */
  clearPastAlarms(): Promise<void>;
  close(): void;
}

/** The recorded state of the monitors of an endpoint before a check. */
export interface PreviousState {
  /** Whether the monitor was down, so that another failure changes nothing. */
  wasDown: boolean;
  /** The accounts whose monitor of the endpoint was up. */
  upFor: readonly string[];
}

/**
 * Delay in ms before an untrusted check is repeated. Delay and check together are shorter than the window in which
 * `createMassFailure` keeps a held-back failure, unless a server is slow before TLS and then fails.
 */
export const RECHECK_DELAY_MS = { min: 40_000, max: 55_000 };

const MIN_HEALTHY = 2;
/**
 * Time in ms for which a mass failure is held back while canaries answer. It is short: canaries that answer show that our network
 * works.
 */
const BELIEVED_AFTER_MS = 10 * MINUTE_MS;
/**
 * Time in ms for which a mass failure is held back without canaries. Then we believe it, because large providers are more often
 * down for half an hour than our own network.
 */
const BELIEVED_ALONE_AFTER_MS = 30 * MINUTE_MS;

/** Creates the detection of outages of our own network, and of a wrong clock, from the answers of other hosts. */
export function createOwnNetwork(options: OwnNetworkOptions): OwnNetwork {
  const { canaries, clock, alarms } = options;
  const failures = createMassFailure();
  const guard = createClockGuard(clock);
  const rounds = canaries && createCanaryRounds(canaries, guard, options);
  const believedAfterMs = canaries === null ? BELIEVED_ALONE_AFTER_MS : BELIEVED_AFTER_MS;

  async function clockIsRight(): Promise<boolean> {
    if (rounds === null) return true;
    if (guard.isStale()) await rounds.fresh();
    const offMs = guard.offBy();
    if (offMs === null) return true;
    await alarms.raise('clock_wrong', `The clock of this server is ${describeOffset(offMs)}.`);
    return false;
  }

  return {
    clockIsRight,
    async trusts(observation, { wasDown, upFor }) {
      if (!(await clockIsRight())) return false;
      const failed = isNetworkFailure(observation);
      if (failed && wasDown) return true;
      const { host } = observation.endpoint;
      const domain = getDomain(host, { detectIp: true }) ?? host;
      failures.add(
        { target: identityKey(observation.endpoint), domain, accounts: upFor, failed },
        clock.monotonic(),
      );
      if (!failed) return true;
      if (rounds !== null && !(await rounds.workedFor(observation.durationMs))) {
        await alarms.raise('network_cut', 'Fewer than two of CANARY_HOSTS answer this server.');
        return false;
      }
      const mass = failures.currentTally(clock.monotonic(), believedAfterMs);
      if (mass === null) return true;
      await alarms.raise('network_cut', describeTally(mass));
      return false;
    },
    async clearPastAlarms() {
      if (alarms.isRaised('clock_wrong') && (await clockIsRight())) await alarms.clear('clock_wrong');
      if (
        !alarms.isRaised('network_cut') ||
        failures.currentTally(clock.monotonic(), believedAfterMs) !== null
      )
        return;
      if (rounds === null || (await rounds.fresh())) await alarms.clear('network_cut');
    },
    close: () => rounds?.close(),
  };
}

/** Creates rounds that probe the canaries, to find out whether our own network works. Each round also updates the clock guard. */
function createCanaryRounds(
  canaries: Canaries,
  guard: ReturnType<typeof createClockGuard>,
  { clock, log }: OwnNetworkOptions,
) {
  const closing = new AbortController();
  let currentRound: Promise<boolean> | null = null;
  let nextRound: Promise<boolean> | null = null;
  let unhealthyAt = Number.NEGATIVE_INFINITY;
  /** The silent hosts that were last logged, as text; empty while the network works. */
  let logged = '';

  async function run(): Promise<boolean> {
    const reports = await canaries.probe(closing.signal);
    guard.report(reports);
    const healthy = reports.filter(({ isHealthy }) => isHealthy).length;
    if (closing.signal.aborted) return true;
    if (healthy >= MIN_HEALTHY) {
      logged = '';
      return true;
    }
    unhealthyAt = clock.monotonic();
    const silent = silentHosts(reports);
    // Log each set of silent hosts once, because an outage lasts for many rounds.
    if (silent.join() !== logged)
      log.warn({ silent }, 'fewer than two canaries answer: our own network is down');
    logged = silent.join();
    return false;
  }

  /**
   * Returns whether the network works, according to a round that begins after this call. Calls before its start share the round.
   * Only one round runs at a time, however many checks fail.
   */
  function fresh(): Promise<boolean> {
    const start = (): Promise<boolean> => {
      nextRound = null;
      const current = run().finally(() => {
        if (currentRound === current) currentRound = null;
      });
      currentRound = current;
      return current;
    };
    if (currentRound === null) return start();
    nextRound ??= currentRound.then(start, start);
    return nextRound;
  }

  return {
    fresh,
    /** Returns whether the network worked for the last `durationMs`, the duration of a check. */
    async workedFor(durationMs: number): Promise<boolean> {
      const startedAt = clock.monotonic() - durationMs;
      // A check that failed during an outage proves nothing, even if the network works again now.
      return (await fresh()) && unhealthyAt < startedAt;
    },
    close: () => closing.abort(),
  };
}

const silentHosts = (reports: readonly CanaryResult[]): string[] =>
  reports.filter(({ isHealthy }) => !isHealthy).map(({ host }) => host);

const describeTally = ({ failed, targets, domains, accounts }: Tally): string =>
  `${failed} of the ${targets} hosts that were up and were checked within a minute failed at the same time. They belong to ${count(domains, 'domain')} and ${count(accounts, 'account')}.`;

function describeOffset(offMs: number): string {
  const hours = Math.round(Math.abs(offMs) / HOUR_MS);
  const span = hours < 48 ? count(hours, 'hour') : count(Math.round(hours / 24), 'day');
  return `${span} ${offMs > 0 ? 'ahead' : 'behind'}`;
}

/**
 * Failures in which the peer itself answered, so our network works. Others may be due to our side: lost packets (timeouts), a firewall
 * or router that answers for others, a resolver that reaches no name server, a blocklist with our address (server_refused).
 */
const ANSWERED: ReadonlySet<ReachFailure> = new Set([
  'not_tls',
  'tls_alert',
  'protocol_version',
  'no_certificate',
  'too_large',
  'wrong_protocol',
  'no_starttls',
  'expects_tls',
  'starttls_injection',
]);

/**
 * Returns whether this machine caused the failure: the address policy forbids the address, there is no IPv6 or IPv4 here, or we
 * did not wait for a slow server.
 */
const isLocalFailure = ({ stage, reason }: Pick<FailedObservation, 'stage' | 'reason'>): boolean =>
  stage === 'policy' || reason === 'no_route_here' || reason === 'slow_answers';

/** Returns whether the network between us and the endpoint may have made the check fail. */
export function isNetworkFailure({ resolution, addresses, http }: Observation): boolean {
  if (!resolution.ok) return resolution.stage === 'dns';
  // After a handshake, only a missing HTTP response may be the network's fault. A server error (5xx) is a response.
  if (addresses.some(({ outcome }) => outcome === 'handshake'))
    return http !== null && http.outcome === 'failed' && ['timeout', 'closed'].includes(http.reason);
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  if (failed.some(({ reason }) => ANSWERED.has(reason))) return false;
  return failed.some((seen) => !isLocalFailure(seen));
}
