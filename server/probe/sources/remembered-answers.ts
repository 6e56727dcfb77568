import { createSlots, within } from '../../egress/index.ts';
import { BoundedMap } from '../../pki/index.ts';
import type { DiskCache } from './disk-cache.ts';
import { MINUTE_MS, HOUR_MS } from '../../../contract/durations.ts';

/** What was learned, and when asking again is of use (ms UTC). A failure never takes the place of what was learned before. */
export interface Learned<Answer> {
  answer: Answer;
  askAgainAt: number;
  isFailure: boolean;
}

export interface AnswersOptions<Answer> {
  cache: DiskCache;
  /** Checks what an earlier process wrote; null for what it cannot have written. */
  read: (content: unknown) => Answer | null;
  /** At once, over all keys. */
  mostAtOnce: number;
}

export interface AnswerRequest<Answer> {
  key: string;
  /** ms UTC. */
  now: number;
  /** Ends the wait; the question goes on for the next who asks. */
  signal: AbortSignal;
  ask: () => Promise<Learned<Answer>>;
}

interface Held<Answer> {
  answer: Answer;
  at: number;
  askAgainAt: number;
}

const MOST_IN_MEMORY = 8_192;
/** Questions under way and waiting for a slot; over this nobody is sent to wait. */
const MOST_FLIGHTS = 512;
const LONGEST_WAIT_MS = MINUTE_MS;
/** A clock that was set back must not keep old answers for long. */
const CLOCK_TOLERANCE_MS = HOUR_MS;

/**
 * Asks each question once however many want the answer at the same time, and remembers it in memory and on disk until it is
 * time to ask again. null where there is none yet.
 */
export function createRememberedAnswers<Answer>({ cache, read, mostAtOnce }: AnswersOptions<Answer>) {
  const recent = new BoundedMap<string, Held<Answer>>(MOST_IN_MEMORY);
  const flights = new Map<string, Promise<Answer>>();
  const inSlot = createSlots(mostAtOnce);

  const stored = async (key: string): Promise<Held<Answer> | null> => {
    const entry = await cache.get(key);
    const answer = entry && read(parsed(entry.bytes));
    if (entry === null || answer === null) return null;
    const held = { answer, at: Number(entry.meta.at), askAgainAt: Number(entry.meta.askAgainAt) };
    recent.set(key, held);
    return held;
  };

  const learn = async (
    { key, now, ask }: AnswerRequest<Answer>,
    held: Held<Answer> | null,
  ): Promise<Answer> => {
    const { answer, askAgainAt, isFailure } = await inSlot(ask);
    const kept = { answer: isFailure && held !== null ? held.answer : answer, at: now, askAgainAt };
    recent.set(key, kept);
    // A failure is nothing to tell the next process.
    if (!isFailure || held !== null)
      await cache.put(key, Buffer.from(JSON.stringify(kept.answer)), { at: now, askAgainAt });
    return kept.answer;
  };

  return async function answerTo(request: AnswerRequest<Answer>): Promise<Answer | null> {
    const { key, now, signal } = request;
    const isFresh = ({ at, askAgainAt }: Held<Answer>): boolean =>
      at <= now + CLOCK_TOLERANCE_MS && now < askAgainAt;
    const held = recent.get(key) ?? (await stored(key));
    if (held !== null && isFresh(held)) return held.answer;
    let flight = flights.get(key);
    if (flight === undefined) {
      if (flights.size >= MOST_FLIGHTS) return held?.answer ?? null;
      flight = learn(request, held).finally(() => flights.delete(key));
      flights.set(key, flight);
    }
    return within(flight, { ms: LONGEST_WAIT_MS, signal }, held?.answer ?? null);
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
