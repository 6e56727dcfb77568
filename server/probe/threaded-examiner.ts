import { judge } from '../core/judge/judge.ts';
import type { LogLists } from '../core/judge/transparency.ts';
import { type Observation, unexaminedObservation } from '../core/observation.ts';
import { identityKey, identityOf } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import { LruCache } from '../pki/lru-cache.ts';
import { createTrustStore } from '../pki/trust-store.ts';
import {
  createExaminerClient,
  ExaminationExceeded,
  ExaminationHung,
  type ExaminerClient,
  type ThreadTimeouts,
} from './examiner-client.ts';
import type { ThreadSettings } from './examiner-messages.ts';
import type { Examiner, JudgeRequest } from './examiner.ts';

interface ThreadedExaminerOptions extends ThreadSettings {
  /** Called for each verdict that is incomplete because its work budget ran out, and each request that hung its thread. */
  onLimit?: () => void;
  /** Called for failures of the disk cache, bugs in sources, thread errors and terminations of hung threads. */
  onTrouble: (error: Error) => void;
  /** Called with one sentence if our two TLS clients repeatedly see the same host differently. */
  onDifference?: (detail: string) => void;
  /** Replacements for single timeouts, used by tests. */
  timeouts?: { checks?: Partial<ThreadTimeouts>; previews?: Partial<ThreadTimeouts> };
  /** Idle time in ms after which the second thread ends. Default: 30,000. */
  idleMs?: number;
}

interface ThreadedExaminer extends Examiner {
  /**
   * Examiner for people without an account. It uses the second thread, so that checks in the first thread never wait for them.
   */
  previews: Examiner;
  /** Replaces the lists of Certificate Transparency logs for all judgements that start later. */
  useLogLists(logLists: LogLists): void;
  close(): Promise<void>;
}

/** Timeouts of the first thread, which runs the checks of accounts. */
const CHECK_TIMEOUTS: ThreadTimeouts = { observeMs: 40_000, judgeMs: 10_000, abortedMs: 10_000 };
/**
 * Timeouts of the second thread. A visitor waits at most ten seconds for a preview, and a hung thread delays all its other
 * requests.
 */
const PREVIEW_TIMEOUTS: ThreadTimeouts = { observeMs: 25_000, judgeMs: 3_000, abortedMs: 1_000 };
const IDLE_MS = 30_000;
/**
 * Share of a request's work budget that the first thread may spend: by default 15 ms of CPU time, ten times what a usual host needs.
 * Endpoints that need more move to the second thread.
 */
const CHECKS_WORK_SHARE = 1 / 4;
const MAX_ISOLATED = 1_000;

type Endpoint = Observation['endpoint'];

/**
 * Creates an examiner with two worker threads, so that the main thread never waits for a handshake or a path search. A hung thread
 * is terminated: the endpoint that hung it becomes unknown (`not_examined`), never down. Other pending calls reject.
 */
export function createThreadedExaminer(options: ThreadedExaminerOptions): ThreadedExaminer {
  const {
    onLimit = () => undefined,
    onTrouble,
    onDifference = () => undefined,
    timeouts = {},
    idleMs = IDLE_MS,
    ...settings
  } = options;
  const common = { settings, onTrouble, onDifference, onCut: onLimit };
  const checks = createExaminerClient({
    ...common,
    maxWork: settings.checkWork * CHECKS_WORK_SHARE,
    timeouts: { ...CHECK_TIMEOUTS, ...timeouts.checks },
  });
  const previews = createExaminerClient({
    ...common,
    maxWork: null,
    idleMs,
    timeouts: { ...PREVIEW_TIMEOUTS, ...timeouts.previews },
  });
  /** Endpoints that needed much work or made a thread hang. The second thread examines them, with a larger work budget. */
  const isolated = new LruCache<string, true>(MAX_ISOLATED);

  /**
   * Runs `examine` on the thread for this endpoint, and again on the second thread if it is too much work for the first one.
   * `hungResult` returns the result if the endpoint made the thread hang.
   */
  async function examineOn<T>(
    endpoint: Endpoint,
    examine: (client: ExaminerClient, isRepeated: boolean) => Promise<T>,
    hungResult: () => T,
    client = isolated.get(identityKey(endpoint)) ? previews : checks,
  ): Promise<T> {
    try {
      return await examine(client, false);
    } catch (error) {
      const isTooMuch = error instanceof ExaminationExceeded;
      if (!isTooMuch && !(error instanceof ExaminationHung)) throw error;
      isolated.set(identityKey(endpoint), true);
      if (isTooMuch) return examineOn(endpoint, (second) => examine(second, true), hungResult, previews);
      onLimit();
      return hungResult();
    }
  }

  const examiner = (thread?: ExaminerClient): Examiner => ({
    examine(seen, options) {
      const endpoint = identityOf(seen);
      const startedAt = Date.now();
      return examineOn(
        endpoint,
        // Omit the posture from a repeated examination, except for https: each thread has its own limit of failed handshakes, so both together
        // could exceed what the server allows.
        (client, isRepeated) =>
          client.examine(endpoint, {
            ...options,
            withPosture: options.withPosture && (!isRepeated || endpoint.protocol === 'https'),
          }),
        () => {
          const observation = unexaminedObservation(endpoint, startedAt);
          const request = { observation, now: Date.now(), authorities: [] };
          const verdicts = options.previous.map((previous) => unexaminedVerdict({ ...request, previous }));
          return { observation, verdicts, certificates: [] };
        },
        thread,
      );
    },
    judge(request) {
      const { endpoint } = request.observation;
      return examineOn(
        endpoint,
        (client) => client.judge(request),
        () => unexaminedVerdict(request),
        thread,
      );
    },
  });

  return {
    ...examiner(),
    previews: examiner(previews),
    useLogLists(logLists) {
      for (const client of [checks, previews]) client.useLogLists(logLists);
    },
    async close() {
      await Promise.all([checks.close(), previews.close()]);
    },
  };
}

const NO_ANCHORS = createTrustStore([]);

function unexaminedVerdict({ observation: { endpoint, observedAt }, now, previous }: JudgeRequest): Verdict {
  const verdict = judge(unexaminedObservation(endpoint, observedAt), now, NO_ANCHORS, previous);
  return { ...verdict, trustStoreHash: previous?.trustStoreHash ?? verdict.trustStoreHash };
}
