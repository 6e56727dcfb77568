import { setTimeout as delay } from 'node:timers/promises';
import {
  applyPlan,
  findExpiredPlans,
  findMismatchedPlans,
  nextPlanEnd,
} from '../store/billing/plan-expiry.ts';
import type { Store } from '../store/db/open-store.ts';
import { dueDigests, enqueueDigest, nextDueDigest } from '../store/mail/digest.ts';
import { createWakeSignal } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/**
 * Maximum pause between rounds in ms. It bounds the delay of work that is added during a pause and due before the next known
 * work, and of the retry after a failed round.
 */
const POLL_MS = MINUTE_MS;
/**
 * Minimum pause between rounds in ms. Work stays due until a worker, perhaps another one, has done it. Without the pause, a loop
 * would spin until then.
 */
const MIN_PAUSE_MS = 100;

export interface AccountLoopOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** State of our clock: while the clock is wrong, the loop does nothing. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

/** Work that accounts need at known times. Doing it twice has no further effect, so several workers may do it. */
interface AccountWork {
  /** Returns the accounts for which work is due. */
  due(now: number): Promise<readonly string[]>;
  /** Does the work of one account. Returns whether the account had any. */
  process(accountId: string, now: number): Promise<boolean>;
  /** Called after a round in which no account failed. */
  onComplete?(): void;
  /** Returns when the next work is due, ms UTC; null if none is known. */
  nextDueAt(): Promise<number | null>;
  /** Log messages for a failure of one account's work, and of the query for due work. */
  failures: { account: string; query: string };
}

export interface AccountLoop {
  start(): void;
  /** Does all due work. Returns the number of accounts that had any. For tests. */
  runDue(): Promise<number>;
  /** Stops within `abortMs`: between two accounts if possible, else during one. */
  stop(abortMs: number): Promise<void>;
}

function createAccountLoop({ clock, ownNetwork, log }: AccountLoopOptions, work: AccountWork): AccountLoop {
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let looping: Promise<void> = Promise.resolve();

  /**
   * Does the due work. Returns the number of accounts done and of accounts that failed. A failure does not stop the work of other
   * accounts.
   */
  async function round(): Promise<{ done: number; failed: number }> {
    const count = { done: 0, failed: 0 };
    if (!(await ownNetwork.clockIsRight())) return count;
    for (const accountId of await work.due(clock.now())) {
      if (stopping.signal.aborted) return count;
      try {
        if (await work.process(accountId, clock.now())) count.done += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, work.failures.account);
      }
    }
    if (count.failed === 0) work.onComplete?.();
    return count;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { failed } = await round();
        const next = failed > 0 ? null : await work.nextDueAt();
        const untilMs = next === null ? POLL_MS : next - clock.now();
        await wakeSignal.wait(Math.min(POLL_MS, Math.max(MIN_PAUSE_MS, untilMs)));
      } catch (error) {
        log.error({ err: error }, work.failures.query);
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

/** Creates the loop that queues the weekly digests. Even with several workers, each digest is queued once. */
export function createDigestLoop(options: AccountLoopOptions): AccountLoop {
  const { store } = options;
  return createAccountLoop(options, {
    due: (now) => dueDigests(store, now),
    process: (accountId, now) => enqueueDigest(store, { accountId, now }),
    nextDueAt: () => nextDueDigest(store),
    failures: {
      account: 'a digest could not be written; it will be retried',
      query: 'querying due digests failed',
    },
  });
}

/**
 * Creates the loop that ends Premium on time: pauses or resumes domains and sends mails. An account whose plan has ended is
 * treated as Free even before. The first round also applies the effects of a changed BILLING setting.
 */
export function createPlanLoop(options: AccountLoopOptions): AccountLoop {
  const { store } = options;
  let mismatchesApplied = false;
  return createAccountLoop(options, {
    async due(now) {
      const mismatched = mismatchesApplied ? [] : await findMismatchedPlans(store);
      return [...mismatched, ...(await findExpiredPlans(store, now))];
    },
    process: (accountId, now) => applyPlan(store, { accountId, now }),
    onComplete() {
      mismatchesApplied = true;
    },
    nextDueAt: () => nextPlanEnd(store),
    failures: {
      account: 'a plan could not be applied; it will be retried',
      query: 'querying expired plans failed',
    },
  });
}
