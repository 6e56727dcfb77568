import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { z } from 'zod';
import type { Call } from '../../../contract/calls/call.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { AppContext } from './app-env.ts';

/** Cache that keeps answers for some seconds, so that many equal requests cost as much as one. */
export interface AnswerCache<T> {
  /**
   * Returns the cached answer, or waits for the one that an earlier call is making. Calls `make` if there is neither. Failures
   * are not cached.
   */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  endsAt: number;
  weight: number;
  answer: Promise<T>;
}

/**
 * Creates a cache that evicts its oldest answers while their total weight exceeds `maxWeight`. Calls `weigh` once for each
 * answer, when `make` has returned it.
 */
export function createAnswerCache<T>(options: {
  clock: { monotonic(): number };
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

  /** Returns whether the cache still has this entry: it may have been dropped or replaced before its answer arrived. */
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
      // Drop the failed entry, so that the next call tries again. The caller of `get` receives the error.
      if (isCurrent(key, entry)) drop(key);
    }
  }

  return {
    get(key, make) {
      const now = clock.monotonic();
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
 * Cache of answers that each show many domains of an account. They are kept until data of the account changes, for at most a
 * second.
 */
export interface AccountAnswers {
  /**
   * Responds with the answer stored for the same call and query, else with what `make` returns; compressed if the client accepts
   * it.
   */
  respond<C extends Call & { response: z.ZodType }>(
    c: AppContext,
    request: { call: C; accountId: string; query?: object },
    make: () => Promise<z.output<C['response']>>,
  ): Promise<Response>;
  /** Drops the account's answers. Call it after a write that publishes no signal. */
  forget(accountId: string): void;
}

type Encoding = 'zstd' | 'br' | 'gzip' | 'identity';
/** An answer as JSON, and its compressed copies so far. */
type Encoded = { identity: Uint8Array<ArrayBuffer> } & Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;

/** Maximum age of an answer, ms. Values that change with time alone, such as states and uptime, are outdated by at most this time. */
const ANSWER_MS = 1_000;
/** Maximum size of all answers as JSON. Compressed copies add about a tenth. */
const MAX_ANSWERS_BYTES = 16_000_000;
const MAX_VERSIONS = 10_000;

/**
 * Creates the cache of account answers, for SQLite. On PostgreSQL it stores nothing: a write may be acknowledged by another
 * process before its signal arrives here, and a cached answer would not show the write.
 */
export function createAccountAnswers({
  store,
  clock,
}: {
  store: Pick<Store, 'dialect' | 'signals'>;
  clock: { monotonic(): number };
}): AccountAnswers {
  const cache = createAnswerCache<Encoded>({
    clock,
    cacheMs: store.dialect === 'sqlite' ? ANSWER_MS : 0,
    maxWeight: MAX_ANSWERS_BYTES,
    weigh: ({ identity }) => identity.length,
  });
  /**
   * Version of each account's data; removed when the data changes. An answer whose read began before a change has the old
   * version, so it is not used.
   */
  const versions = new Map<string, number>();
  let last = 0;
  store.signals.subscribe((signal) => {
    if (signal.topic === 'missed') versions.clear();
    if ('accountId' in signal) versions.delete(signal.accountId);
  });

  function versionOf(accountId: string): number {
    const known = versions.get(accountId);
    if (known !== undefined) return known;
    if (versions.size >= MAX_VERSIONS) versions.clear();
    last += 1;
    versions.set(accountId, last);
    return last;
  }

  return {
    async respond(c, { call, accountId, query = {} }, make) {
      const key = JSON.stringify([versionOf(accountId), accountId, call.path, query]);
      const encoded = await cache.get(key, async () => ({
        identity: copied(Buffer.from(JSON.stringify(await make()))),
      }));
      const encoding = encodingFor(c);
      const body = (encoded[encoding] ??= ENCODERS[encoding](encoded.identity));
      c.header('Content-Type', 'application/json');
      c.header('Vary', 'Accept-Encoding', { append: true });
      if (encoding !== 'identity') c.header('Content-Encoding', encoding);
      return c.body(body, 200);
    },
    forget: (accountId) => void versions.delete(accountId),
  };
}

/**
 * Functions that compress answers, best coding first. Measured with a list page of 66 kB: 4.6 kB in 35 µs, 4.9 kB in 62 µs and
 * 5.3 kB in 100 µs. Higher levels take up to eight times as long and save at most 0.5 kB.
 */
const ENCODERS: Record<Encoding, (json: Uint8Array) => Uint8Array<ArrayBuffer>> = {
  zstd: (json) => copied(zstdCompressSync(json, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })),
  br: (json) => copied(brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })),
  gzip: (json) => copied(gzipSync(json, { level: 1 })),
  identity: copied,
};

/** Copies bytes, because the buffer may be larger than its content, or shared with others. */
function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function encodingFor(c: AppContext): Encoding {
  const accepted = c.req.header('accept-encoding') ?? '';
  return (['zstd', 'br', 'gzip'] as const).find((name) => acceptsEncoding(accepted, name)) ?? 'identity';
}

/**
 * Responds with `text` and its ETag, or with 304 if the client has it already; both with `headers`. For badges and status pages,
 * pass a `Cache-Control` with `no-cache`: they must disappear as soon as their owner switches them off.
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
 * Returns whether If-None-Match is `*` or lists the tag (RFC 9110 §13.1.2). Ignores the mark of weak tags, because a proxy that
 * compresses a response makes its tag weak. Tags must not contain a comma.
 */
export function isKnownToClient(c: AppContext, tag: string): boolean {
  const opaque = (entry: string) => entry.trim().replace(/^W\//, '');
  const listed = (c.req.header('if-none-match') ?? '').split(',').map(opaque);
  return listed.includes('*') || listed.includes(opaque(tag));
}

/** Returns whether an `Accept-Encoding` header lists this coding with a weight above 0. */
export function acceptsEncoding(acceptEncoding: string, name: string): boolean {
  return acceptEncoding.split(',').some((entry) => {
    const [coding, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
