import type { Uptime } from '../../core/check/uptime.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

/** The uptime result of one check, as the strip of recent checks shows it. Times are ms UTC. */
export interface Sample {
  at: number;
  state: Uptime;
  responseMs: number | null;
  /** Reason of the failure, as a sentence; null if there was no failure. */
  message: string | null;
}

const MAX_SAMPLES = 90;
const LETTERS: Record<Uptime, string> = { up: 'U', down: 'D', unknown: 'X' };
const STATES: Record<string, Uptime> = { U: 'up', D: 'down', X: 'unknown' };
const BASE = 36;

/**
 * Stored form of samples, about eight bytes each, because every check rewrites them. Per sample: a capital letter for the state,
 * ms since the previous sample (the first: since 1970), response time in ms, index of the message. Numbers are in base 36.
 */
const PACKED = z.object({ checks: z.string(), messages: z.array(z.string()) });
type Packed = z.infer<typeof PACKED>;
const readPacked = storedJson('samples of uptime', PACKED);

/** Returns the packed samples, at most 90, in the order of their checks. */
export function parseSamples(text: string | null): Sample[] {
  if (text === null || text === '') return [];
  const { checks, messages } = readPacked(text);
  let at = 0;
  return [...checks.matchAll(/([A-Z])([^A-Z]*)/g)].map(([, letter = '', figures = '']) => {
    const [since = '', responseMs = '', message = ''] = figures.split(',');
    at += parseInt(since, BASE);
    return {
      at,
      state: STATES[letter] ?? 'unknown',
      responseMs: responseMs === '' ? null : parseInt(responseMs, BASE),
      message: message === '' ? null : (messages[parseInt(message, BASE)] ?? null),
    };
  });
}

/** Packs the last 90 samples, given in the order of their checks. */
export function packSamples(samples: readonly Sample[]): string {
  const messages: string[] = [];
  let before = 0;
  const checks = samples.slice(-MAX_SAMPLES).map(({ at, state, responseMs, message }) => {
    const since = (at - before).toString(BASE);
    before = at;
    if (message !== null && !messages.includes(message)) messages.push(message);
    const figures = [
      since,
      responseMs?.toString(BASE) ?? '',
      message === null ? '' : messages.indexOf(message).toString(BASE),
    ];
    return LETTERS[state] + figures.join(',').replace(/(?<!,),+$/, '');
  });
  return JSON.stringify({ checks: checks.join(''), messages } satisfies Packed);
}

/**
 * Returns whether the samples include all checks of the monitor: older checks may be missing if there are 90 samples, the
 * maximum.
 */
export const isComplete = (samples: readonly Sample[]): boolean => samples.length < MAX_SAMPLES;
