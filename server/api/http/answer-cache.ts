import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/** Cache that keeps answers for some seconds, so that many requests cost as much as one. */
export interface AnswerCache<T> {
  /** Returns the cached answer, or the one that an earlier call is making; else calls `make`. Failures are not cached. */
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
 * Responds with `text` and its ETag, or with 304 if the client has it already; both with `headers`. Pass a
 * `Cache-Control` with `no-cache` for badges and status pages, so that they disappear as soon as their owner switches them off.
 */
export function respondWithEtag(
  c: AppContext,
  text: string,
  { contentType, headers }: { contentType: string; headers: Record<string, string> },
): Response {
  const tag = `"${contentHash(text)}"`;
  const all = { ...headers, ETag: tag };
  if (isKnownToClient(c, tag)) return c.body(null, 304, all);
  return c.body(text, 200, { ...all, 'Content-Type': contentType });
}

/** Returns a hash of the content for an ETag. */
export function contentHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 27);
}

/**
 * Returns whether If-None-Match is `*` or lists the tag (RFC 9110 §13.1.2). Ignores whether tags are weak, because a proxy that
 * compresses a response makes its tag weak. Takes no tags that contain a comma.
 */
export function isKnownToClient(c: AppContext, tag: string): boolean {
  const opaque = (entry: string) => entry.trim().replace(/^W\//, '');
  const listed = (c.req.header('if-none-match') ?? '').split(',').map(opaque);
  return listed.includes('*') || listed.includes(opaque(tag));
}
