import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';

import type { Observation } from '../core/index.ts';
import type { Order, Report, ThreadData, ThreadSettings } from './examiner-messages.ts';
import type { Examiner, Judgement } from './examiner.ts';

/** How long a thread that has started may leave an order unanswered, in ms, before it is taken to hang and ended. */
export interface Patience {
  /** A look has its own deadline of 20 s. */
  observeMs: number;
  judgeMs: number;
  /** After a look was aborted. */
  abortedMs: number;
}

export interface ExaminerClientOptions {
  settings: ThreadSettings;
  /** What takes more work rejects with `ExaminationExceeded`. null: nothing does. */
  mostWork: number | null;
  patience: Patience;
  /**
   * Starts the thread with the first order only, and ends it when nothing was asked of it for so long. Absent: it starts at once
   * and stays.
   */
  idleMs?: number;
  /** Called for each verdict that the limit of work for one look cut short. */
  onCut: () => void;
  /** Told what could not be kept for later, and when the thread had to be ended. */
  onTrouble: (error: Error) => void;
}

export interface ExaminerClient extends Examiner {
  close(): Promise<void>;
}

/** The certificates take more work than is done in this thread. */
export class ExaminationExceeded extends Error {
  override name = 'ExaminationExceeded';
}

/** The thread hung or died over the certificates of this order. Callers repeat all other orders that were under way. */
export class ExaminationOverran extends Error {
  override name = 'ExaminationOverran';
}

interface Pending {
  kind: Order['kind'];
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}
type NewOrder = Order extends infer One ? (One extends Order ? Omit<One, 'id'> : never) : never;

interface Thread {
  worker: Worker;
  pending: Map<number, Pending>;
  ready: Promise<void>;
}

/**
 * Hostile certificates and lists may at worst end the thread, which is started anew, and not the product. What is young lives for
 * one look, of which there are dozens at once: more room for it is held for nothing.
 */
const MEMORY = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

/**
 * Runs an examiner in a thread of its own. When the thread ends, what was under way rejects: with `ExaminationOverran` for the
 * one that it was working on. The next order starts it again.
 */
export function createExaminerClient(options: ExaminerClientOptions): ExaminerClient {
  const { settings, mostWork, patience, idleMs, onCut, onTrouble } = options;
  /** By which look it was made: the thread has most of them still, and need not be sent them back. */
  const origins = new WeakMap<Observation, number>();
  let thread: Thread | null = idleMs === undefined ? start() : null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Thread {
    const working = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const pending: Thread['pending'] = new Map();
    const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
    const worker = new Worker(new URL('./examiner-thread.ts', import.meta.url), {
      workerData: { ...settings, mostWork, working: working.buffer } satisfies ThreadData,
      resourceLimits: MEMORY,
    });
    const started = { worker, pending, ready };
    worker.on('message', (report: Report) => {
      if (report.kind === 'ready') isReady();
      else answer(report, pending);
    });
    worker.on('error', (error) => {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    });
    worker.on('exit', () => {
      // Not before it is asked again: one that cannot even start would be started for ever.
      if (thread === started) thread = null;
      // It judges in the order in which it is asked.
      const oldest = [...pending].find(([, { kind }]) => kind === 'judge')?.[0];
      // What was worked on last may have been answered: then the thread hangs in something that spends no budget.
      const spending = Atomics.load(working, 0);
      const workedOn = pending.has(spending) ? spending : oldest;
      for (const [id, { reject }] of pending) {
        const ended = 'The thread of the probe ended.';
        reject(id === workedOn ? new ExaminationOverran(ended) : new Error(ended));
      }
      pending.clear();
    });
    return started;
  }

  function answer(report: Exclude<Report, { kind: 'ready' }>, pending: Thread['pending']): void {
    if (report.kind === 'trouble') return onTrouble(report.error);
    const asked = pending.get(report.id);
    pending.delete(report.id);
    if (report.kind === 'failed') asked?.reject(report.error);
    else if (report.kind === 'exceeded')
      asked?.reject(new ExaminationExceeded('Too much work for this thread.'));
    else asked?.resolve(report as never);
    if (report.kind === 'judged' && report.isCut) onCut();
  }

  /** Ends the thread. The next order starts another one. */
  function end(ended: Thread | null): void {
    if (thread === ended) thread = null;
    void ended?.worker.terminate();
  }

  function giveUp(hanging: Thread, ms: number): void {
    onTrouble(new Error(`The thread of the probe has not answered for ${ms} ms; it is ended.`));
    end(hanging);
  }

  function ask<Kind extends Report['kind']>(order: NewOrder, ms: number) {
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Extract<Report, { kind: Kind }>>();
    clearTimeout(idle);
    const asked = (thread ??= start());
    const timers: NodeJS.Timeout[] = [];
    const giveUpAfter = (limitMs: number): void => {
      if (asked.pending.has(id)) timers.push(setTimeout(() => giveUp(asked, limitMs), limitMs));
    };
    asked.pending.set(id, { kind: order.kind, resolve, reject });
    asked.worker.postMessage({ ...order, id });
    void asked.ready.then(() => giveUpAfter(ms));
    const answered = promise.finally(() => {
      timers.forEach((timer) => clearTimeout(timer));
      if (idleMs === undefined || asked.pending.size > 0) return;
      clearTimeout(idle);
      idle = setTimeout(() => end(asked), idleMs);
      idle.unref();
    });
    const abort = (): void => {
      asked.worker.postMessage({ kind: 'abort', id } satisfies Order);
      void asked.ready.then(() => giveUpAfter(patience.abortedMs));
    };
    return { id, answered, abort };
  }

  return {
    async observe(endpoint, { signal, authorities, withPosture, onStep }) {
      const { host, port, protocol } = endpoint;
      const order = {
        kind: 'observe' as const,
        endpoint: { host, port, protocol },
        authorities: authorities.map(alone),
        withPosture,
        withSteps: onStep !== undefined,
      };
      const { id, answered, abort } = ask<'observed'>(order, patience.observeMs);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const { observation: packed, steps } = await answered;
        if (onStep) steps.forEach(onStep);
        const observation = deserialize(packed) as Observation;
        origins.set(observation, id);
        return observation;
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async judge({ observation, now, authorities, previous }): Promise<Judgement> {
      const observed = origins.get(observation) ?? null;
      const order = { kind: 'judge' as const, observed, now, authorities: authorities.map(alone), previous };
      if (observed !== null) {
        const asked = ask<'judged' | 'forgotten'>({ ...order, observation: null }, patience.judgeMs);
        const answered = await asked.answered;
        if (answered.kind === 'judged') return answered.judgement;
      }
      const asked = ask<'judged'>({ ...order, observation: serialize(observation) }, patience.judgeMs);
      return (await asked.answered).judgement;
    },
    async close() {
      clearTimeout(idle);
      await thread?.worker.terminate();
    },
  };
}

/** The bytes without what else is in their buffer, which would be sent along. */
const alone = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
