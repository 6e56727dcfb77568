import { setTimeout as delay } from 'node:timers/promises';
import { dueDigests, enqueueDigest, nextDueDigest } from '../store/mail/digest.ts';
import type { Store } from '../store/db/open-store.ts';
import { createWakeSignal } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/**
 * Maximum pause between rounds. During a pause a user may turn on a digest that is due before the next known one; and after a
 * failed round, this is the time until the retry.
 */
const POLL_MS = MINUTE_MS;
/**
 * Minimum pause between rounds. A due digest stays due until a worker, perhaps another one, has queued it; without the pause,
 * this loop would spin meanwhile.
 */
const MIN_PAUSE_MS = 100;

export interface DigestLoopOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** State of our clock: no digest is queued while it is wrong. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface DigestLoop {
  start(): void;
  /** Queues every digest that is due; returns how many. For tests. */
  runDue(): Promise<number>;
  /** Stops within `abortMs`, between two accounts if possible. */
  stop(abortMs: number): Promise<void>;
}

/** Creates the loop that queues the weekly digests. Each is queued once, even with several workers. */
export function createDigestLoop({ store, clock, ownNetwork, log }: DigestLoopOptions): DigestLoop {
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let looping: Promise<void> = Promise.resolve();

  /** Queues the due digests; returns how many were queued, and how many failed. A failure does not stop the others. */
  async function round(): Promise<{ sent: number; failed: number }> {
    const count = { sent: 0, failed: 0 };
    if (!(await ownNetwork.clockIsRight())) return count;
    for (const accountId of await dueDigests(store, clock.now())) {
      if (stopping.signal.aborted) break;
      try {
        if (await enqueueDigest(store, { accountId, now: clock.now() })) count.sent += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, 'a digest could not be written; it will be retried');
      }
    }
    return count;
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { failed } = await round();
        const next = failed > 0 ? null : await nextDueDigest(store);
        const untilMs = next === null ? POLL_MS : next - clock.now();
        await wakeSignal.wait(Math.min(POLL_MS, Math.max(MIN_PAUSE_MS, untilMs)));
      } catch (error) {
        log.error({ err: error }, 'querying due digests failed');
        await wakeSignal.wait(POLL_MS);
      }
    }
  }

  return {
    start() {
      looping = loop();
    },
    runDue: async () => (await round()).sent,
    async stop(abortMs) {
      stopping.abort();
      wakeSignal.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}
