import { createSlots, within } from '../../egress/index.ts';
import { BoundedMap } from '../../pki/index.ts';
import type { Charge } from './allowances.ts';
import { askCharged } from './charged-question.ts';
import type { ChargedAnswer, ChargedQuestion, ChargedWay, Validators } from './charged-question.ts';
import type { CacheMeta, DiskCache } from './disk-cache.ts';
import { MINUTE_MS, HOUR_MS } from '../../../contract/durations.ts';

/** What all fetches from CAs share. */
export interface FetchWay extends ChargedWay {
  cache: DiskCache;
}

export interface FetchKind<Value> {
  /** What an answer's bytes are; null where they are nothing of the kind. */
  parse(bytes: Buffer): Value | null;
  accept: string;
  /** Of an answer. */
  maxBytes: number;
  deadlineMs: number;
  mostAtOnce: number;
  /** Of answers that stay in memory; the others are read again from the cache. */
  memoryBytes: number;
}

export interface FetchRequest<Value, Why extends string> extends ChargedQuestion {
  /** What a proven answer is remembered by. */
  key: string;
  /** What it has to be proven for, where others with the same key may see it otherwise: their failures are not this one's. */
  subject?: string;
  /**
   * Until when a proven answer need not be asked for again (ms UTC), or why it is not proven to be the right one. Such an answer
   * is kept nowhere and never takes the place of one that is.
   */
  vet(value: Value, previous: Value | null): { freshUntil: number } | { why: Why };
  /** Ends the wait; the fetch goes on for the next who asks. */
  signal: AbortSignal;
}

export type Fetched<Value, Why extends string = never> =
  /** `at`: when the peer last said so. `askAgainAt`: nothing new is learnt before. */
  | { ok: true; value: Value; at: number; askAgainAt: number }
  /** `pending`: nobody has looked to the end yet, for want of time or because somebody had his share of questions. */
  | {
      ok: false;
      why: Why | 'pending' | 'unreachable' | 'too_large' | 'malformed';
      at: number;
      askAgainAt: number;
    };

interface Held<Value> extends Validators {
  value: Value;
  bytes: Buffer;
  at: number;
  freshUntil: number;
}

/** What the peer says now; null where our own limits forbid the question. */
type Brought<Value> =
  | (Omit<Held<Value>, 'at' | 'freshUntil'> & { charges: Charge[] })
  | Extract<ChargedAnswer, { why: unknown }>
  | null;

/** One question under way, for all who want its answer. */
interface Flight<Value> {
  brought: Promise<Brought<Value>>;
  /** Once it is proven for one of them. */
  kept: Held<Value> | null;
}

/** After a proven answer; and after none, or one that proves nothing. Whoever asks, a URL is not asked more often. */
const FLOOR_MS = HOUR_MS;
const NEGATIVE_MS = 15 * MINUTE_MS;
/** A clock that was set back must not make old answers fresh for long. */
const CLOCK_TOLERANCE_MS = HOUR_MS;
const MOST_NOTES = 8_192;
/** Fetches under way and waiting for a slot; over this nobody is sent to wait. */
const MOST_FLIGHTS = 512;

/**
 * Fetches things of one kind, each once however many want it at the same time, and remembers them and the failures. An answer
 * that was once proven stays until a proven one replaces it.
 */
export function createRememberedFetch<Value, Why extends string = never>(
  way: FetchWay,
  kind: FetchKind<Value>,
) {
  type Outcome = Fetched<Value, Why>;
  type Refusal = Exclude<Outcome, { ok: true }>;
  const recent = new BoundedMap<string, Held<Value>>(kind.memoryBytes);
  const refusals = new BoundedMap<string, Refusal>(MOST_NOTES);
  const flights = new Map<string, Flight<Value>>();
  const { accept, maxBytes, deadlineMs } = kind;
  const how = { accept, maxBytes, deadlineMs, way, inSlot: createSlots(kind.mostAtOnce) };

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
    await way.cache.put(key, held.bytes, { at, freshUntil, etag, lastModified });
  };

  const bring = async (
    request: FetchRequest<Value, Why>,
    held: Held<Value> | null,
  ): Promise<Brought<Value>> => {
    const answer = await askCharged(request, held, how);
    if (answer === null || 'why' in answer) return answer;
    const { bytes, ...said } = answer;
    if (bytes === null) return held && { ...held, ...said };
    const value = kind.parse(bytes);
    return value === null ? { why: 'malformed' } : { ...said, bytes, value };
  };

  /** Judges what a flight brought for one of those who wait for it. */
  const settle = async (
    flight: Flight<Value>,
    request: FetchRequest<Value, Why>,
    held: Held<Value> | null,
  ): Promise<Outcome> => {
    const { key, now } = request;
    const refuse = (why: Refusal['why'], note: string): Outcome => {
      const refusal = { ok: false, why, at: now, askAgainAt: now + NEGATIVE_MS } as const;
      refusals.set(note, refusal);
      return held === null ? refusal : { ...told(held), askAgainAt: refusal.askAgainAt };
    };
    const brought = await flight.brought;
    if (brought === null) return pending(held, now);
    if ('why' in brought) return refuse(brought.why, key);
    const vetted = request.vet(brought.value, held?.value ?? null);
    if ('why' in vetted) return refuse(vetted.why, noteOf(request));
    if (flight.kept === null) {
      const { charges, ...said } = brought;
      flight.kept = { ...said, at: now, freshUntil: Math.max(vetted.freshUntil, now + FLOOR_MS) };
      way.allowances.giveBack(charges, now);
      await keep(key, flight.kept);
    }
    return told(flight.kept);
  };

  return async function fetchOnce(request: FetchRequest<Value, Why>): Promise<Outcome> {
    const { key, now, signal } = request;
    const isFresh = (held: Held<Value> | null): held is Held<Value> =>
      held !== null && held.at <= now + CLOCK_TOLERANCE_MS && now < held.freshUntil;
    let held = recent.get(key);
    if (isFresh(held)) return told(held);
    // Another process may have been faster.
    held = (await stored(key)) ?? held;
    if (isFresh(held)) return told(held);

    const refusal = [key, noteOf(request)]
      .map((note) => refusals.get(note))
      .find((note) => note !== null && now >= note.at && now < note.askAgainAt);
    if (refusal) return held === null ? refusal : { ...told(held), askAgainAt: refusal.askAgainAt };

    let flight = flights.get(key);
    if (flight === undefined) {
      if (flights.size >= MOST_FLIGHTS || way.stop.aborted) return pending(held, now);
      flight = { brought: bring(request, held).finally(() => flights.delete(key)), kept: null };
      flights.set(key, flight);
    }
    return within(settle(flight, request, held), { ms: deadlineMs, signal }, pending(held, now));
  };
}

function noteOf({ key, subject = '' }: { key: string; subject?: string }): string {
  return subject === '' ? key : `${key} for ${subject}`;
}

function told<Value>({ value, at, freshUntil }: Held<Value>): Extract<Fetched<Value>, { ok: true }> {
  return { ok: true, value, at, askAgainAt: freshUntil };
}

function pending<Value>(held: Held<Value> | null, now: number): Fetched<Value> {
  return held === null
    ? { ok: false, why: 'pending', at: now, askAgainAt: now }
    : { ...told(held), askAgainAt: now };
}

function readMeta(meta: CacheMeta): Omit<Held<never>, 'value' | 'bytes'> {
  const number = (name: string): number => Number(meta[name] ?? 0);
  const text = (name: string): string | null => (typeof meta[name] === 'string' ? meta[name] : null);
  return {
    at: number('at'),
    freshUntil: number('freshUntil'),
    etag: text('etag'),
    lastModified: text('lastModified'),
  };
}
