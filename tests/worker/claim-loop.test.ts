import { HOUR_MS } from '../../contract/durations.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { STOPPED } from '../kit/peers/loopback.ts';
import { metricsOnly } from '../../server/telemetry/metrics.ts';
import { type ClaimLoop, type ClaimLoopOptions, createClaimLoop } from '../../server/worker/claim-loop.ts';

const PATIENCE = { graceMs: 0, abortMs: 1_000 };

interface Item {
  name: string;
  work: Promise<void>;
  /** Name of the group in whose waiting room the item waits, so that it leaves its slot at once. Default: it keeps its slot. */
  waitsIn?: string;
}

interface RigOptions {
  concurrency?: number;
  claim?: (limit: number) => Promise<Item[]>;
  /** When the first item is due, in ms; by default one always is. */
  firstDueAt?: () => number | null;
  renewal?: ClaimLoopOptions<Item>['renewal'];
  /** Size of the waiting room. Default: there is none. */
  room?: number;
  /** True if items keep their slots when the waiting room is full. */
  isPatient?: boolean;
  /** True if the item ignores its abort signal. */
  isDeaf?: boolean;
}

function rig(options: RigOptions = {}) {
  const due: Item[] = [];
  const done: string[] = [];
  const released: string[] = [];
  const gaveUp: string[] = [];
  const limits: number[] = [];
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const loop: ClaimLoop = createClaimLoop<Item>({
    name: 'item',
    concurrency: options.concurrency ?? 4,
    firstDueAt: () => Promise.resolve(options.firstDueAt ? options.firstDueAt() : 0),
    claim:
      options.claim ??
      ((limit) => {
        limits.push(limit);
        return Promise.resolve(due.splice(0, limit));
      }),
    async handle(item, stopping, leaveSlot) {
      const { promise: stop, resolve: end } = Promise.withResolvers<void>();
      stopping.addEventListener('abort', () => end());
      if (item.waitsIn !== undefined)
        leaveSlot(() => {
          gaveUp.push(item.name);
          end();
        });
      await (options.isDeaf ? item.work : Promise.race([item.work, stop]));
      if (!stopping.aborted) done.push(item.name);
    },
    release: (item) => {
      released.push(item.name);
      return Promise.resolve();
    },
    ...(options.renewal && { renewal: options.renewal }),
    ...(options.room !== undefined && {
      waitingRoom: {
        size: options.room,
        ...(!options.isPatient && { groupOf: ({ waitsIn = '' }: Item) => waitsIn }),
      },
    }),
    random: () => 0.5,
    fieldsOf: ({ name }) => ({ item: name }),
    telemetry: metricsOnly(),
    clock: { now: () => performance.now() },
    log,
  });
  onTestFinished(() => loop.stop(PATIENCE));
  return { loop, due, done, released, gaveUp, limits, log };
}

/** Fakes timers: only the test moves pauses and lease renewals, and promises settle by themselves. Poll with `STOPPED`. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

const atOnce = (name: string): Item => ({ name, work: Promise.resolve() });
const never = (name: string): Item => ({ name, work: new Promise(() => {}) });
const waiting = (name: string, waitsIn = 'one'): Item => ({ ...never(name), waitsIn });
const failing = (name: string): Item => ({ name, work: Promise.reject(new Error(`${name} is broken`)) });
const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('The claim loop', () => {
  it('runs fast items while slow ones hang', async () => {
    const { loop, due, done } = rig({ concurrency: 4 });
    due.push(...names(3, 'slow').map(never), ...names(50, 'fast').map(atOnce));
    loop.start();
    await expect.poll(() => done).toHaveLength(50);
    expect(new Set(done)).toEqual(new Set(names(50, 'fast')));
  });

  it('never runs more items at once than its limit', async () => {
    let now = 0;
    let max = 0;
    const counting = (name: string): Item => ({
      name,
      get work() {
        max = Math.max(max, ++now);
        return new Promise<void>((resolve) => setImmediate(resolve)).then(() => void now--);
      },
    });
    const { loop, due, done } = rig({ concurrency: 5 });
    due.push(...names(40, 'item').map(counting));
    loop.start();
    await expect.poll(() => done).toHaveLength(40);
    expect(max).toBe(5);
  });

  it('runs other items in the slots of those that went to the waiting room', async () => {
    const { loop, due, done } = rig({ concurrency: 2, room: 5 });
    due.push(...names(5, 'slow').map((name) => waiting(name)), ...names(20, 'fast').map(atOnce));
    loop.start();
    await expect.poll(() => done).toHaveLength(20);
    expect(new Set(done)).toEqual(new Set(names(20, 'fast')));
  });

  it('makes the group with the most items give up its oldest one if the waiting room is full', async () => {
    const { loop, due, done, gaveUp } = rig({ concurrency: 2, room: 3 });
    due.push(...['a1', 'a2', 'b1', 'a3', 'b2'].map((name) => waiting(name, name[0])));
    loop.start();
    await expect.poll(() => done).toHaveLength(2);
    expect(gaveUp).toEqual(['a1', 'a2']);
    // Items that were made to give up still end and report a result.
    expect(done).toEqual(['a1', 'a2']);
  });

  it('leaves items in their slots while the waiting room is full, until another item leaves the room', async () => {
    const rounds = vi.fn(() => 0);
    const { loop, due, done, gaveUp } = rig({
      concurrency: 2,
      room: 3,
      isPatient: true,
      firstDueAt: rounds,
    });
    const { promise: work, resolve: end } = Promise.withResolvers<void>();
    due.push({ name: 'ends', work, waitsIn: 'one' }, ...names(4, 'slow').map((name) => waiting(name)));
    due.push(atOnce('fast'));
    loop.start();
    await expect.poll(() => due).toHaveLength(1);
    rounds.mockClear();
    loop.wake();
    await expect.poll(() => rounds.mock.calls.length).toBeGreaterThan(1);
    expect(due).toHaveLength(1);
    end();
    await expect.poll(() => done).toEqual(['ends', 'fast']);
    expect(gaveUp).toEqual([]);
  });

  it('frees no slot early without a waiting room', async () => {
    const { loop, due, done } = rig({ concurrency: 2 });
    due.push(...names(2, 'slow').map((name) => waiting(name)), atOnce('fast'));
    loop.start();
    await expect.poll(() => due).toHaveLength(1);
    loop.wake();
    expect(done).toEqual([]);
  });

  it('claims at once when it is woken', async () => {
    fakeTimers();
    const { loop, due, done, limits } = rig();
    loop.start();
    await expect.poll(() => limits, STOPPED).toHaveLength(1);
    due.push(atOnce('late'));
    loop.wake();
    await expect.poll(() => done, STOPPED).toEqual(['late']);
  });

  it('does not lose a wake-up during a claim', async () => {
    fakeTimers();
    const claims: ((items: Item[]) => void)[] = [];
    const { loop, done } = rig({ claim: () => new Promise((resolve) => claims.push(resolve)) });
    loop.start();
    await expect.poll(() => claims, STOPPED).toHaveLength(1);
    loop.wake();
    claims[0]?.([]);
    await expect.poll(() => claims, STOPPED).toHaveLength(2);
    claims[1]?.([atOnce('woken')]);
    await expect.poll(() => done, STOPPED).toEqual(['woken']);
    claims.splice(0).forEach((resolve) => resolve([]));
  });

  it('logs an item that throws, keeps its lease and continues', async () => {
    const { loop, due, done, released, log } = rig();
    due.push(failing('poison'), atOnce('good'));
    loop.start();
    await expect.poll(() => done).toEqual(['good']);
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(released).toEqual([]);
  });

  it('renews the lease of a running item until it ends, even after a failed renewal', async () => {
    fakeTimers();
    const renewed: string[] = [];
    const { promise: work, resolve: end } = Promise.withResolvers<void>();
    const { loop, due, done, log } = rig({
      renewal: {
        everyMs: 15_000,
        renew({ name }) {
          renewed.push(name);
          return renewed.length === 1 ? Promise.reject(new Error('no database')) : Promise.resolve();
        },
      },
    });
    due.push({ name: 'long', work });
    loop.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(renewed).toEqual(Array(4).fill('long'));
    expect(log.warn).toHaveBeenCalledTimes(1);
    end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual(['long']);
    expect(renewed).toHaveLength(4);
  });

  it('polls after 250 ms when it found work, and backs off to one second when it did not', async () => {
    fakeTimers();
    const { loop, due, done, limits } = rig();
    due.push(atOnce('first'));
    loop.start();
    await vi.advanceTimersByTimeAsync(0);
    due.push(atOnce('second'));
    await vi.advanceTimersByTimeAsync(250);
    expect(done).toEqual(['first', 'second']);
    // Polls after 250 and 500 ms, and then every second.
    await vi.advanceTimersByTimeAsync(250 + 500 + 3_000);
    expect(limits).toHaveLength(2 + 2 + 3);
  });

  it('claims an item at most 375 ms after it is due, and makes no claim before', async () => {
    fakeTimers();
    const at = performance.now() + 2_000;
    const { loop, due, done, limits } = rig({ firstDueAt: () => at });
    due.push(atOnce('later'));
    loop.start();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(limits).toEqual([]);
    await vi.advanceTimersByTimeAsync(375);
    expect(done).toEqual(['later']);
  });

  it.each([
    ['nothing is waiting', null],
    ['the first item is due in an hour', HOUR_MS],
  ])('polls again after five seconds if %s', async (_, at) => {
    fakeTimers();
    const firstDueAt = vi.fn(() => at);
    const { loop, limits } = rig({ firstDueAt });
    loop.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(firstDueAt).toHaveBeenCalledTimes(1 + 4);
    expect(limits).toEqual([]);
  });

  it('polls at once when it is woken, even if nothing was due', async () => {
    fakeTimers();
    let at: number | null = null;
    const { loop, due, done } = rig({ firstDueAt: () => at });
    loop.start();
    due.push(atOnce('new'));
    at = 0;
    loop.wake();
    await expect.poll(() => done, STOPPED).toEqual(['new']);
  });

  it('continues after a failed claim', async () => {
    let calls = 0;
    const { loop, done, log } = rig({
      claim: () => {
        calls += 1;
        if (calls === 1) return Promise.reject(new Error('no database'));
        return Promise.resolve(calls === 2 ? [atOnce('after')] : []);
      },
    });
    loop.start();
    await expect.poll(() => log.error).toHaveBeenCalledTimes(1);
    loop.wake();
    await expect.poll(() => done).toEqual(['after']);
  });

  it('releases claimed items when it is stopped', async () => {
    const { loop, due, done, released } = rig();
    due.push(never('hanging'));
    loop.start();
    await expect.poll(() => due).toHaveLength(0);
    await loop.stop({ graceMs: 0, abortMs: HOUR_MS });
    expect({ done, released }).toEqual({ done: [], released: ['hanging'] });
  });

  it('releases items of the waiting room at once when it is stopped', async () => {
    const { loop, due, done, released } = rig({ room: 5 });
    due.push(waiting('slow'));
    loop.start();
    await expect.poll(() => due).toHaveLength(0);
    await loop.stop({ graceMs: 0, abortMs: HOUR_MS });
    expect({ done, released }).toEqual({ done: [], released: ['slow'] });
  });

  it('releases an item once, even if it ignores the abort signal', async () => {
    const { loop, due, released } = rig({ isDeaf: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    due.push({ name: 'deaf', work: promise });
    loop.start();
    await expect.poll(() => due).toEqual([]);
    await loop.stop({ graceMs: 0, abortMs: 10 });
    expect(released).toEqual(['deaf']);
    resolve();
    await new Promise(setImmediate);
    expect(released).toEqual(['deaf']);
  });

  it('finishes or releases the items of a claim that returns after the stop', async () => {
    const { promise: claimed, resolve: answer } = Promise.withResolvers<Item[]>();
    const claim = vi.fn(() => claimed);
    const { loop, done, released } = rig({ claim });
    loop.start();
    await expect.poll(() => claim).toHaveBeenCalled();
    const stopped = loop.stop(PATIENCE);
    answer([atOnce('too-late')]);
    await stopped;
    expect([...done, ...released]).toContain('too-late');
  });
});
