import { setTimeout as delay } from 'node:timers/promises';
import { dueDigests, enqueueDigest, nextDueDigest } from '../store/mail/digest.ts';
import type { Store } from '../store/db/open-store.ts';
import { createBell } from './bell.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** The longest between two looks: somebody may switch his digest on, or a look fail. */
const POLL_MS = MINUTE_MS;
/** Another worker may be just about to send what is due: not asked for without a pause. */
const SHORTEST_PAUSE_MS = 100;

export interface DigestKeeperOptions {
  store: Store;
  clock: Clock;
  /** By a wrong clock no week has passed. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface DigestKeeper {
  start(): void;
  /** Puts every digest that is due into the outbox; how many. For tests. */
  runDue(): Promise<number>;
  /** Ends within `abortMs`, between two accounts where it can. */
  stop(abortMs: number): Promise<void>;
}

/** Sends the weekly digests, each once however many workers there are. */
export function createDigestKeeper({ store, clock, ownNetwork, log }: DigestKeeperOptions): DigestKeeper {
  const stopping = new AbortController();
  const bell = createBell();
  let looping: Promise<void> = Promise.resolve();

  /** How many left, and how many failed: those stand in nobody's way. */
  async function round(): Promise<{ sent: number; failed: number }> {
    const count = { sent: 0, failed: 0 };
    if (!(await ownNetwork.clockIsRight())) return count;
    for (const accountId of await dueDigests(store, clock.now())) {
      if (stopping.signal.aborted) break;
      try {
        if (await enqueueDigest(store, { accountId, now: clock.now() })) count.sent += 1;
      } catch (error) {
        count.failed += 1;
        log.error({ err: error, accountId }, 'a digest could not be written; it is tried again');
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
        await bell.wait(Math.min(POLL_MS, Math.max(SHORTEST_PAUSE_MS, untilMs)));
      } catch (error) {
        log.error({ err: error }, 'the weekly digests could not be looked for');
        await bell.wait(POLL_MS);
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
      bell.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}
