import {
  assessUptime,
  diff,
  followUptime,
  isAwaiting,
  nextCheckAt,
  type Verdict,
} from '../core/index.ts';
import type { Examiner } from '../probe/index.ts';
import { record } from '../store/checks.ts';
import { postponeCheck } from '../store/monitor-claims.ts';
import type { ClaimedMonitor } from '../store/monitors.ts';
import type { Store } from '../store/open-store.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { LOOK_AGAIN_MS, type OwnNetwork } from './own-network.ts';

export interface CheckerOptions {
  store: Store;
  examiner: Examiner;
  clock: Clock;
  /** In [0, 1); spreads the checks. */
  random: () => number;
  log: Log;
}

/** One whole check of a claimed monitor: look, judge, compare, plan, record. A stop in the middle leaves no trace. */
export async function checkMonitor(
  monitor: ClaimedMonitor,
  { store, examiner, clock, random, log, ownNetwork }: CheckerOptions & CheckerParts,
  stopping: AbortSignal,
): Promise<void> {
  const startedAt = clock.now();
  const { host, port, authorities } = monitor;
  const observation = await examiner.observe(monitor, {
    signal: stopping,
    authorities,
    withPosture: wantsPosture(monitor, startedAt),
  });
  // What an interrupted look saw is our doing and says nothing about the endpoint.
  if (stopping.aborted) return;

  const now = clock.now();
  if (!(await ownNetwork.trusts(observation, monitor.uptime === 'down'))) {
    const { id: monitorId, leaseToken } = monitor;
    const { least, most } = LOOK_AGAIN_MS;
    const again = now + least + (most - least) * random();
    await postponeCheck(store, { monitorId, leaseToken, now, nextCheckAt: Math.floor(again) });
    return;
  }
  const { verdict, certificates } = await examiner.judge({
    observation,
    now,
    authorities,
    previous: monitor.verdict,
  });
  // As `record` follows it, which alone writes it down.
  const uptime = followUptime(monitor, { state: assessUptime(observation).state, now });
  const events = diff(monitor.verdict, verdict);
  const jitter = random();
  const kept = await record(store, {
    monitorId: monitor.id,
    leaseToken: monitor.leaseToken,
    now,
    startedAt,
    observation,
    verdict,
    certificates,
    currentFingerprint: verdict.leafFingerprint,
    nextCheckAt: ({ lookAgainAt, steps }) =>
      nextCheckAt({
        now,
        everyMinutes: monitor.checkEveryMinutes,
        reached: verdict.reached && uptime.standing.uptime !== 'down',
        // Also where this look reached nobody: a certificate expires whether or not we can see it.
        certificates: verdict.lastSeen?.expiring ?? [],
        steps,
        lookAgainAt: soonest(lookAgainAt, uptime.lookAgainAt, soonAfter(monitor.verdict, verdict, now)),
        jitter,
      }),
  });
  const endpoint = `${host}:${port}`;
  if (!kept) log.info({ endpoint }, 'the lease of a check was lost; its result is dropped');
  else if (events.length > 0 || uptime.incident !== null)
    log.info({ endpoint, events, incident: uptime.incident }, 'something changed');
}

function soonest(...instants: (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export interface CheckerParts {
  ownNetwork: OwnNetwork;
}

/** Less than a day: daily checks come a little early. */
const POSTURE_EVERY_MS = 20 * 3_600_000;

/** Not at the first check, which somebody waits for; afterwards about once a day, or when a person asks. */
function wantsPosture({ verdict, asked }: ClaimedMonitor, now: number): boolean {
  if (verdict === null) return false;
  return asked || verdict.posture === null || now - verdict.posture.at > POSTURE_EVERY_MS;
}

const FIRST_POSTURE_MS = 60_000;
const PENDING_MS = 2 * 60_000;

/** When the next check knows more than its interval suggests: what was left out of the first, or an answer on its way. */
function soonAfter(previous: Verdict | null, verdict: Verdict, now: number): number | null {
  if (previous === null) return verdict.reached ? now + FIRST_POSTURE_MS : null;
  // Once: a source that is always too slow must not be asked every two minutes for ever.
  return isAwaiting(verdict) && !isAwaiting(previous) ? now + PENDING_MS : null;
}
