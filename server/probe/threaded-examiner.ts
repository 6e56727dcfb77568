import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';

import type { Observation } from '../core/index.ts';
import type { Order, Report, ThreadSettings } from './examiner-messages.ts';
import type { Examiner, Judgement } from './examiner.ts';

interface ThreadedExaminerOptions extends ThreadSettings {
  /** Told what could not be kept for later, and when the thread had to be started anew. */
  onTrouble: (error: Error) => void;
  /** Default: 40,000. */
  patienceMs?: number;
}

interface ThreadedExaminer extends Examiner {
  close(): Promise<void>;
}

type Pending = Record<'resolve' | 'reject', (value: never) => void>;
type NewOrder = Order extends infer One ? (One extends Order ? Omit<One, 'id'> : never) : never;

/**
 * Hostile certificates and lists may at worst end the thread, which is started anew, and not the product. What is young lives for
 * one look, of which there are dozens at once: more room for it is held for nothing.
 */
const MEMORY = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };
/** A look has its own deadline of 20 s. A thread that says nothing for so long hangs, with all that was asked of it. */
const PATIENCE_MS = 40_000;

/**
 * Looks and judges in a thread of its own, so that whoever answers requests in this one never waits behind a handshake or a path
 * to be built. What was under way when the thread ends rejects; it is started again for whatever is asked next.
 */
export function createThreadedExaminer(options: ThreadedExaminerOptions): ThreadedExaminer {
  const { onTrouble, patienceMs = PATIENCE_MS, ...settings } = options;
  /** By which look it was made: the thread has most of them still, and need not be sent them back. */
  const origins = new WeakMap<Observation, number>();
  const pending = new Map<number, Pending>();
  let thread: Worker | null = start();
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL('./examiner-thread.ts', import.meta.url), {
      workerData: { ...settings } satisfies ThreadSettings,
      resourceLimits: MEMORY,
    });
    started.on('message', answer);
    started.on('error', (error) => {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    });
    started.on('exit', () => {
      // Not before it is asked again: one that cannot even start would be started for ever.
      thread = null;
      for (const { reject } of pending.values()) reject(new Error('The thread of the probe ended.') as never);
      pending.clear();
    });
    return started;
  }

  function answer(report: Report): void {
    if (report.kind === 'trouble') return onTrouble(report.error);
    const asked = pending.get(report.id);
    pending.delete(report.id);
    if (report.kind === 'failed') asked?.reject(report.error as never);
    else asked?.resolve(report as never);
  }

  function ask<Kind extends Report['kind']>(
    order: NewOrder,
  ): { id: number; answered: Promise<Extract<Report, { kind: Kind }>> } {
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Extract<Report, { kind: Kind }>>();
    const asked = (thread ??= start());
    const patience = setTimeout(() => {
      onTrouble(new Error(`The thread of the probe has not answered for ${patienceMs} ms; it is ended.`));
      void asked.terminate();
    }, patienceMs);
    pending.set(id, { resolve, reject });
    asked.postMessage({ ...order, id });
    return { id, answered: promise.finally(() => clearTimeout(patience)) };
  }

  return {
    async observe(endpoint, { signal, authorities, withPosture, onStep }) {
      const { host, port, protocol } = endpoint;
      const { id, answered } = ask<'observed'>({
        kind: 'observe',
        endpoint: { host, port, protocol },
        authorities: authorities.map(alone),
        withPosture,
        withSteps: onStep !== undefined,
      });
      const abort = (): void => thread?.postMessage({ kind: 'abort', id } satisfies Order);
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
        const answered = await ask<'judged' | 'forgotten'>({ ...order, observation: null }).answered;
        if (answered.kind === 'judged') return answered.judgement;
      }
      const { judgement } = await ask<'judged'>({ ...order, observation: serialize(observation) }).answered;
      return judgement;
    },
    async close() {
      await thread?.terminate();
    },
  };
}

/** The bytes without what else is in their buffer, which would be sent along. */
const alone = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
