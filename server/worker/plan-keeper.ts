import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store/db/open-store.ts';
import { carryOutPlan, endedPlans, misfitPlans, nextPlanEnd } from '../store/billing/plan-ends.ts';
import { createBell } from './bell.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** The longest between two looks: a new end may come closer than the one that is waited for, or a look fail. */
const POLL_MS = MINUTE_MS;
/** Another worker, or another clock, may be just about to carry out what is due: not asked for without a pause. */
const SHORTEST_PAUSE_MS = 100;

export interface PlanKeeperOptions {
  store: Store;
  clock: Clock;
  /** By a wrong clock nothing ends. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface PlanKeeper {
  start(): void;
  /** Carries out every end that has passed, and at first what changed with BILLING; how many accounts changed. For tests. */
  runDue(): Promise<number>;
  /** Ends within `abortMs`, between two accounts where it can. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Carries out the ends of Premium on time. They count without it from their moment on; it pauses, tells, and brings back.
 * Each account is settled under its row's lock and settling twice changes nothing, so that several workers may do it.
 */
export function createPlanKeeper({ store, clock, ownNetwork, log }: PlanKeeperOptions): PlanKeeper {
  const stopping = new AbortController();
  const bell = createBell();
  let looping: Promise<void> = Promise.resolve();
  let fits = false;

  /** How many accounts changed, and how many failed: those stand in nobody's way. */
  async function carryOut(accountIds: readonly string[]): Promise<{ done: number; failed: number }> {
    const count = { done: 0, failed: 0 };
    for (const accountId of accountIds) {
      if (stopping.signal.aborted) break;
      try {
        if (await carryOutPlan(store, { accountId, now: clock.now() })) count.done += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, 'a plan could not be carried out; it is tried again');
      }
    }
    return count;
  }

  async function round(): Promise<{ done: number; failed: number }> {
    if (!(await ownNetwork.clockIsRight())) return { done: 0, failed: 0 };
    const misfits = fits ? { done: 0, failed: 0 } : await carryOut(await misfitPlans(store));
    fits ||= misfits.failed === 0;
    const ended = await carryOut(await endedPlans(store, clock.now()));
    return { done: misfits.done + ended.done, failed: misfits.failed + ended.failed };
  }

  async function pauseMs(failed: number): Promise<number> {
    const next = failed > 0 ? null : await nextPlanEnd(store);
    if (next === null) return POLL_MS;
    return Math.min(POLL_MS, Math.max(SHORTEST_PAUSE_MS, next - clock.now()));
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { failed } = await round();
        await bell.wait(await pauseMs(failed));
      } catch (error) {
        log.error({ err: error }, 'the ends of plans could not be looked for');
        await bell.wait(POLL_MS);
      }
    }
  }

  return {
    start() {
      looping = loop();
    },
    runDue: async () => (await round()).done,
    async stop(abortMs) {
      stopping.abort();
      bell.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}
