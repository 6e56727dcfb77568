import { assessUptime, diff, followUptime, isAwaiting, nextCheckAt, type Verdict } from '../core/index.ts';
import type { Examiner } from '../probe/index.ts';
import { record } from '../store/checks/checks.ts';
import { type ClaimedMonitor, postponeCheck } from '../store/monitors/monitor-claims.ts';
import type { Store } from '../store/db/open-store.ts';
import { type CheckOutcome, during, failTrace, type Telemetry, trace } from '../telemetry/index.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { LOOK_AGAIN_MS } from './own-network.ts';
import type { Look, SharedLooks, Watchers } from './shared-looks.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface CheckerOptions {
  store: Store;
  examiner: Examiner;
  clock: Clock;
  /** In [0, 1); spreads the checks. */
  random: () => number;
  log: Log;
}

export interface CheckerParts {
  telemetry: Telemetry;
  looks: SharedLooks;
}

/**
 * One whole check of an endpoint for everybody who watches it and was claimed: one look; then, of each by itself, judge, compare,
 * plan, record. A stop in the middle leaves no trace of those that are not recorded yet.
 */
export async function checkEndpoint(
  watchers: Watchers,
  options: CheckerOptions & CheckerParts,
  stopping: AbortSignal,
): Promise<void> {
  const { log } = options;
  const { meters } = options.telemetry;
  const startedAt = performance.now();
  const { look, end } = options.looks.begin(watchers, stopping);
  try {
    for (const monitor of watchers.toSorted(whomSomebodyWaitsForFirst))
      await during({ fields: { monitor: monitor.id } }, async () => {
        try {
          const outcome = await conclude(monitor, look, options, stopping);
          meters.check(outcome, outcome === 'done' ? (performance.now() - startedAt) / 1_000 : null);
        } catch (error) {
          // Stands in nobody else's way.
          meters.check('failed', null);
          failTrace(error);
          log.error({ err: error }, 'check failed; it is tried again when its lease expires');
        }
      });
  } finally {
    end();
  }
}

const whomSomebodyWaitsForFirst = (one: ClaimedMonitor, other: ClaimedMonitor): number =>
  Number(isWaitedFor(other)) - Number(isWaitedFor(one));
const isWaitedFor = ({ asked, verdict }: ClaimedMonitor): boolean => asked || verdict === null;

async function conclude(
  monitor: ClaimedMonitor,
  look: Promise<Look>,
  { store, random, log }: CheckerOptions,
  stopping: AbortSignal,
): Promise<Exclude<CheckOutcome, 'failed'>> {
  const { observation, endedAt: now, jitter, isTrusted, judgedFor } = await look;
  // What an interrupted look saw is our doing and says nothing about the endpoint.
  if (stopping.aborted) return 'interrupted';

  const lease = { accountId: monitor.accountId, monitorId: monitor.id, leaseToken: monitor.leaseToken };
  if (!(await isTrusted(monitor.uptime === 'down'))) {
    const { least, most } = LOOK_AGAIN_MS;
    const again = now + least + (most - least) * random();
    await postponeCheck(store, { ...lease, now, nextCheckAt: Math.floor(again) });
    return 'postponed';
  }
  const { verdict, certificates } = await judgedFor(monitor);
  // As `record` follows it, which alone writes it down.
  const uptime = followUptime(monitor, { state: assessUptime(observation).state, now });
  const events = diff(monitor.verdict, verdict);
  const kept = await trace('record', {}, () =>
    record(store, {
      ...lease,
      now,
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
    }),
  );
  const told = { monitor: monitor.id, endpoint: `${monitor.host}:${monitor.port}` };
  if (!kept) log.info(told, 'the lease of a check was lost; its result is dropped');
  else if (events.length > 0 || uptime.incident !== null)
    log.info({ ...told, events, incident: uptime.incident }, 'something changed');
  return kept ? 'done' : 'lost';
}

function soonest(...instants: (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

const FIRST_POSTURE_MS = MINUTE_MS;
const PENDING_MS = 2 * MINUTE_MS;

/** When the next check knows more than its interval suggests: what was left out of the first, or an answer on its way. */
function soonAfter(previous: Verdict | null, verdict: Verdict, now: number): number | null {
  if (previous === null) return verdict.reached ? now + FIRST_POSTURE_MS : null;
  // Once: a source that is always too slow must not be asked every two minutes for ever.
  return isAwaiting(verdict) && !isAwaiting(previous) ? now + PENDING_MS : null;
}
