import { replacedCertificate } from '../core/alerting/conditions.ts';
import type { Examiner } from '../probe/examiner.ts';
import { saveCheck } from '../store/checks/checks.ts';
import { type ClaimedMonitor, extendClaims, releaseClaim } from '../store/monitors/monitor-claims.ts';
import type { Store } from '../store/db/open-store.ts';
import { SYSTEM_ACCOUNT_ID } from '../store/operations/heartbeat.ts';
import type { CheckOutcome, Telemetry } from '../telemetry/metrics.ts';
import { failCurrentSpan, runInContext, withSpan } from '../telemetry/trace-context.ts';
import type { Clock, Log } from './clock.ts';
import { type OwnNetwork, RECHECK_DELAY_MS } from './own-network.ts';
import { claimWatchers, type ProbeResult, type SharedProbes, type Watchers } from './shared-probes.ts';
import { firstCheckAt, postponeCheck } from '../store/monitors/check-due.ts';
import { type ClaimLoop, createClaimLoop, type LeaveSlot } from './claim-loop.ts';

export interface CheckerOptions {
  store: Store;
  examiner: Examiner;
  clock: Clock;
  /** Returns a random number in [0, 1) that spreads the checks. */
  random: () => number;
  log: Log;
}

interface CheckerParts {
  telemetry: Telemetry;
  sharedProbes: SharedProbes;
  /** Called after each recorded check of an account that saw a certificate with a valid path to a public root. */
  onPublicCertificate: () => void;
}

/**
 * Maximum number of checks that wait for slow servers without a slot. It bounds sockets and memory. It has room for a backlog of
 * mail servers that greet after six seconds, as postscreen does: 64 slots start 128 such checks per second.
 */
const MAX_SLOW_CHECKS = 1_024;

/** Creates the loop that claims due monitors, together with others that watch the same endpoint, and checks the endpoints. */
export function createCheckLoop(
  options: CheckerOptions &
    CheckerParts & {
      claimedBy: string;
      leaseMs: number;
      /** Maximum number of checks that run at once, not counting those that wait for slow servers. */
      concurrency: number;
      ownNetwork: OwnNetwork;
    },
): ClaimLoop {
  const { store, clock, claimedBy, leaseMs, ownNetwork } = options;
  let taken = 0;
  const loop = createClaimLoop<Watchers>({
    ...options,
    name: 'check',
    firstDueAt: () => firstCheckAt(store),
    async claim(limit) {
      // Claim nothing while the clock is wrong: every monitor could be due, and every certificate be judged expired.
      if (!(await ownNetwork.clockIsRight())) return [];
      const claim = { now: clock.now(), limit, leaseMs, claimedBy, taken };
      const { watchers, isMore } = await claimWatchers(store, claim);
      taken += watchers.length;
      // Monitors of one endpoint use only one slot. If slots are free although more monitors may be due, claim again at once.
      if (isMore && watchers.length < limit) loop.wake();
      return watchers;
    },
    handle: (watchers, stopping, leaveSlot) => checkEndpoint(watchers, options, { stopping, leaveSlot }),
    waitingRoom: { size: MAX_SLOW_CHECKS, groupOf: ([{ accountId }]) => accountId },
    renewal: {
      everyMs: leaseMs / 3,
      renew: (watchers) => extendClaims(store, watchers, { now: clock.now(), leaseMs }),
    },
    release: async (watchers) => {
      for (const monitor of watchers) await releaseClaim(store, monitor);
    },
    fieldsOf: ([{ host, port }]) => ({ endpoint: `${host}:${port}` }),
  });
  return loop;
}

/**
 * Checks an endpoint once for all claimed monitors that watch it: one probe, one judgement per distinct previous verdict, one
 * record per monitor. If the worker stops before the end, monitors that were not recorded stay unchanged.
 */
async function checkEndpoint(
  watchers: Watchers,
  options: CheckerOptions & CheckerParts,
  { stopping, leaveSlot }: { stopping: AbortSignal; leaveSlot: LeaveSlot },
): Promise<void> {
  const { log } = options;
  const { metrics } = options.telemetry;
  const startedAt = performance.now();
  const givenUp = new AbortController();
  const { probe, end } = options.sharedProbes.begin(watchers, {
    signal: AbortSignal.any([stopping, givenUp.signal]),
    onSlow: () => leaveSlot(() => givenUp.abort()),
  });
  try {
    for (const monitor of watchers.toSorted(waitedForFirst))
      await runInContext({ fields: { monitor: monitor.id } }, async () => {
        try {
          const outcome = await finishCheck(monitor, probe, options, stopping);
          metrics.countCheck(outcome, outcome === 'done' ? (performance.now() - startedAt) / 1_000 : null);
        } catch (error) {
          // Continue after a failure: it must not prevent recording the other monitors.
          metrics.countCheck('failed', null);
          failCurrentSpan(error);
          log.error({ err: error }, 'check failed; it is retried when its lease expires');
        }
      });
  } finally {
    end();
  }
}

const waitedForFirst = (one: ClaimedMonitor, other: ClaimedMonitor): number =>
  Number(isWaitedFor(other)) - Number(isWaitedFor(one));
/** Returns whether a person probably waits for the result: they requested the check, or it is the first check of a domain. */
const isWaitedFor = ({ isRequested, verdict }: ClaimedMonitor): boolean => isRequested || verdict === null;

async function finishCheck(
  monitor: ClaimedMonitor,
  probe: Promise<ProbeResult>,
  { store, random, log, onPublicCertificate }: CheckerOptions & CheckerParts,
  stopping: AbortSignal,
): Promise<Exclude<CheckOutcome, 'failed'>> {
  const { observation, certificates, endedAt: now, jitter, isTrusted, verdictFor } = await probe;
  // The worker is stopping and may have cut off the probe, so the result says nothing about the endpoint.
  if (stopping.aborted) return 'interrupted';

  const { accountId, id: monitorId, leaseToken, checkEveryMinutes: everyMinutes } = monitor;
  const lease = { accountId, monitorId, leaseToken, everyMinutes };
  if (!(await isTrusted(monitor.uptime === 'down'))) {
    const { min, max } = RECHECK_DELAY_MS;
    const again = now + min + (max - min) * random();
    const isPostponed = await postponeCheck(store, { ...lease, now, nextCheckAt: Math.floor(again) });
    return isPostponed ? 'postponed' : 'lost';
  }
  const verdict = await verdictFor(monitor);
  const conclusion = await withSpan('record', {}, () =>
    saveCheck(store, lease, { now: verdict.judgedAt, observation, verdict, certificates, jitter }),
  );
  const endpoint = { monitor: monitorId, endpoint: `${monitor.host}:${monitor.port}` };
  if (conclusion === null) {
    log.info(endpoint, 'the lease of a check was lost; its result is dropped');
    return 'lost';
  }
  if (verdict.transparency?.isRequired === true && accountId !== SYSTEM_ACCOUNT_ID) onPublicCertificate();
  const incidents = conclusion.incidents.flatMap(({ kind, ...change }) =>
    kind === 'update' ? [] : [{ kind, ...('problem' in change && { problem: change.problem }) }],
  );
  const replaced = replacedCertificate(monitor.verdict, verdict);
  if (incidents.length > 0 || replaced !== null)
    log.info({ ...endpoint, incidents, replaced }, 'the incidents or the certificate of a domain changed');
  return 'done';
}
