import type { UptimeWire } from '../../../../contract/uptime.ts';

type Point = UptimeWire['response_times'][number];

export interface ResponseChart {
  /** SVG paths in a box of 1000 × 100 that is stretched; y grows downwards. */
  average: string;
  /** SVG path of the slowest responses; null if it equals `average`. */
  slowest: string | null;
  /** Top of the scale in ms; it starts at 0. */
  topMs: number;
  /** Both ends of the axis, in ms UTC. */
  from: number;
  to: number;
  /** Place of each point on the axis, from 0 (left end) to 1. */
  shares: number[];
  /** How much time one point stands for, in ms; 0 if there is only one point. */
  spanMs: number;
  averageMs: number;
  slowestPoint: Point;
}

export const CHART_BOX = { width: 1000, height: 100 };

/** Lays out response times; null if there are none. */
export function responseChart(points: readonly Point[]): ResponseChart | null {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return null;
  const from = Date.parse(first.at);
  const to = Date.parse(last.at);
  const slowestPoint = points.reduce((slowest, point) =>
    point.slowest_ms > slowest.slowest_ms ? point : slowest,
  );
  const topMs = niceTop(slowestPoint.slowest_ms);
  const spanMs = usualDistance(points);
  const runs = withoutGaps(points, spanMs);
  const stroke = (valueOf: (point: Point) => number) =>
    runs.map((run) => strokeOf(run.map((point) => place(point.at, valueOf(point))))).join('');
  const shareOf = (at: string) => (to === from ? 1 / 2 : (Date.parse(at) - from) / (to - from));
  const place = (at: string, ms: number): [number, number] => [
    shareOf(at) * CHART_BOX.width,
    CHART_BOX.height * (1 - ms / topMs),
  ];
  const isSame = points.every(({ average_ms: average, slowest_ms: slowest }) => average === slowest);
  return {
    average: stroke((point) => point.average_ms),
    slowest: isSame ? null : stroke((point) => point.slowest_ms),
    topMs,
    from,
    to,
    shares: points.map(({ at }) => shareOf(at)),
    spanMs,
    averageMs: points.reduce((sum, point) => sum + point.average_ms, 0) / points.length,
    slowestPoint,
  };
}

/** Returns the end of the vertical scale, in ms: 1, 2 or 5 times a power of ten, at least 10. */
export function niceTop(most: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(most, 10)));
  const step = [1, 2, 5].find((candidate) => candidate * decade >= most);
  return (step ?? 10) * decade;
}

/** Splits the points where responses are missing, so that the line has gaps there. */
function withoutGaps(points: readonly Point[], usual: number): Point[][] {
  const distances = distancesOf(points);
  const runs: Point[][] = [];
  for (const [index, point] of points.entries()) {
    const run = runs.at(-1);
    if (run && (distances[index - 1] ?? 0) <= usual * 2.5) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

function usualDistance(points: readonly Point[]): number {
  const distances = distancesOf(points).toSorted((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

function distancesOf(points: readonly Point[]): number[] {
  return points.slice(1).map(({ at }, index) => Date.parse(at) - Date.parse(points[index]?.at ?? at));
}

function strokeOf(places: readonly [number, number][]): string {
  const [first, ...rest] = places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  // A single point is drawn as a dot.
  return `M${first}${rest.length === 0 ? 'h0' : rest.map((place) => `L${place}`).join('')}`;
}
