import { releaseClaim } from '../store/monitors/monitor-claims.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { checkEndpoint, type CheckerOptions } from './checker.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { OwnNetwork } from './own-network.ts';
import { claimWatchers, type SharedLooks, type Watchers } from './shared-looks.ts';

/**
 * A probe takes at most 20 s, and the canaries that it may wait for 8 s more; the rest is for recording. After this, other workers
 * take over the checks of a killed process.
 */
const CHECK_LEASE_MS = 45_000;

/** Claims due monitors, together with others that watch the same endpoint, and checks them. */
export function createCheckLoop(
  options: CheckerOptions & {
    claimedBy: string;
    /** How many checks run at once. */
    concurrency: number;
    looks: SharedLooks;
    ownNetwork: OwnNetwork;
    telemetry: Telemetry;
  },
): ClaimLoop {
  const { store, clock, claimedBy, ownNetwork } = options;
  let taken = 0;
  const loop = createClaimLoop<Watchers>({
    ...options,
    name: 'check',
    async claim(limit) {
      // With a wrong clock, everything may be due and be judged expired.
      if (!(await ownNetwork.clockIsRight())) return [];
      const claim = { now: clock.now(), limit, leaseMs: CHECK_LEASE_MS, claimedBy, taken };
      const { watchers, isMore } = await claimWatchers(store, claim);
      taken += watchers.length;
      // Several due monitors became one item: slots are free, and nothing else would wake the loop for the rest.
      if (isMore && watchers.length < limit) loop.wake();
      return watchers;
    },
    handle: (watchers, stopping) => checkEndpoint(watchers, options, stopping),
    release: async (watchers) => {
      for (const monitor of watchers) await releaseClaim(store, monitor);
    },
    fieldsOf: ([{ host, port }]) => ({ endpoint: `${host}:${port}` }),
  });
  return loop;
}
