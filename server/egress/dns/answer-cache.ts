import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Minimum and maximum time for which an answer is kept, whatever its TTL (ms). */
const MIN_TTL_MS = HOUR_MS;
const MAX_TTL_MS = DAY_MS;
/** How long a failure is kept (ms). */
const FAILURE_TTL_MS = 5 * MINUTE_MS;
const MAX_ENTRIES = 50_000;
/** Maximum size of the responses whose answers are cached. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Entry<Answer> {
  answer: Answer;
  storedAt: number;
  keptMs: number;
  size: number;
}

export interface Cacheable {
  /** TTL in seconds; null for a question without an answer. */
  ttlSeconds: number | null;
  /** Size of the responses, in bytes. */
  size: number;
}

/** Creates a cache that evicts the least recently used answers when it is full. */
export function createAnswerCache<Answer extends Cacheable>(now: () => number) {
  const entries = new Map<string, Entry<Answer>>();
  let bytes = 0;

  const remove = (key: string): Entry<Answer> | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    bytes -= entry.size;
    return entry;
  };
  const add = (key: string, entry: Entry<Answer>): void => {
    entries.set(key, entry);
    bytes += entry.size;
  };

  return {
    get(key: string): Answer | null {
      const entry = remove(key);
      const ageMs = now() - (entry?.storedAt ?? 0);
      // A negative age means that the clock was set back.
      if (entry === undefined || ageMs < 0 || ageMs >= entry.keptMs) return null;
      add(key, entry);
      return entry.answer;
    },
    set(key: string, answer: Answer): void {
      remove(key);
      const { ttlSeconds, size } = answer;
      const keptMs =
        ttlSeconds === null ? FAILURE_TTL_MS : Math.min(Math.max(ttlSeconds * 1_000, MIN_TTL_MS), MAX_TTL_MS);
      add(key, { answer, storedAt: now(), keptMs, size: size + key.length });
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_ENTRIES && bytes <= MAX_BYTES) break;
        remove(oldest);
      }
    },
  };
}
