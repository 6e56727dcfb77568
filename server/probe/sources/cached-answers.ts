import { createSemaphore, withTimeout } from '../../egress/with-timeout.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import type { DiskCache } from './disk-cache.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/**
 * Fetched answer. `askAgainAt`: earliest time of the next request, ms UTC. A failure never replaces an earlier answer.
 */
export interface FetchedAnswer<Answer> {
  answer: Answer;
  askAgainAt: number;
  isFailure: boolean;
}

export interface AnswersOptions<Answer> {
  cache: DiskCache;
  /** Validates content that an earlier process stored; returns null if it is invalid. */
  read: (content: unknown) => Answer | null;
  /** Maximum number of concurrent requests over all keys. */
  maxConcurrent: number;
}

export interface AnswerRequest<Answer> {
  key: string;
  /** Current time, ms UTC. */
  now: number;
  /** Aborting it ends only this caller's wait. The request continues for the next caller. */
  signal: AbortSignal;
  ask: () => Promise<FetchedAnswer<Answer>>;
}

interface Cached<Answer> {
  answer: Answer;
  at: number;
  askAgainAt: number;
}

const MAX_IN_MEMORY = 8_192;
/** Maximum number of requests running or queued. Instead of starting another, callers get the cached answer or null. */
const MAX_IN_FLIGHT = 512;
const MAX_WAIT_MS = MINUTE_MS;
/**
 * Maximum time in ms that an answer may be dated ahead of now. Answers further ahead count as stale: the clock was set
 * back, and they would otherwise stay fresh for too long.
 */
const CLOCK_TOLERANCE_MS = HOUR_MS;

/**
 * Returns a function that caches answers in memory and on disk until `askAgainAt` and merges concurrent requests for
 * the same key. That function returns null if there is no answer yet.
 */
export function createCachedAnswers<Answer>({ cache, read, maxConcurrent }: AnswersOptions<Answer>) {
  const recent = new LruCache<string, Cached<Answer>>(MAX_IN_MEMORY);
  const inFlight = new Map<string, Promise<Answer>>();
  const limitConcurrency = createSemaphore(maxConcurrent);

  const readStored = async (key: string): Promise<Cached<Answer> | null> => {
    const entry = await cache.get(key);
    const answer = entry && read(parseJson(entry.bytes));
    if (entry === null || answer === null) return null;
    const cached = { answer, at: Number(entry.meta.at), askAgainAt: Number(entry.meta.askAgainAt) };
    recent.set(key, cached);
    return cached;
  };

  const fetchAnswer = async (
    { key, now, ask }: AnswerRequest<Answer>,
    cached: Cached<Answer> | null,
  ): Promise<Answer> => {
    const { answer, askAgainAt, isFailure } = await limitConcurrency(ask);
    const kept = { answer: isFailure && cached !== null ? cached.answer : answer, at: now, askAgainAt };
    recent.set(key, kept);
    // Do not store a failure for the next process, only an earlier answer with its new `askAgainAt`.
    if (!isFailure || cached !== null)
      await cache.put(key, Buffer.from(JSON.stringify(kept.answer)), { at: now, askAgainAt });
    return kept.answer;
  };

  return async function answerTo(request: AnswerRequest<Answer>): Promise<Answer | null> {
    const { key, now, signal } = request;
    const isFresh = ({ at, askAgainAt }: Cached<Answer>): boolean =>
      at <= now + CLOCK_TOLERANCE_MS && now < askAgainAt;
    const cached = recent.get(key) ?? (await readStored(key));
    if (cached !== null && isFresh(cached)) return cached.answer;
    let fetching = inFlight.get(key);
    if (fetching === undefined) {
      if (inFlight.size >= MAX_IN_FLIGHT) return cached?.answer ?? null;
      fetching = fetchAnswer(request, cached).finally(() => inFlight.delete(key));
      inFlight.set(key, fetching);
    }
    return withTimeout(fetching, { ms: MAX_WAIT_MS, signal }, cached?.answer ?? null);
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
