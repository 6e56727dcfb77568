import { createSemaphore, withTimeout } from '../../egress/with-timeout.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import type { QuotaCharge } from './request-quotas.ts';
import {
  type ChargedRequest,
  type ChargedRequestContext,
  type ChargedResponse,
  sendChargedRequest,
  type Validators,
} from './charged-request.ts';
import type { CacheMeta, DiskCache } from './disk-cache.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Settings and cache of the fetches from CAs. */
export interface FetchContext extends ChargedRequestContext {
  cache: DiskCache;
}

export interface FetchOptions<Value> {
  /** Parses a response body; returns null if it is malformed. */
  parse(bytes: Buffer): Value | null;
  accept: string;
  /** Maximum size of a response in bytes. */
  maxBytes: number;
  deadlineMs: number;
  /** Maximum number of concurrent requests. */
  maxConcurrent: number;
  /** Maximum size of the memory cache in bytes. Evicted answers are read from the disk cache again. */
  memoryBytes: number;
}

export interface FetchRequest<Value, Why extends string> extends ChargedRequest {
  /** Cache key of answers and failures. Concurrent requests with the same key share one fetch. */
  key: string;
  /** Current time, ms UTC. */
  now: number;
  /**
   * Subject for which `validate` verifies the answer, if the subject differs between requests with this key.
   * Failed verifications are cached per subject, other failures per key.
   */
  subject?: string;
  /**
   * Verifies an answer. Returns the time until which it stays fresh (ms UTC), or why verification failed. Unverified
   * answers are never cached and never replace a verified one.
   */
  validate(value: Value, previous: Value | null): { freshUntil: number } | { why: Why };
  /** Aborting it ends only this caller's wait. The fetch continues for the next caller. */
  signal: AbortSignal;
}

export type FetchResult<Value, Why extends string = never> =
  /**
   * `at`: time when the peer last confirmed the value. `askAgainAt`: time before which calls return
   * the same value. Both ms UTC.
   */
  | { ok: true; value: Value; at: number; askAgainAt: number }
  /** `pending`: the fetch did not finish in time, or our own limits did not allow it. */
  | {
      ok: false;
      why: Why | 'pending' | 'unreachable' | 'too_large' | 'malformed';
      at: number;
      askAgainAt: number;
    };

interface Cached<Value> extends Validators {
  value: Value;
  bytes: Buffer;
  at: number;
  freshUntil: number;
}

/** Response of the peer; null if our own limits forbid the request. */
type Received<Value> =
  | (Omit<Cached<Value>, 'at' | 'freshUntil'> & { charges: QuotaCharge[] })
  | Extract<ChargedResponse, { why: unknown }>
  | null;

/** One running request, shared by all callers that want its answer. */
interface SharedRequest<Value> {
  received: Promise<Received<Value>>;
  /** Cached answer, set once it is verified for one of the callers; null before. */
  stored: Cached<Value> | null;
}

/** Minimum time between requests with the same key after a verified answer, over all callers. */
const MIN_FRESH_MS = HOUR_MS;
/** Minimum time between requests with the same key after a failure, over all callers. */
const RETRY_MS = 15 * MINUTE_MS;
/**
 * Maximum time in ms that an answer may be dated ahead of now. Answers further ahead count as stale: the clock was set
 * back, and they would otherwise stay fresh for too long.
 */
const CLOCK_TOLERANCE_MS = HOUR_MS;
const MAX_FAILURES = 8_192;
/** Maximum number of fetches running or queued. Instead of starting another, callers get the cached answer or `pending`. */
const MAX_IN_FLIGHT = 512;

/**
 * Returns a function that fetches data of one kind, such as CRLs, merges concurrent requests for the same key, and
 * caches answers and failures. Only a verified answer ever replaces a verified one.
 */
export function createCachedFetch<Value, Why extends string = never>(
  context: FetchContext,
  options: FetchOptions<Value>,
) {
  type Outcome = FetchResult<Value, Why>;
  type FailedFetch = Exclude<Outcome, { ok: true }>;
  const answers = createAnswerCache(context.cache, options);
  const failures = new LruCache<string, FailedFetch>(MAX_FAILURES);
  const inFlight = new Map<string, SharedRequest<Value>>();
  const { accept, maxBytes, deadlineMs } = options;
  const requestOptions = {
    accept,
    maxBytes,
    deadlineMs,
    context,
    withPermit: createSemaphore(options.maxConcurrent),
  };

  const receive = async (
    request: FetchRequest<Value, Why>,
    cached: Cached<Value> | null,
  ): Promise<Received<Value>> => {
    const answer = await sendChargedRequest(request, cached, requestOptions);
    if (answer === null || 'why' in answer) return answer;
    const { bytes, ...rest } = answer;
    if (bytes === null) return cached && { ...cached, ...rest };
    const value = options.parse(bytes);
    return value === null ? { why: 'malformed' } : { ...rest, bytes, value };
  };

  /** Verifies the answer of a shared request for one of its callers. Stores the answer when it is first verified. */
  const evaluate = async (
    shared: SharedRequest<Value>,
    request: FetchRequest<Value, Why>,
    cached: Cached<Value> | null,
  ): Promise<Outcome> => {
    const { key, now } = request;
    const fail = (why: FailedFetch['why'], failureKey: string): Outcome => {
      const failure = { ok: false, why, at: now, askAgainAt: now + RETRY_MS } as const;
      failures.set(failureKey, failure);
      return cached === null ? failure : { ...toOutcome(cached), askAgainAt: failure.askAgainAt };
    };
    const received = await shared.received;
    if (received === null) return pending(cached, now);
    if ('why' in received) return fail(received.why, key);
    const vetted = request.validate(received.value, cached?.value ?? null);
    if ('why' in vetted) return fail(vetted.why, subjectKey(request));
    if (shared.stored === null) {
      const { charges, ...rest } = received;
      shared.stored = { ...rest, at: now, freshUntil: Math.max(vetted.freshUntil, now + MIN_FRESH_MS) };
      context.quotas.refund(charges);
      await answers.store(key, shared.stored);
    }
    return toOutcome(shared.stored);
  };

  return async function fetchCached(request: FetchRequest<Value, Why>): Promise<Outcome> {
    const { key, now, signal } = request;
    const { cached, isFresh } = await answers.find(key, now);
    if (cached !== null && isFresh) return toOutcome(cached);

    const failure = [key, subjectKey(request)]
      .map((failureKey) => failures.get(failureKey))
      .find((known) => known !== null && now >= known.at && now < known.askAgainAt);
    if (failure) return cached === null ? failure : { ...toOutcome(cached), askAgainAt: failure.askAgainAt };

    let shared = inFlight.get(key);
    if (shared === undefined) {
      if (inFlight.size >= MAX_IN_FLIGHT || context.stop.aborted) return pending(cached, now);
      shared = { received: receive(request, cached).finally(() => inFlight.delete(key)), stored: null };
      inFlight.set(key, shared);
    }
    return withTimeout(evaluate(shared, request, cached), { ms: deadlineMs, signal }, pending(cached, now));
  };
}

/** Creates a cache of answers in memory, above the disk cache, which all processes of this machine share. */
function createAnswerCache<Value>(
  disk: DiskCache,
  { parse, memoryBytes }: Pick<FetchOptions<Value>, 'parse' | 'memoryBytes'>,
) {
  const recent = new LruCache<string, Cached<Value>>(memoryBytes);
  return {
    /** Returns the newest cached answer, and whether it is fresh at `now`. */
    async find(key: string, now: number): Promise<{ cached: Cached<Value> | null; isFresh: boolean }> {
      const isFresh = (entry: Cached<Value> | null): boolean =>
        entry !== null && entry.at <= now + CLOCK_TOLERANCE_MS && now < entry.freshUntil;
      const inMemory = recent.get(key);
      if (isFresh(inMemory)) return { cached: inMemory, isFresh: true };
      // Another process may have stored a newer answer.
      const entry = await disk.get(key);
      const value = entry && parse(entry.bytes);
      if (entry === null || value === null) return { cached: inMemory, isFresh: false };
      const cached = { value, bytes: entry.bytes, ...readMeta(entry.meta) };
      recent.set(key, cached, entry.bytes.length);
      return { cached, isFresh: isFresh(cached) };
    },
    async store(key: string, cached: Cached<Value>): Promise<void> {
      recent.set(key, cached, cached.bytes.length);
      const { at, freshUntil, etag, lastModified } = cached;
      await disk.put(key, cached.bytes, { at, freshUntil, etag, lastModified });
    },
  };
}

function subjectKey({ key, subject = '' }: { key: string; subject?: string }): string {
  return subject === '' ? key : `${key} for ${subject}`;
}

function toOutcome<Value>({
  value,
  at,
  freshUntil,
}: Cached<Value>): Extract<FetchResult<Value>, { ok: true }> {
  return { ok: true, value, at, askAgainAt: freshUntil };
}

function pending<Value>(cached: Cached<Value> | null, now: number): FetchResult<Value> {
  return cached === null
    ? { ok: false, why: 'pending', at: now, askAgainAt: now }
    : { ...toOutcome(cached), askAgainAt: now };
}

function readMeta(meta: CacheMeta): Omit<Cached<never>, 'value' | 'bytes'> {
  const number = (name: string): number => Number(meta[name] ?? 0);
  const text = (name: string): string | null => (typeof meta[name] === 'string' ? meta[name] : null);
  return {
    at: number('at'),
    freshUntil: number('freshUntil'),
    etag: text('etag'),
    lastModified: text('lastModified'),
  };
}
