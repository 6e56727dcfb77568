import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { factsOf } from '../../contract/protocols.ts';
import type { LogLists } from '../core/judge/transparency.ts';
import type { Observation } from '../core/observation.ts';
import { identityOf } from '../core/target.ts';
import type {
  ThreadData,
  ThreadMessage,
  ThreadRequest,
  ThreadResponse,
  ThreadSettings,
} from './examiner-messages.ts';
import type { Examiner } from './examiner.ts';

/** Time limits in ms per request. A started thread that exceeds one counts as hung and is terminated. */
export interface ThreadTimeouts {
  /** Limit for a probe, which has its own deadline of 20 s. A slow dialogue before TLS extends both by the limit of the dialogue. */
  observeMs: number;
  /** Limit for each verdict of a request. The time limit of a request includes at most `MAX_JUDGE_LIMITS` of them. */
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
  /** Called with one sentence if our two TLS clients repeatedly see the same host differently. */
  onDifference: (detail: string) => void;
}

export interface ExaminerClient extends Examiner {
  /** Replaces the lists of Certificate Transparency logs for all judgements that start later. */
  useLogLists(logLists: LogLists): void;
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

type NewRequest = ThreadRequest extends infer One
  ? One extends ThreadRequest
    ? Omit<One, 'id'>
    : never
  : never;

/**
 * Maximum number of verdicts for which a request gets time. More verdicts need no more: work budgets keep each within 60 ms of CPU time.
 * With time for all of them, we would notice only after minutes that a thread hangs in an examination for many accounts.
 */
const MAX_JUDGE_LIMITS = 3;

/**
 * Memory limits of the thread. Hostile certificates and CRLs can at most kill the thread, which then restarts, but not the process. A larger
 * young generation only wastes memory: dozens of probes run in parallel, and their objects live as long as the probes.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

/**
 * Creates an examiner that runs in its own thread. If the thread ends, all pending requests reject, the one in progress
 * with `ExaminationHung`. The next request then starts a new thread.
 */
export function createExaminerClient(options: ExaminerClientOptions): ExaminerClient {
  const { timeouts, idleMs } = options;
  let { settings } = options;
  let thread: ExaminerThread | null = idleMs === undefined ? start() : null;
  let idle: NodeJS.Timeout | undefined;

  function start(): ExaminerThread {
    return new ExaminerThread({ ...options, settings }, (ended) => {
      if (thread === ended) thread = null;
    });
  }

  /** Sends a request to the thread, and starts the thread if none runs. The thread's idle time begins when its last request is answered. */
  function send<Kind extends ThreadResponse['kind']>(request: NewRequest, limits: RequestLimits) {
    clearTimeout(idle);
    const target = (thread ??= start());
    const { answered, abort } = target.send<Kind>(request, limits);
    const answer = answered.finally(() => {
      if (idleMs === undefined || target.isBusy) return;
      clearTimeout(idle);
      idle = setTimeout(() => target.retire(), idleMs);
      idle.unref();
    });
    return { answer, abort };
  }

  return {
    async examine(endpoint, { signal, onSlow, onStep, ...examineOptions }) {
      const request = {
        kind: 'examine' as const,
        endpoint: identityOf(endpoint),
        options: { ...examineOptions, authorities: examineOptions.authorities.map(compactCopy) },
        withSteps: onStep !== undefined,
      };
      const { dialogueMs = 0 } = factsOf(endpoint.protocol).startTls?.limits ?? {};
      const verdicts = Math.min(examineOptions.previous.length, MAX_JUDGE_LIMITS);
      const ms = timeouts.observeMs + verdicts * timeouts.judgeMs;
      const { answer, abort } = send<'examined'>(request, { ms, slowMs: ms + dialogueMs, onSlow });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const { observation, steps, ...examination } = await answer;
        if (onStep) steps.forEach(onStep);
        return { observation: deserialize(observation) as Observation, ...examination };
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async judge({ observation, authorities, ...judgeOptions }) {
      const request = {
        ...judgeOptions,
        kind: 'judge' as const,
        observation: serialize(observation),
        authorities: authorities.map(compactCopy),
      };
      const ms = timeouts.judgeMs;
      return (await send<'judged'>(request, { ms, slowMs: ms }).answer).verdict;
    },
    useLogLists(logLists) {
      // A thread that starts later gets the lists with its settings.
      settings = { ...settings, logLists };
      thread?.post({ kind: 'log_lists', logLists });
    },
    async close() {
      clearTimeout(idle);
      await thread?.close();
    },
  };
}

/** Time limits for an answer: `ms` from the request, `slowMs` from the thread's report that the request is slow. */
interface RequestLimits {
  ms: number;
  slowMs: number;
  onSlow?: (() => void) | undefined;
}

interface Pending {
  kind: ThreadRequest['kind'];
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  onSlow: () => void;
}

/** A running thread with its pending requests. */
class ExaminerThread {
  readonly #options: ExaminerClientOptions;
  readonly #onEnd: (ended: ExaminerThread) => void;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ready = Promise.withResolvers<void>();
  #lastId = 0;
  /** The id of the request that spent work last, written by the thread. */
  readonly #working = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  /** `onEnd`: called when the thread takes no more requests, because it ended or is being ended. */
  constructor(options: ExaminerClientOptions, onEnd: (ended: ExaminerThread) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    const { settings, maxWork, onTrouble } = options;
    this.#worker = new Worker(new URL('./examiner-thread.ts', import.meta.url), {
      workerData: { ...settings, maxWork, working: this.#working.buffer } satisfies ThreadData,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.#worker.on('message', (report: ThreadResponse) => {
      if (report.kind === 'ready') this.#ready.resolve();
      else this.#answerRequest(report);
    });
    this.#worker.on('error', (error) => {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    });
    // Restart only with the next request: a thread that cannot start would otherwise restart forever.
    this.#worker.on('exit', () => {
      onEnd(this);
      this.#rejectAll();
    });
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  post(message: ThreadMessage): void {
    this.#worker.postMessage(message);
  }

  /** Ends the thread. The next request starts a new one. */
  retire(): void {
    this.#onEnd(this);
    void this.close();
  }

  /** Sends a request. The thread counts as hung, and is terminated, if it does not answer in time. */
  send<Kind extends ThreadResponse['kind']>(request: NewRequest, { ms, slowMs, onSlow }: RequestLimits) {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Extract<ThreadResponse, { kind: Kind }>>();
    const timers: { answer?: NodeJS.Timeout; abort?: NodeJS.Timeout } = {};
    const startTimeout = (limitMs: number, of: keyof typeof timers = 'answer'): void => {
      clearTimeout(timers[of]);
      if (this.#pending.has(id)) timers[of] = setTimeout(() => this.#terminateHung(limitMs), limitMs);
    };
    this.#pending.set(id, {
      kind: request.kind,
      resolve,
      reject,
      onSlow() {
        startTimeout(slowMs);
        onSlow?.();
      },
    });
    this.post({ ...request, id });
    void this.#ready.promise.then(() => startTimeout(ms));
    const answered = promise.finally(() => {
      clearTimeout(timers.answer);
      clearTimeout(timers.abort);
    });
    const abort = (): void => {
      this.post({ kind: 'abort', id });
      void this.#ready.promise.then(() => startTimeout(this.#options.timeouts.abortedMs, 'abort'));
    };
    return { answered, abort };
  }

  #terminateHung(ms: number): void {
    this.#options.onTrouble(new Error(`The examiner thread has not answered for ${ms} ms, so we stop it.`));
    this.retire();
  }

  #answerRequest(report: Exclude<ThreadResponse, { kind: 'ready' }>): void {
    if (report.kind === 'trouble') return this.#options.onTrouble(report.error);
    if (report.kind === 'cut') return this.#options.onCut();
    if (report.kind === 'difference') return this.#options.onDifference(report.detail);
    const request = this.#pending.get(report.id);
    if (report.kind === 'slow') return request?.onSlow();
    this.#pending.delete(report.id);
    if (report.kind === 'failed') request?.reject(report.error);
    else if (report.kind === 'exceeded')
      request?.reject(new ExaminationExceeded('The examiner thread has too much work.'));
    else request?.resolve(report as never);
  }

  #rejectAll(): void {
    // The thread handles judge requests in the order of arrival.
    const oldestJudge = [...this.#pending].find(([, { kind }]) => kind === 'judge')?.[0];
    // If the request that spent work last is already answered, the thread hung in code that spends no budget.
    const lastSpender = Atomics.load(this.#working, 0);
    const culprit = this.#pending.has(lastSpender) ? lastSpender : oldestJudge;
    for (const [id, { reject }] of this.#pending) {
      const ended = 'The examiner thread ended.';
      reject(id === culprit ? new ExaminationHung(ended) : new Error(ended));
    }
    this.#pending.clear();
  }
}

/** Copies the bytes to a buffer of their own, because `postMessage` would send the whole underlying buffer. */
const compactCopy = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
