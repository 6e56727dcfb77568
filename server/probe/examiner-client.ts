import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { factsOf } from '../../contract/protocols.ts';

import type { Observation } from '../core/observation.ts';
import { identityOf } from '../core/target.ts';
import type { ThreadData, ThreadRequest, ThreadResponse, ThreadSettings } from './examiner-messages.ts';
import type { Examiner } from './examiner.ts';

/** Time limits in ms per request. A started thread that exceeds one counts as hung and is terminated. */
export interface ThreadTimeouts {
  /** Limit for a probe, which has its own deadline of 20 s. A slow dialogue before TLS extends both by the limit of the dialogue. */
  observeMs: number;
  /** Limit for each verdict, of which at most `MAX_JUDGE_LIMITS` count. */
  judgeMs: number;
  /** Limit for the response to an examination whose probe was aborted. */
  abortedMs: number;
}

export interface ExaminerClientOptions {
  settings: ThreadSettings;
  /**
   * Work budget of a request. Requests that need more reject with `ExaminationExceeded`. If null, the budget is
   * `settings.checkWork`, and a verdict that needs more is incomplete.
   */
  maxWork: number | null;
  timeouts: ThreadTimeouts;
  /**
   * Idle time in ms after which the thread ends. If set, the first request starts the thread; otherwise it starts at
   * once and does not end when idle.
   */
  idleMs?: number;
  /** Called for each verdict that is incomplete because its work budget ran out. */
  onCut: () => void;
  /** Called for failures of the disk cache, bugs in sources, thread errors and terminations of hung threads. */
  onTrouble: (error: Error) => void;
}

export interface ExaminerClient extends Examiner {
  close(): Promise<void>;
}

/** Error for an examination that needs more work than its thread may do. */
export class ExaminationExceeded extends Error {
  override name = 'ExaminationExceeded';
}

/** Error for the request during which the thread hung or died. Other pending requests reject with a plain Error instead. */
export class ExaminationHung extends Error {
  override name = 'ExaminationHung';
}

interface Pending {
  kind: ThreadRequest['kind'];
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  onSlow: () => void;
}
type NewRequest = ThreadRequest extends infer One
  ? One extends ThreadRequest
    ? Omit<One, 'id'>
    : never
  : never;

interface Thread {
  worker: Worker;
  pending: Map<number, Pending>;
  ready: Promise<void>;
}

/**
 * Work budgets keep a verdict within 60 ms of a core, so more verdicts need no more time. Otherwise a thread that hangs during an
 * examination for many accounts would be noticed after minutes.
 */
const MAX_JUDGE_LIMITS = 3;

/**
 * Memory limits of the thread. Hostile certificates and CRLs can at most kill the thread, which then restarts, but not the
 * process. A larger young generation only wastes memory: dozens of probes run in parallel, and objects live as long as these.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

/**
 * Creates an examiner that runs in its own thread. If the thread ends, all pending requests reject, the one in progress
 * with `ExaminationHung`. The next request then starts a new thread.
 */
export function createExaminerClient(options: ExaminerClientOptions): ExaminerClient {
  const { settings, maxWork, timeouts, idleMs, onCut, onTrouble } = options;
  let thread: Thread | null = idleMs === undefined ? start() : null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Thread {
    const working = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const pending: Thread['pending'] = new Map();
    const { promise: ready, resolve: markReady } = Promise.withResolvers<void>();
    const worker = new Worker(new URL('./examiner-thread.ts', import.meta.url), {
      workerData: { ...settings, maxWork, working: working.buffer } satisfies ThreadData,
      resourceLimits: RESOURCE_LIMITS,
    });
    const started = { worker, pending, ready };
    worker.on('message', (report: ThreadResponse) => {
      if (report.kind === 'ready') markReady();
      else answerRequest(report, pending);
    });
    worker.on('error', (error) => {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    });
    worker.on('exit', () => {
      // Restart only with the next request: a thread that cannot start would otherwise restart forever.
      if (thread === started) thread = null;
      // The thread handles judge requests in the order of arrival.
      const oldestJudge = [...pending].find(([, { kind }]) => kind === 'judge')?.[0];
      // If the request that spent work last is already answered, the thread hung in code that spends no budget.
      const lastSpender = Atomics.load(working, 0);
      const culprit = pending.has(lastSpender) ? lastSpender : oldestJudge;
      for (const [id, { reject }] of pending) {
        const ended = 'The examiner thread ended.';
        reject(id === culprit ? new ExaminationHung(ended) : new Error(ended));
      }
      pending.clear();
    });
    return started;
  }

  function answerRequest(
    report: Exclude<ThreadResponse, { kind: 'ready' }>,
    pending: Thread['pending'],
  ): void {
    if (report.kind === 'trouble') return onTrouble(report.error);
    if (report.kind === 'cut') return onCut();
    const request = pending.get(report.id);
    if (report.kind === 'slow') return request?.onSlow();
    pending.delete(report.id);
    if (report.kind === 'failed') request?.reject(report.error);
    else if (report.kind === 'exceeded')
      request?.reject(new ExaminationExceeded('The examiner thread has too much work.'));
    else request?.resolve(report as never);
  }

  /** Ends the thread. The next request starts a new one. */
  function terminate(target: Thread | null): void {
    if (thread === target) thread = null;
    void target?.worker.terminate();
  }

  function terminateHung(hung: Thread, ms: number): void {
    onTrouble(new Error(`The examiner thread has not answered for ${ms} ms, so we stop it.`));
    terminate(hung);
  }

  function send<Kind extends ThreadResponse['kind']>(
    request: NewRequest,
    ms: number,
    { slowMs = ms, onSlow }: { slowMs?: number; onSlow?: (() => void) | undefined } = {},
  ) {
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Extract<ThreadResponse, { kind: Kind }>>();
    clearTimeout(idle);
    const target = (thread ??= start());
    const timers: { answer?: NodeJS.Timeout; abort?: NodeJS.Timeout } = {};
    const startTimeout = (limitMs: number, of: keyof typeof timers = 'answer'): void => {
      clearTimeout(timers[of]);
      if (target.pending.has(id)) timers[of] = setTimeout(() => terminateHung(target, limitMs), limitMs);
    };
    target.pending.set(id, {
      kind: request.kind,
      resolve,
      reject,
      onSlow() {
        startTimeout(slowMs);
        onSlow?.();
      },
    });
    target.worker.postMessage({ ...request, id });
    void target.ready.then(() => startTimeout(ms));
    const answered = promise.finally(() => {
      clearTimeout(timers.answer);
      clearTimeout(timers.abort);
      if (idleMs === undefined || target.pending.size > 0) return;
      clearTimeout(idle);
      idle = setTimeout(() => terminate(target), idleMs);
      idle.unref();
    });
    const abort = (): void => {
      target.worker.postMessage({ kind: 'abort', id } satisfies ThreadRequest);
      void target.ready.then(() => startTimeout(timeouts.abortedMs, 'abort'));
    };
    return { answered, abort };
  }

  return {
    async examine(endpoint, { signal, onSlow, onStep, ...options }) {
      const request = {
        kind: 'examine' as const,
        endpoint: identityOf(endpoint),
        options: { ...options, authorities: options.authorities.map(compactCopy) },
        withSteps: onStep !== undefined,
      };
      const { dialogueMs = 0 } = factsOf(endpoint.protocol).startTls?.limits ?? {};
      const verdicts = Math.min(options.previous.length, MAX_JUDGE_LIMITS);
      const limitMs = timeouts.observeMs + verdicts * timeouts.judgeMs;
      const { answered, abort } = send<'examined'>(request, limitMs, {
        slowMs: limitMs + dialogueMs,
        onSlow,
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const { observation, steps, ...examination } = await answered;
        if (onStep) steps.forEach(onStep);
        return { observation: deserialize(observation) as Observation, ...examination };
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async judge({ observation, authorities, ...options }) {
      const request = {
        ...options,
        kind: 'judge' as const,
        observation: serialize(observation),
        authorities: authorities.map(compactCopy),
      };
      return (await send<'judged'>(request, timeouts.judgeMs).answered).verdict;
    },
    async close() {
      clearTimeout(idle);
      await thread?.worker.terminate();
    },
  };
}

/** Copies the bytes to a buffer of their own, because `postMessage` would send the whole underlying buffer. */
const compactCopy = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
