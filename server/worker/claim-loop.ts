import { setTimeout as delay } from 'node:timers/promises';
import { createBell } from './bell.ts';
import type { Log } from './log.ts';

/** The longest that due work waits when no signal told of it; signals make the usual wait milliseconds. */
const POLL_MS = 1_000;
/** With every slot taken, freed ones are gathered this long, so that a busy worker claims batches and not single rows. */
const GATHER_MS = 10;
const LONGEST_PAUSE_MS = 10_000;

export interface ClaimLoopOptions<Item> {
  /** What the log calls an item. */
  name: string;
  /** How many items run at once. */
  concurrency: number;
  /** Takes at most `limit` due items under a lease. */
  claim(limit: number): Promise<Item[]>;
  /** Runs one item to its end. The signal fires when the worker stops. */
  handle(item: Item, signal: AbortSignal): Promise<void>;
  /** Gives an interrupted item back; harmless for one that was finished (its lease is gone). */
  release(item: Item): Promise<void>;
  /** How long running items may finish undisturbed after a stop, before their signal fires. */
  stopGraceMs: number;
  log: Log;
}

export interface ClaimLoop {
  start(): void;
  /** Looks for due work now instead of at the next poll. */
  wake(): void;
  /** Claims and finishes everything that is due, once; resolves with how many items that were. For tests that move the clock. */
  runDue(): Promise<number>;
  /** Ends within `stopGraceMs` + `abortMs`; unfinished items are given back. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Keeps `concurrency` slots filled with claimed items. A slow item holds its own slot only: claims go on while any slot
 * is free. An item that throws is logged and keeps its lease, so that it comes back when that expires and not at once.
 */
export function createClaimLoop<Item>(options: ClaimLoopOptions<Item>): ClaimLoop {
  const { name, concurrency, log } = options;
  /** One signal per item: hundreds of listeners on one would stay there for as long as the process lives. */
  const running = new Map<AbortController, Promise<void>>();
  let interrupted = false;
  const bell = createBell();
  let full = false;
  const stopping = new AbortController();
  let looping: Promise<void> = Promise.resolve();

  async function run(item: Item, { signal }: AbortController): Promise<void> {
    try {
      if (!signal.aborted) await options.handle(item, signal);
    } catch (error) {
      log.error({ err: error }, `${name} failed; it is tried again when its lease expires`);
    }
    if (!signal.aborted) return;
    await options.release(item).catch((error: unknown) => {
      log.warn({ err: error }, `${name} could not be given back; its lease will expire`);
    });
  }

  function launch(item: Item): void {
    const controller = new AbortController();
    if (interrupted) controller.abort();
    const done = run(item, controller).finally(() => {
      running.delete(controller);
      if (full) bell.ring();
    });
    running.set(controller, done);
  }

  function interrupt(): void {
    interrupted = true;
    for (const controller of running.keys()) controller.abort();
  }

  /** Claims for the free slots; whether every slot is now taken. */
  async function fill(): Promise<boolean> {
    const free = concurrency - running.size;
    if (free === 0) return true;
    const items = await options.claim(free);
    items.forEach(launch);
    return items.length === free;
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        // Set before the claim too: an item that ends while we look at the database must ring.
        full = true;
        full = await fill();
        failures = 0;
        await bell.wait(POLL_MS);
        if (full && !stopping.signal.aborted) await delay(GATHER_MS);
      } catch (error) {
        failures += 1;
        log.error({ err: error, failures }, `no ${name} could be claimed`);
        await bell.wait(Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** (failures - 1)));
      }
    }
  }

  return {
    start() {
      looping = loop();
    },
    wake: () => bell.ring(),
    async runDue() {
      for (let handled = 0; ;) {
        const items = await options.claim(concurrency);
        if (items.length === 0) return handled;
        await Promise.all(items.map((item) => run(item, new AbortController())));
        handled += items.length;
      }
    },
    async stop(abortMs) {
      stopping.abort();
      bell.ring();
      const settled = async (): Promise<void> => {
        await looping;
        await Promise.all(running.values());
      };
      await Promise.race([settled(), delay(options.stopGraceMs, undefined, { ref: false })]);
      interrupt();
      await Promise.race([settled(), delay(abortMs, undefined, { ref: false })]);
    },
  };
}
