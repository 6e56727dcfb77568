import { setTimeout as delay } from 'node:timers/promises';
import { during, type Fields, type Telemetry, tracePast } from '../telemetry/index.ts';
import { createBell } from './bell.ts';
import type { Log } from './clock.ts';

/**
 * How long due work waits on average when no signal told of it; signals make the usual wait milliseconds. Never twice the same:
 * of workers that come by in turn the one before a gap would have the most to do, for ever.
 */
const POLL_MS = 1_000;
/**
 * The same after a claim that found something, and twice as long after each that did not: what is due in a second comes in several
 * small portions, and of several workers each has its share within minutes, as it comes by so much more often.
 */
const BUSY_POLL_MS = 100;
/**
 * At most so many are taken at a time, and the rest after so long: after a moment in which nothing could be claimed whoever came first
 * would take all that had become due.
 */
const MOST_CLAIMED = 16;
const SHORT_PAUSE_MS = 20;
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
  /** Moves the end of a running item's lease on, `everyMs`; absent where leases outlast every item. */
  renewal?: { everyMs: number; renew(item: Item): Promise<void> };
  /** In [0, 1). */
  random: () => number;
  /** What each line of the log about an item, and its trace, tell it apart by. */
  fieldsOf(item: Item): Fields;
  telemetry: Telemetry;
  log: Log;
}

export interface ClaimLoop {
  start(): void;
  /** Looks for due work now instead of at the next poll. */
  wake(): void;
  /** Claims and finishes everything that is due, once; resolves with how many items that were. For tests that move the clock. */
  runDue(): Promise<number>;
  /**
   * Claims no more. Running items may end undisturbed for `graceMs`, then their signal fires; what has not ended `abortMs` later is
   * given back all the same.
   */
  stop(patience: { graceMs: number; abortMs: number }): Promise<void>;
}

/**
 * Keeps `concurrency` slots filled with claimed items. A slow item holds its own slot only: claims go on while any slot
 * is free. An item that throws is logged and keeps its lease, so that it comes back when that expires and not at once.
 */
export function createClaimLoop<Item>(options: ClaimLoopOptions<Item>): ClaimLoop {
  const { name, concurrency, log, telemetry } = options;
  const kind = name.replaceAll(' ', '_');
  /** One signal per item: hundreds of listeners on one would stay there for as long as the process lives. */
  const running = new Map<AbortController, { item: Item; done: Promise<void> }>();
  let interrupted = false;
  /** What is or was given back: by its end, or by a stop that waited for that in vain. */
  const givenBack = new Map<Item, Promise<void>>();
  const bell = createBell();
  let full = false;
  const stopping = new AbortController();
  let looping: Promise<void> = Promise.resolve();

  /** Every line of the log that is written meanwhile has the item's ids; its trace begins with the claim. */
  function run(item: Item, controller: AbortController, claim: PastClaim): Promise<void> {
    const fields = options.fieldsOf(item);
    const span =
      telemetry.tracer?.start(name, {
        kind: 'consumer',
        parent: null,
        startedAt: claim.startedAt,
        attributes: attributesOf(fields),
      }) ?? null;
    return during({ fields, span }, async () => {
      tracePast({ name: 'claim', ...claim });
      const endRenewal = renewLease(item);
      try {
        if (!controller.signal.aborted) await options.handle(item, controller.signal);
      } catch (error) {
        span?.fail(error);
        log.error({ err: error }, `${name} failed; it is tried again when its lease expires`);
      } finally {
        endRenewal();
      }
      if (controller.signal.aborted) await giveBack(item);
      span?.end();
    });
  }

  function giveBack(item: Item): Promise<void> {
    const released =
      givenBack.get(item) ??
      options.release(item).catch((error: unknown) => {
        log.warn({ err: error }, `${name} could not be given back; its lease will expire`);
      });
    givenBack.set(item, released);
    return released;
  }

  function renewLease(item: Item): () => void {
    const { renewal } = options;
    if (renewal === undefined) return () => undefined;
    const timer = setInterval(() => {
      renewal.renew(item).catch((error: unknown) => {
        log.warn({ err: error }, `the lease of ${name} could not be extended`);
      });
    }, renewal.everyMs);
    return () => clearInterval(timer);
  }

  async function claimAtMost(limit: number): Promise<{ items: Item[]; claim: PastClaim }> {
    const startedAt = performance.timeOrigin + performance.now();
    const items = await options.claim(limit);
    const endedAt = performance.timeOrigin + performance.now();
    telemetry.meters.claim(kind, { items: items.length, seconds: (endedAt - startedAt) / 1_000 });
    return { items, claim: { startedAt, endedAt } };
  }

  function launch(item: Item, claim: PastClaim): void {
    const controller = new AbortController();
    if (interrupted) controller.abort();
    const done = run(item, controller, claim).finally(() => {
      running.delete(controller);
      if (full) bell.ring();
    });
    running.set(controller, { item, done });
  }

  function interrupt(): void {
    interrupted = true;
    for (const controller of running.keys()) controller.abort();
  }

  /** Claims for the free slots. What was found: for all of them, as much as a claim takes with `more` slots left, less, or nothing. */
  async function fill(): Promise<'full' | 'more' | 'some' | 'none'> {
    const free = concurrency - running.size;
    if (free === 0) return 'full';
    const most = Math.min(free, MOST_CLAIMED);
    const { items, claim } = await claimAtMost(most);
    for (const item of items) launch(item, claim);
    if (items.length === free) return 'full';
    if (items.length === most) return 'more';
    return items.length > 0 ? 'some' : 'none';
  }

  const jittered = (ms: number): number => ms * (0.5 + options.random());

  async function loop(): Promise<void> {
    let failures = 0;
    let misses = 0;
    while (!stopping.signal.aborted) {
      try {
        // Set before the claim too: an item that ends while we look at the database must ring.
        full = true;
        const found = await fill();
        full = found === 'full';
        misses = found === 'none' ? misses + 1 : 0;
        failures = 0;
        // Others come by in this time, whatever rings meanwhile.
        if (found === 'more') await delay(jittered(SHORT_PAUSE_MS));
        else await bell.wait(jittered(Math.min(BUSY_POLL_MS * 2 ** misses, POLL_MS)));
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
        const { items, claim } = await claimAtMost(concurrency);
        if (items.length === 0) return handled;
        await Promise.all(items.map((item) => run(item, new AbortController(), claim)));
        handled += items.length;
      }
    },
    async stop({ graceMs, abortMs }) {
      stopping.abort();
      bell.ring();
      const settled = async (): Promise<void> => {
        await looping;
        await Promise.all([...running.values()].map(({ done }) => done));
      };
      await Promise.race([settled(), delay(graceMs, undefined, { ref: false })]);
      interrupt();
      await Promise.race([settled(), delay(abortMs, undefined, { ref: false })]);
      const rest = Promise.all([...running.values()].map(({ item }) => giveBack(item)));
      await Promise.race([rest, delay(abortMs, undefined, { ref: false })]);
    },
  };
}

/** Instants in ms UTC. */
interface PastClaim {
  startedAt: number;
  endedAt: number;
}

function attributesOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`certlantern.${name}`, value]));
}
