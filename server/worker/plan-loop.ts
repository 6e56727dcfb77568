import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store/db/open-store.ts';
import {
  applyPlan,
  findExpiredPlans,
  findMismatchedPlans,
  nextPlanEnd,
} from '../store/billing/plan-expiry.ts';
import { createWakeSignal } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/**
 * Maximum pause between rounds. During a pause an account may get an earlier plan end than the next known one; and after a
 * failed round, this is the time until the retry.
 */
const POLL_MS = MINUTE_MS;
/**
 * Minimum pause between rounds. A plan end that has passed stays stored until a worker, perhaps another one, has applied it;
 * without the pause, this loop would spin meanwhile.
 */
const MIN_PAUSE_MS = 100;

export interface PlanLoopOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** State of our clock: no plan end is applied while it is wrong. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface PlanLoop {
  start(): void;
  /**
   * Applies every plan end that has passed, and in the first round the effects of a changed BILLING setting; returns how many
   * accounts changed. For tests.
   */
  runDue(): Promise<number>;
  /** Stops within `abortMs`, between two accounts if possible. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Creates the loop that applies the ends of Premium on time: pauses or resumes domains and sends mails. An ended plan counts as
 * Free even before. Applying a plan locks the account's row and is idempotent, so several workers may run this loop.
 */
export function createPlanLoop({ store, clock, ownNetwork, log }: PlanLoopOptions): PlanLoop {
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let looping: Promise<void> = Promise.resolve();
  let mismatchesApplied = false;

  /** Applies the plans of accounts; returns how many changed, and how many failed. A failure does not stop the others. */
  async function applyPlans(accountIds: readonly string[]): Promise<{ done: number; failed: number }> {
    const count = { done: 0, failed: 0 };
    for (const accountId of accountIds) {
      if (stopping.signal.aborted) break;
      try {
        if (await applyPlan(store, { accountId, now: clock.now() })) count.done += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, 'a plan could not be applied; it will be retried');
      }
    }
    return count;
  }

  async function round(): Promise<{ done: number; failed: number }> {
    if (!(await ownNetwork.clockIsRight())) return { done: 0, failed: 0 };
    const mismatched = mismatchesApplied
      ? { done: 0, failed: 0 }
      : await applyPlans(await findMismatchedPlans(store));
    mismatchesApplied ||= mismatched.failed === 0;
    const ended = await applyPlans(await findExpiredPlans(store, clock.now()));
    return { done: mismatched.done + ended.done, failed: mismatched.failed + ended.failed };
  }

  async function pauseMs(failed: number): Promise<number> {
    const next = failed > 0 ? null : await nextPlanEnd(store);
    if (next === null) return POLL_MS;
    return Math.min(POLL_MS, Math.max(MIN_PAUSE_MS, next - clock.now()));
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { failed } = await round();
        await wakeSignal.wait(await pauseMs(failed));
      } catch (error) {
        log.error({ err: error }, 'querying expired plans failed');
        await wakeSignal.wait(POLL_MS);
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
      wakeSignal.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}
