import { createSlots, exchange, within } from '../../egress/index.ts';
import type { AddressPolicy, Exchanged, Resolver } from '../../egress/index.ts';
import type { CacheMeta, DiskCache } from './disk-cache.ts';
import { HostStandings } from './host-standing.ts';
import { RecentValues } from './recent-values.ts';

/** What all fetches from CAs share. */
export interface FetchWay {
  resolver: Resolver;
  policy: AddressPolicy;
  cache: DiskCache;
  /** Ends every fetch. */
  stop: AbortSignal;
}

export interface FetchKind<Value> {
  /** What an answer's bytes are; null where they are nothing of the kind. */
  parse(bytes: Buffer): Value | null;
  accept: string;
  /** Of an answer. */
  maxBytes: number;
  deadlineMs: number;
  /** At once from hosts that gave something before, and as many from those that did not: these cannot hold up the others. */
  mostAtOnce: number;
  /** Of answers that stay in memory; the others are read again from the cache. */
  memoryBytes: number;
}

export interface FetchRequest<Value> {
  /** What it is remembered by. */
  key: string;
  url: string;
  /** Sent by POST. */
  body?: { type: string; bytes: Uint8Array };
  /**
   * Whether the answer is proven to be the right one, and until when it need not be asked for again (ms UTC). An answer that is
   * not never takes the place of one that is.
   */
  vet(value: Value, previous: Value | null): { isProven: boolean; freshUntil: number };
  /** ms UTC. */
  now: number;
  /** Ends the wait; the fetch goes on for the next who asks. */
  signal: AbortSignal;
}

export type Fetched<Value> =
  /** `at`: when the peer last said so. `askAgainAt`: nothing new is learnt before. */
  | { ok: true; value: Value; at: number; askAgainAt: number }
  | {
      ok: false;
      why: 'pending' | 'unreachable' | 'too_large' | 'malformed';
      at: number;
      askAgainAt: number;
    };

interface Held<Value> {
  value: Value;
  bytes: Buffer;
  at: number;
  freshUntil: number;
  isProven: boolean;
  etag: string | null;
  lastModified: string | null;
}

/** After an answer; and after none, or one that proves nothing. Whoever asks, a URL is not asked more often. */
const FLOOR_MS = 3_600_000;
const NEGATIVE_MS = 15 * 60_000;
/** A clock that was set back must not make old answers fresh for long. */
const CLOCK_TOLERANCE_MS = 3_600_000;
const MOST_NOTES = 8_192;
/** Fetches under way and waiting for a slot; over this nobody is sent to wait. */
const MOST_FLIGHTS = 512;

type Refusal = Exclude<Fetched<never>, { ok: true }>;

/**
 * Fetches things of one kind, each once however many want it at the same time, and remembers them and the failures. An answer
 * that was once proven stays until a proven one replaces it.
 */
export function createRememberedFetch<Value>(way: FetchWay, kind: FetchKind<Value>) {
  const recent = new RecentValues<Held<Value>>(kind.memoryBytes);
  const refusals = new RecentValues<Refusal>(MOST_NOTES);
  const flights = new Map<string, Promise<Fetched<Value>>>();
  const hosts = new HostStandings();
  const inSlot = createSlots(kind.mostAtOnce);
  const inStrangersSlot = createSlots(kind.mostAtOnce);

  const stored = async (key: string): Promise<Held<Value> | null> => {
    const entry = await way.cache.get(key);
    const value = entry && kind.parse(entry.bytes);
    if (entry === null || value === null) return null;
    const held = { value, bytes: entry.bytes, ...readMeta(entry.meta) };
    recent.set(key, held, entry.bytes.length);
    return held;
  };

  const keep = async (key: string, held: Held<Value>): Promise<void> => {
    recent.set(key, held, held.bytes.length);
    const { at, freshUntil, etag, lastModified } = held;
    const isProven = held.isProven ? 1 : 0;
    await way.cache.put(key, held.bytes, { at, freshUntil, isProven, etag, lastModified });
  };

  const ask = async (request: FetchRequest<Value>, held: Held<Value> | null): Promise<Exchanged> => {
    const url = URL.parse(request.url);
    if (url === null) return { ok: false, reason: 'not_allowed' };
    const inTurn = hosts.isProven(url.hostname) ? inSlot : inStrangersSlot;
    return inTurn(async () => {
      if (!hosts.begin(url.hostname, request.now)) return { ok: false, reason: 'not_allowed' };
      return exchange({
        ...way,
        url,
        headers: {
          accept: kind.accept,
          ...(request.body && { 'content-type': request.body.type }),
          ...(held?.etag && { 'if-none-match': held.etag }),
          ...(held?.lastModified && { 'if-modified-since': held.lastModified }),
        },
        ...(request.body && { method: 'POST', body: request.body.bytes }),
        signal: way.stop,
        deadlineMs: kind.deadlineMs,
        maxBytes: kind.maxBytes,
      });
    });
  };

  const fly = async (request: FetchRequest<Value>, held: Held<Value> | null): Promise<Fetched<Value>> => {
    const { key, now } = request;
    const refuse = (why: Refusal['why']): Fetched<Value> => {
      const refusal = { ok: false, why, at: now, askAgainAt: now + NEGATIVE_MS } as const;
      refusals.set(key, refusal);
      return held === null ? refusal : { ...told(held), askAgainAt: refusal.askAgainAt };
    };
    const accept = async (
      next: Omit<Held<Value>, 'at' | 'freshUntil' | 'isProven'>,
    ): Promise<Fetched<Value>> => {
      const { isProven, freshUntil } = request.vet(next.value, held?.value ?? null);
      if (!isProven && held?.isProven === true) return refuse('malformed');
      const until = isProven ? Math.max(freshUntil, now + FLOOR_MS) : now + NEGATIVE_MS;
      if (isProven) hosts.prove(new URL(request.url).hostname, now);
      const kept = { ...next, at: now, freshUntil: until, isProven };
      await keep(key, kept);
      // Should it be forgotten before its time, it is still not asked for at once.
      refusals.set(key, { ok: false, why: 'pending', at: now, askAgainAt: now + NEGATIVE_MS });
      return told(kept);
    };

    const answer = await ask(request, held);
    if (!answer.ok)
      return refuse(
        answer.reason === 'too_large' || answer.reason === 'malformed' ? answer.reason : 'unreachable',
      );
    if (answer.status === 304 && held !== null) return accept(held);
    if (answer.status !== 200) return refuse('unreachable');
    const value = kind.parse(answer.body);
    if (value === null) return refuse('malformed');
    const { etag = null, 'last-modified': lastModified = null } = answer.headers;
    return accept({ value, bytes: answer.body, etag: short(etag), lastModified: short(lastModified) });
  };

  return async function fetchOnce(request: FetchRequest<Value>): Promise<Fetched<Value>> {
    const { key, now, signal } = request;
    const isFresh = (held: Held<Value> | null): held is Held<Value> =>
      held !== null && held.at <= now + CLOCK_TOLERANCE_MS && now < held.freshUntil;
    let held = recent.get(key);
    if (isFresh(held)) return told(held);
    // Another process may have been faster.
    held = (await stored(key)) ?? held;
    if (isFresh(held)) return told(held);

    const refusal = refusals.get(key);
    if (refusal !== null && now >= refusal.at && now < refusal.askAgainAt)
      return held === null ? refusal : { ...told(held), askAgainAt: refusal.askAgainAt };

    const pending: Fetched<Value> =
      held === null
        ? { ok: false, why: 'pending', at: now, askAgainAt: now }
        : { ...told(held), askAgainAt: now };
    let flight = flights.get(key);
    if (flight === undefined) {
      if (flights.size >= MOST_FLIGHTS || way.stop.aborted) return pending;
      flight = fly(request, held).finally(() => flights.delete(key));
      flights.set(key, flight);
    }
    return within(flight, { ms: kind.deadlineMs, signal }, pending);
  };
}

function told<Value>({ value, at, freshUntil }: Held<Value>): Fetched<Value> {
  return { ok: true, value, at, askAgainAt: freshUntil };
}

function readMeta(meta: CacheMeta): Omit<Held<never>, 'value' | 'bytes'> {
  const number = (name: string): number => Number(meta[name] ?? 0);
  const text = (name: string): string | null => (typeof meta[name] === 'string' ? meta[name] : null);
  return {
    at: number('at'),
    freshUntil: number('freshUntil'),
    isProven: meta.isProven === 1,
    etag: text('etag'),
    lastModified: text('lastModified'),
  };
}

/** A validator is sent back as it came; a giant one is not worth it. */
function short(validator: string | null): string | null {
  return validator !== null && validator.length <= 256 ? validator : null;
}
