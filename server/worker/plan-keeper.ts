import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store/db/open-store.ts';
import {
  applyPlan,
  findExpiredPlans,
  findMismatchedPlans,
  nextPlanEnd,
} from '../store/billing/plan-expiry.ts';
import { createWakeSignal } from './wake-signal.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** The longest pause between rounds: a new end may come before the expected one, or a round may fail. */
const POLL_MS = MINUTE_MS;
/** Another worker, or one with another clock, may be about to apply what is due; pause before asking again. */
const MIN_PAUSE_MS = 100;

export interface PlanKeeperOptions {
  store: Store;
  clock: Clock;
  /** No plan ends while the clock is wrong. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface PlanKeeper {
  start(): void;
  /**
   * Applies every end that has passed, and at first what changed with BILLING; returns how many
   * accounts changed. For tests.
   */
  runDue(): Promise<number>;
  /** Stops within `abortMs`, between two accounts where possible. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Creates the loop that applies the ends of Premium on time: it pauses domains, sends mails, and resumes domains. An
 * ended plan counts as Free at once even without it. Applying a plan locks the account's row and is
 * idempotent, so several workers may run this loop.
 */
export function createPlanKeeper({ store, clock, ownNetwork, log }: PlanKeeperOptions): PlanKeeper {
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let looping: Promise<void> = Promise.resolve();
  let misfitsDone = false;

  /** Returns how many accounts changed, and how many failed. A failure does not hold up the others. */
  async function carryOut(accountIds: readonly string[]): Promise<{ done: number; failed: number }> {
    const count = { done: 0, failed: 0 };
    for (const accountId of accountIds) {
      if (stopping.signal.aborted) break;
      try {
        if (await applyPlan(store, { accountId, now: clock.now() })) count.done += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, 'a plan could not be carried out; it is tried again');
      }
    }
    return count;
  }

  async function round(): Promise<{ done: number; failed: number }> {
    if (!(await ownNetwork.clockIsRight())) return { done: 0, failed: 0 };
    const misfits = misfitsDone ? { done: 0, failed: 0 } : await carryOut(await findMismatchedPlans(store));
    misfitsDone ||= misfits.failed === 0;
    const ended = await carryOut(await findExpiredPlans(store, clock.now()));
    return { done: misfits.done + ended.done, failed: misfits.failed + ended.failed };
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
        log.error({ err: error }, 'the ends of plans could not be looked for');
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
