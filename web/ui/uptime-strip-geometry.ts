/** A tick is 2 px wide, with 1 px between two of them. */
export const TICK_PITCH = 3;
export const STRIP_HEIGHT = 14;

/** Three strokes, dashed into ticks by whoever draws them; null where there is nothing of the kind. */
interface StripPaths {
  up: string | null;
  failed: string | null;
  /** What could not be told, and the places in front of the first check. */
  unknown: string | null;
}

export interface UptimeStripDrawing extends StripPaths {
  width: number;
  /** 'Last 90 checks: 85 up, 5 failed' */
  label: string;
}

type Kind = keyof StripPaths;
const KINDS: Readonly<Record<string, Kind>> = { u: 'up', d: 'failed' };
// Ticks of a kind hang from, or stand on, different lines: failure is taller, not only red.
const MIDDLE: Record<Kind, number> = { up: 7.5, failed: STRIP_HEIGHT / 2, unknown: 7.5 };
export const TICK_TALL: Record<Kind, number> = { up: 9, failed: STRIP_HEIGHT, unknown: 3 };

/**
 * How the last checks are drawn, at most `places` of them, the newest at the right. `checks` is as the wire has it:
 * oldest first, a letter each. Neighbours of a kind are one stroke, so that a healthy strip is a handful of bytes.
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
  return { ...paths, width: places * TICK_PITCH - 1, label: stripLabel(shown) };
}

/** The place of the tick at `x` px from the strip's left edge. */
export function tickAt(x: number, places: number): number {
  return Math.max(0, Math.min(places - 1, Math.floor(x / TICK_PITCH)));
}

function stripLabel(shown: string): string {
  if (shown === '') return 'No checks yet';
  const count = (letter: string) => shown.split(letter).length - 1;
  const [up, failed] = [count('u'), count('d')];
  const untold = shown.length - up - failed;
  const subject = shown.length === 1 ? 'Last check' : `Last ${shown.length} checks`;
  return `${subject}: ${up} up, ${failed} failed${untold > 0 ? `, ${untold} unknown` : ''}`;
}

/**
 * '98.9%', and '100%' only where nothing failed: what has failures is never rounded up to it. `checks` as the wire has
 * them; null before anything was seen.
 */
export function percentText(percent: number | null, checks: string): string {
  if (percent === null) return '–';
  if (percent >= 100) return checks.includes('d') ? '100.0%' : '100%';
  return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
}
