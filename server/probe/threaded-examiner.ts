import { judge, type Observation, unexaminedObservation } from '../core/index.ts';
import { createTrustStore } from '../pki/index.ts';
import {
  createExaminerClient,
  type ExaminerClient,
  ExaminationExceeded,
  ExaminationOverran,
  type Patience,
} from './examiner-client.ts';
import type { ThreadSettings } from './examiner-messages.ts';
import type { Examiner, Judgement, LookOptions, Question } from './examiner.ts';

interface ThreadedExaminerOptions extends ThreadSettings {
  /** Called whenever the limit of work for one look was reached, or a thread was ended over one. */
  onLimit?: () => void;
  /** Told what could not be kept for later, and when a thread had to be ended. */
  onTrouble: (error: Error) => void;
  /** Shorter, for tests. */
  patience?: { checks?: Partial<Patience>; strangers?: Partial<Patience> };
  /** How long the strangers' thread stays when nobody needs it. Default: 30,000. */
  idleMs?: number;
}

interface ThreadedExaminer extends Examiner {
  /** For people without an account: looks and judges in a thread of their own, which no check of an account waits for. */
  strangers: Examiner;
  close(): Promise<void>;
}

const CHECKS: Patience = { observeMs: 40_000, judgeMs: 10_000, abortedMs: 10_000 };
/** Somebody waits for ten seconds at most, and a thread that hangs keeps other strangers from an answer. */
const STRANGERS: Patience = { observeMs: 25_000, judgeMs: 3_000, abortedMs: 1_000 };
const IDLE_MS = 30_000;
/**
 * The share of a look's work that is done beside all other checks: 15 ms of a core, ten times what a usual host takes. What takes
 * more is examined apart.
 */
const SHARE_AMONG_CHECKS = 1 / 4;
const MOST_APART = 1_000;

type Endpoint = Observation['endpoint'];

/**
 * Looks and judges in threads of their own, so that whoever answers requests in this one never waits behind a handshake or a path
 * to be built. One thread serves the checks of accounts. Another one, which starts when it is needed, serves strangers, and from
 * then on the endpoints whose certificates took much work or made a thread overrun. Which thread examines an endpoint never
 * changes the verdict: it comes with less work than that, or from the other thread.
 *
 * A thread that overruns is ended. What it was working on is then unknown (`not_examined`), never down; everything else that was
 * under way rejects, and is asked again by whoever asked.
 */
export function createThreadedExaminer(options: ThreadedExaminerOptions): ThreadedExaminer {
  const { onLimit = () => undefined, onTrouble, patience = {}, idleMs = IDLE_MS, ...settings } = options;
  const checks = createExaminerClient({
    settings,
    onTrouble,
    onCut: onLimit,
    mostWork: settings.lookWork * SHARE_AMONG_CHECKS,
    patience: { ...CHECKS, ...patience.checks },
  });
  const strangers = createExaminerClient({
    settings,
    onTrouble,
    onCut: onLimit,
    mostWork: null,
    idleMs,
    patience: { ...STRANGERS, ...patience.strangers },
  });
  /** Endpoints that are examined beside the checks; the one that was added first is forgotten first. */
  const apart = new Set<string>();

  function setApart(endpoint: Endpoint): void {
    apart.add(keyOf(endpoint));
    const [oldest] = apart;
    if (apart.size > MOST_APART && oldest !== undefined) apart.delete(oldest);
  }

  /** `overran`: stands for the answer where the thread had to be ended over this endpoint. */
  async function among<T>(
    endpoint: Endpoint,
    examine: (client: ExaminerClient) => Promise<T>,
    overran: () => T,
    first = apart.has(keyOf(endpoint)) ? strangers : checks,
  ): Promise<T> {
    try {
      return await examine(first);
    } catch (error) {
      const isTooMuch = error instanceof ExaminationExceeded;
      if (!isTooMuch && !(error instanceof ExaminationOverran)) throw error;
      setApart(endpoint);
      if (isTooMuch) return among(endpoint, examine, overran, strangers);
      onLimit();
      return overran();
    }
  }

  const examiner = (thread?: ExaminerClient): Examiner => ({
    observe({ host, port, protocol }: Endpoint, look: LookOptions) {
      const endpoint = { host, port, protocol };
      const startedAt = Date.now();
      const overran = (): Observation => unexaminedObservation(endpoint, startedAt);
      return among(endpoint, (client) => client.observe(endpoint, look), overran, thread);
    },
    judge(question: Question) {
      const { endpoint } = question.observation;
      return among(
        endpoint,
        (client) => client.judge(question),
        () => unexamined(question),
        thread,
      );
    },
  });

  return {
    ...examiner(),
    strangers: examiner(strangers),
    async close() {
      await Promise.all([checks.close(), strangers.close()]);
    },
  };
}

function keyOf({ host, port, protocol }: Endpoint): string {
  return `${protocol} ${host} ${port}`;
}

const NO_ANCHORS = createTrustStore([]);

function unexamined({ observation: { endpoint, observedAt }, now, previous }: Question): Judgement {
  const verdict = judge(unexaminedObservation(endpoint, observedAt), now, NO_ANCHORS, previous);
  const trustStoreHash = previous?.trustStoreHash ?? verdict.trustStoreHash;
  return { verdict: { ...verdict, trustStoreHash }, certificates: [] };
}
