import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/** Cache that keeps answers for some seconds, so that many requests cost as much as one. */
export interface AnswerCache<T> {
  /** Returns the cached answer or the one in progress, else calls `make`. Failures are not cached. */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  endsAt: number;
  weight: number;
  answer: Promise<T>;
}

/**
 * Creates a cache that evicts its oldest answers while their total weight exceeds `maxWeight`. Calls `weigh` when an
 * answer has arrived.
 */
export function createAnswerCache<T>(options: {
  clock: { now(): number };
  cacheMs: number;
  maxWeight: number;
  weigh: (answer: T) => number;
}): AnswerCache<T> {
  const { clock, cacheMs, maxWeight, weigh } = options;
  const entries = new Map<string, Entry<T>>();
  let weight = 0;

  function drop(key: string): void {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  /** Returns whether the entry is still cached: it may have been dropped or replaced before its answer arrived. */
  const isCurrent = (key: string, entry: Entry<T>) => entries.get(key) === entry;

  async function trackWeight(key: string, entry: Entry<T>): Promise<void> {
    try {
      const answerWeight = weigh(await entry.answer);
      if (!isCurrent(key, entry)) return;
      entry.weight = answerWeight;
      weight += answerWeight;
      for (const oldest of entries.keys()) {
        if (weight <= maxWeight) break;
        drop(oldest);
      }
    } catch {
      // The caller of `get` receives the error; the next call tries again.
      if (isCurrent(key, entry)) drop(key);
    }
  }

  return {
    get(key, make) {
      const now = clock.now();
      const known = entries.get(key);
      if (known !== undefined && known.endsAt > now) return known.answer;
      drop(key);
      // Entries are in the order of their creation, so the expired ones come first.
      for (const [old, { endsAt }] of entries) {
        if (endsAt > now) break;
        drop(old);
      }
      const entry = { endsAt: now + cacheMs, weight: 0, answer: make() };
      entries.set(key, entry);
      void trackWeight(key, entry);
      return entry.answer;
    },
  };
}

/**
 * Responds with `text` and its ETag, or with 304 if the client has it already; both with `headers`. Pass
 * `Cache-Control: no-cache` among them, so that a badge or page disappears as soon as it is switched off.
 */
export function respondWithEtag(
  c: AppContext,
  text: string,
  { contentType, headers }: { contentType: string; headers: Record<string, string> },
): Response {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const all = { ...headers, ETag: tag };
  if (matchesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304, all);
  return c.body(text, 200, { ...all, 'Content-Type': contentType });
}

/**
 * Returns whether If-None-Match contains the tag. Compares weakly (RFC 9110 §8.8.3.2), because a proxy that compresses
 * a response makes its tag weak.
 */
function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
}
