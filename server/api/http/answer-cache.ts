import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/** Answers that are kept for some seconds, so that many who ask cost as much as one. */
export interface AnswerCache<T> {
  /** The kept answer, or the one that is being made; else `make` makes it. What fails is not kept. */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  endsAt: number;
  weight: number;
  answer: Promise<T>;
}

/** Keeps answers of at most `mostWeight` together; the oldest give way. `weigh` is asked once an answer is there. */
export function createAnswerCache<T>(options: {
  clock: { now(): number };
  keptMs: number;
  mostWeight: number;
  weigh: (answer: T) => number;
}): AnswerCache<T> {
  const { clock, keptMs, mostWeight, weigh } = options;
  const entries = new Map<string, Entry<T>>();
  let weight = 0;

  function drop(key: string): void {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  /** An entry may have been dropped, or made anew, before its answer came. */
  const isKept = (key: string, entry: Entry<T>) => entries.get(key) === entry;

  async function follow(key: string, entry: Entry<T>): Promise<void> {
    try {
      const weighed = weigh(await entry.answer);
      if (!isKept(key, entry)) return;
      entry.weight = weighed;
      weight += weighed;
      for (const oldest of entries.keys()) {
        if (weight <= mostWeight) break;
        drop(oldest);
      }
    } catch {
      // Whoever asked is told; the next one makes it anew.
      if (isKept(key, entry)) drop(key);
    }
  }

  return {
    get(key, make) {
      const now = clock.now();
      const known = entries.get(key);
      if (known !== undefined && known.endsAt > now) return known.answer;
      drop(key);
      // Those that nobody asks for any more stand first.
      for (const [old, { endsAt }] of entries) {
        if (endsAt > now) break;
        drop(old);
      }
      const entry = { endsAt: now + keptMs, weight: 0, answer: make() };
      entries.set(key, entry);
      void follow(key, entry);
      return entry.answer;
    },
  };
}

/**
 * Answers with a text and its tag, or with 304 where the asker has that text already. `headers` are of both. What is switched
 * off has to be gone at once, so that nobody may show it without having asked.
 */
export function taggedAnswer(
  c: AppContext,
  text: string,
  { contentType, headers }: { contentType: string; headers: Record<string, string> },
): Response {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const all = { ...headers, ETag: tag };
  if (holds(c.req.header('if-none-match'), tag)) return c.body(null, 304, all);
  return c.body(text, 200, { ...all, 'Content-Type': contentType });
}

/** What packs an answer on its way makes its tag a weak one. */
function holds(ifNoneMatch: string | undefined, tag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
}
