import { setTimeout as delay } from 'node:timers/promises';
import type { Telemetry } from '../telemetry/metrics.ts';
import { type LogFields, recordPastSpan, runInContext } from '../telemetry/trace-context.ts';
import type { Clock, Log } from './clock.ts';

/**
 * Maximum wait in ms for an item that is not due yet. A signal ends the wait, but signals may get lost, and other programs may
 * write to the database.
 */
const MAX_WAIT_MS = 5_000;
/**
 * Average wait in ms after several claims in a row found nothing although items are due, because other workers hold them. Waits
 * are random: with fixed intervals, the longest gap, and so the most work, would always fall to the same worker.
 */
const HELD_WAIT_MS = 1_000;
/**
 * Average wait in ms between claims while items are due. It doubles after each claim without a result, up to `HELD_WAIT_MS`. A
 * claim costs more than recording a check, so each should find several items, but small claims give workers about equal shares.
 */
const GATHER_MS = 250;
/**
 * Maximum number of items per claim. After a full batch with free slots left, the loop pauses: otherwise the first worker after a
 * stall would claim everything that became due during the stall.
 */
const MAX_BATCH = 16;
const BATCH_PAUSE_MS = 20;
/**
 * Extra wait in ms after all slots were taken. During the wait more slots become free, so that a busy worker claims batches and
 * not single rows.
 */
const FREE_SLOTS_MS = 10;
const MAX_ERROR_PAUSE_MS = 10_000;

export interface ClaimLoopOptions<Item> {
  /** Name of the kind of item, such as 'icon', in log lines, traces and metrics. */
  name: string;
  /** Maximum number of items that hold a slot at once. */
  concurrency: number;
  /**
   * Returns when the first item is due, ms UTC, even if a worker holds it; null if none is waiting. It must be cheap: the loop
   * calls it often, because a claim writes to the database even if it finds nothing.
   */
  firstDueAt(): Promise<number | null>;
  /** Claims at most `limit` due items under a lease. */
  claim(limit: number): Promise<Item[]>;
  /**
   * Processes one item. The signal aborts when the worker stops. `leaveSlot` frees the item's slot and moves it to the waiting
   * room.
   */
  handle(item: Item, signal: AbortSignal, leaveSlot: LeaveSlot): Promise<void>;
  /**
   * Room for `size` items that wait for a slow server without a slot. If it is full, the group with the most items gives up its
   * oldest one; without `groupOf`, further items keep their slots. Default: no waiting room.
   */
  waitingRoom?: { size: number; groupOf?: (item: Item) => string };
  /** Releases an interrupted item. May be called for an item that has just finished. */
  release(item: Item): Promise<void>;
  /** Renews the lease of a running item every `everyMs`. Absent if leases last longer than any item, or `handle` renews them. */
  renewal?: { everyMs: number; renew(item: Item): Promise<void> };
  /** Returns a random number in [0, 1). */
  random: () => number;
  /** Fields that identify an item in log lines and in its trace. */
  fieldsOf(item: Item): LogFields;
  telemetry: Telemetry;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** Frees the slot of an item. If the waiting room is full, `giveUp` is called, and the item should end soon after. */
export type LeaveSlot = (giveUp?: () => void) => void;

interface Running<Item> {
  item: Item;
  done: Promise<void>;
  /** Where the item is: it holds a slot, is in the waiting room, or was told there to give up. */
  place: 'slot' | 'waiting' | 'leaving';
  giveUp: () => void;
}

export interface ClaimLoop {
  start(): void;
  /** Makes the loop claim due work now, and not at the end of its wait. */
  wake(): void;
  /** Claims and processes everything that is due. Returns the number of items. For tests that move the clock. */
  runDue(): Promise<number>;
  /**
   * Stops claiming. Aborts items that still run after `graceMs` and releases them when they end. Releases items that still run
   * after another `abortMs`, and waits at most `abortMs` for these releases.
   */
  stop(patience: Patience): Promise<void>;
}

interface Patience {
  graceMs: number;
  abortMs: number;
}

/**
 * Creates a loop that runs at most `concurrency` claimed items at once, not counting those in the waiting room. If an item
 * throws, the loop logs the error. The item stays claimed, so it is retried when its lease expires.
 */
export function createClaimLoop<Item>(options: ClaimLoopOptions<Item>): ClaimLoop {
  const { name, concurrency, log, telemetry } = options;
  const kind = name.replaceAll(' ', '_');
  const wakeSignal = createWakeSignal();
  let isFull = false;
  const running = new RunningItems(options, () => {
    if (isFull) wakeSignal.ring();
  });
  const stopping = new AbortController();
  let looping: Promise<void> = Promise.resolve();
  const jittered = (ms: number): number => ms * (0.5 + options.random());

  async function claimAtMost(limit: number): Promise<{ items: Item[]; claim: PastClaim }> {
    const startedAt = performance.timeOrigin + performance.now();
    const items = await options.claim(limit);
    const endedAt = performance.timeOrigin + performance.now();
    telemetry.metrics.recordClaim(kind, { items: items.length, seconds: (endedAt - startedAt) / 1_000 });
    return { items, claim: { startedAt, endedAt } };
  }

  /**
   * Claims items for the free slots. Returns `full` if all slots are taken, `more` if the batch has the maximum size and slots
   * are left, `some` for a smaller batch, and `none` if nothing was due.
   */
  async function fill(): Promise<'full' | 'more' | 'some' | 'none'> {
    const free = running.freeSlots();
    if (free <= 0) return 'full';
    const batch = Math.min(free, MAX_BATCH);
    const { items, claim } = await claimAtMost(batch);
    for (const item of items) running.launch(item, claim);
    if (items.length === free) return 'full';
    if (items.length === batch) return 'more';
    return items.length > 0 ? 'some' : 'none';
  }

  /** Returns the time in ms until the first item is due; 0 or less if one is due now. */
  async function dueInMs(): Promise<number> {
    const at = await options.firstDueAt();
    return at === null ? Number.POSITIVE_INFINITY : at - options.clock.now();
  }

  async function loop(): Promise<void> {
    let failures = 0;
    let misses = 0;
    while (!stopping.signal.aborted) {
      try {
        const untilDueMs = await dueInMs();
        if (untilDueMs > 0) {
          await wakeSignal.wait(Math.min(untilDueMs + jittered(GATHER_MS), MAX_WAIT_MS));
          failures = 0;
          continue;
        }
        // Set `isFull` before the claim too: an item that ends during the claim must wake the loop.
        isFull = true;
        const found = await fill();
        isFull = found === 'full';
        misses = found === 'none' ? misses + 1 : 0;
        failures = 0;
        // Do not let a signal end this pause: other workers need time to claim.
        if (found === 'more') await delay(jittered(BATCH_PAUSE_MS));
        else await wakeSignal.wait(jittered(Math.min(GATHER_MS * 2 ** misses, HELD_WAIT_MS)));
        if (isFull && !stopping.signal.aborted) await delay(FREE_SLOTS_MS);
      } catch (error) {
        failures += 1;
        log.error({ err: error, failures }, `claiming the next ${name} failed`);
        await wakeSignal.wait(Math.min(MAX_ERROR_PAUSE_MS, HELD_WAIT_MS * 2 ** (failures - 1)));
      }
    }
  }

  return {
    start() {
      looping = loop();
    },
    wake: () => wakeSignal.ring(),
    async runDue() {
      for (let handled = 0; ;) {
        const { items, claim } = await claimAtMost(concurrency);
        if (items.length === 0) return handled;
        await Promise.all(items.map((item) => running.run(item, new AbortController(), claim)));
        handled += items.length;
      }
    },
    stop(patience) {
      stopping.abort();
      wakeSignal.ring();
      return running.stop(looping, patience);
    },
  };
}

/** The items that a claim loop runs, each in a slot or in the waiting room. */
class RunningItems<Item> {
  readonly #options: ClaimLoopOptions<Item>;
  readonly #onSlotFree: () => void;
  /** Each item has its own abort controller: on a shared signal, listeners would pile up as long as the process runs. */
  readonly #running = new Map<AbortController, Running<Item>>();
  #isInterrupted = false;
  /** Releases in progress or done, by item, so that `stop` does not release an item twice. */
  readonly #releases = new Map<Item, Promise<void>>();

  constructor(options: ClaimLoopOptions<Item>, onSlotFree: () => void) {
    this.#options = options;
    this.#onSlotFree = onSlotFree;
  }

  /** Returns the number of free slots. It is 0 or less if no slot is free. */
  freeSlots(): number {
    const { concurrency, waitingRoom } = this.#options;
    const withoutPlace = Math.max(0, this.#inPlace('waiting').length - (waitingRoom?.size ?? 0));
    return concurrency - this.#inPlace('slot').length - withoutPlace;
  }

  /** Runs an item in a slot. */
  launch(item: Item, claim: PastClaim): void {
    const controller = new AbortController();
    if (this.#isInterrupted) controller.abort();
    const launched: Running<Item> = { item, place: 'slot', giveUp: () => undefined, done: Promise.resolve() };
    this.#running.set(controller, launched);
    launched.done = this.run(item, controller, claim).finally(() => {
      this.#running.delete(controller);
      this.#onSlotFree();
    });
  }

  /** Runs an item. Its log lines include its fields, and its trace begins with the claim. */
  run(item: Item, controller: AbortController, claim: PastClaim): Promise<void> {
    const { name, telemetry, log } = this.#options;
    const fields = this.#options.fieldsOf(item);
    const span =
      telemetry.tracer?.start(name, {
        kind: 'consumer',
        parent: null,
        startedAt: claim.startedAt,
        attributes: attributesOf(fields),
      }) ?? null;
    return runInContext({ fields, span }, async () => {
      recordPastSpan({ name: 'claim', ...claim });
      const endRenewal = this.#renewLease(item);
      try {
        const leave: LeaveSlot = (giveUp = () => undefined) => this.#leaveSlot(controller, giveUp);
        if (!controller.signal.aborted) await this.#options.handle(item, controller.signal, leave);
      } catch (error) {
        span?.fail(error);
        log.error({ err: error }, `${name} failed; it is tried again when its lease expires`);
      } finally {
        endRenewal();
      }
      if (controller.signal.aborted) await this.#release(item);
      span?.end();
    });
  }

  /** Aborts items that still run after `graceMs`, and releases items that still run after another `abortMs`. */
  async stop(looping: Promise<void>, { graceMs, abortMs }: Patience): Promise<void> {
    const allEnded = async (): Promise<void> => {
      await looping;
      await Promise.all([...this.#running.values()].map(({ done }) => done));
    };
    await Promise.race([allEnded(), delay(graceMs, undefined, { ref: false })]);
    this.#isInterrupted = true;
    for (const controller of this.#running.keys()) controller.abort();
    await Promise.race([allEnded(), delay(abortMs, undefined, { ref: false })]);
    const released = Promise.all([...this.#running.values()].map(({ item }) => this.#release(item)));
    await Promise.race([released, delay(abortMs, undefined, { ref: false })]);
  }

  #inPlace(place: Running<Item>['place']): Running<Item>[] {
    return [...this.#running.values()].filter((one) => one.place === place);
  }

  #leaveSlot(controller: AbortController, giveUp: () => void): void {
    const { waitingRoom } = this.#options;
    const leaving = this.#running.get(controller);
    if (waitingRoom === undefined || leaving?.place !== 'slot') return;
    Object.assign(leaving, { place: 'waiting', giveUp });
    const { size, groupOf } = waitingRoom;
    const waiting = this.#inPlace('waiting');
    if (waiting.length > size && groupOf !== undefined) {
      const groups = Map.groupBy(waiting, ({ item }) => groupOf(item)).values();
      const [oldest] = [...groups].reduce((most, group) => (group.length > most.length ? group : most));
      if (oldest !== undefined) {
        oldest.place = 'leaving';
        oldest.giveUp();
      }
    }
    this.#onSlotFree();
  }

  #release(item: Item): Promise<void> {
    const { name, log } = this.#options;
    const released =
      this.#releases.get(item) ??
      this.#options.release(item).catch((error: unknown) => {
        log.warn({ err: error }, `${name} could not be released; its lease will expire`);
      });
    this.#releases.set(item, released);
    return released;
  }

  #renewLease(item: Item): () => void {
    const { name, log, renewal } = this.#options;
    if (renewal === undefined) return () => undefined;
    const timer = setInterval(() => {
      renewal.renew(item).catch((error: unknown) => {
        log.warn({ err: error }, `the lease of ${name} could not be extended`);
      });
    }, renewal.everyMs);
    return () => clearInterval(timer);
  }
}

/** Start and end of a claim, in ms UTC. */
interface PastClaim {
  startedAt: number;
  endedAt: number;
}

function attributesOf(fields: LogFields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`certlantern.${name}`, value]));
}

/** A wake signal that is never lost: if `ring` is called while nobody waits, the next `wait` returns at once. */
export interface WakeSignal {
  ring(): void;
  /** Resolves at the next ring, or after `ms` of real time (not of the settable clock). */
  wait(ms: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let isPending = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      isPending = true;
      wake?.();
    },
    async wait(ms) {
      if (!isPending) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      isPending = false;
    },
  };
}
