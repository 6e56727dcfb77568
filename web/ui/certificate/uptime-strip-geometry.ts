import { plural } from '../../lib/format.ts';

/** A tick is 2 px wide, with a gap of 1 px. */
export const TICK_PITCH = 3;
export const STRIP_HEIGHT = 14;

/** SVG paths for three kinds of ticks, which the component draws as dashes; null if there are none of a kind. */
interface StripPaths {
  up: string | null;
  failed: string | null;
  /** Ticks of checks without a conclusive result, and of places before the first check. */
  unknown: string | null;
}

export interface UptimeStripDrawing extends StripPaths {
  width: number;
}

type Kind = keyof StripPaths;
const KINDS: Readonly<Record<string, Kind>> = { u: 'up', d: 'failed' };
// Ticks differ in height and position, not only in colour: failures are taller.
const MIDDLE: Record<Kind, number> = { up: 7.5, failed: STRIP_HEIGHT / 2, unknown: 7.5 };
export const TICK_HEIGHT: Record<Kind, number> = { up: 9, failed: STRIP_HEIGHT, unknown: 3 };

/**
 * Returns the drawing of up to `places` checks, the newest at the right. `checks` has one letter per check, oldest first.
 * Adjacent ticks of a kind share one path, so that a healthy strip takes few bytes.
 */
export function uptimeStripDrawing(checks: string, places: number): UptimeStripDrawing {
  const shown = checks.slice(-places);
  const paths: StripPaths = { up: null, failed: null, unknown: null };
  const kinds = Array.from({ length: places }, (_, place): Kind => {
    const letter = shown[place - (places - shown.length)];
    return (letter !== undefined && KINDS[letter]) || 'unknown';
  });
  for (let place = 0; place < places;) {
    const kind = kinds[place] ?? 'unknown';
    const from = place;
    while (place < places && kinds[place] === kind) place++;
    const end = place * TICK_PITCH - 1;
    paths[kind] = `${paths[kind] ?? ''}M${from * TICK_PITCH} ${MIDDLE[kind]}H${end}`;
  }
  return { ...paths, width: places * TICK_PITCH - 1 };
}

/** Describes the strip of these checks: 'Last 90 checks: 85 up, 5 failed'. */
export function stripLabel(shown: string): string {
  if (shown === '') return 'No checks yet';
  const count = (letter: string) => shown.split(letter).length - 1;
  const [up, failed] = [count('u'), count('d')];
  const unknown = shown.length - up - failed;
  const subject = plural(shown.length, 'Last check', `Last ${shown.length} checks`);
  return `${subject}: ${up} up, ${failed} failed${unknown > 0 ? `, ${unknown} unknown` : ''}`;
}

/**
 * Returns '98.9%', rounded down to one decimal; '100%' only without downtime and without a failed check. `percent` and `checks`
 * as on the wire.
 */
export function percentText(percent: number | null, checks: string): string {
  if (percent === null) return '–';
  if (percent >= 100 && !checks.includes('d')) return '100%';
  return `${(Math.floor(Math.min(percent, 99.9) * 10) / 10).toFixed(1)}%`;
}
