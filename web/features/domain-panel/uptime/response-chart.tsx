import { useMemo } from 'react';
import type { UptimeWire } from '../../../../contract/uptime.ts';
import { shortDays } from '../../../domain/day-and-month.ts';
import { CHART_BOX, responseChart } from './response-chart-geometry.ts';
import { periodWords, responseText } from '../../../domain/uptime/uptime-words.ts';
import { ValueOverlay } from '../../../domain/uptime/value-overlay.tsx';
import { longDate } from '../../../lib/format.ts';

const LINE = { fill: 'none', vectorEffect: 'non-scaling-stroke', strokeLinejoin: 'round' } as const;
const SLOWEST = { ...LINE, stroke: 'var(--fg-3)', strokeWidth: 1, strokeDasharray: '2 2' };
const AVERAGE = { ...LINE, stroke: 'var(--ok-mark)', strokeWidth: 1.75, strokeLinecap: 'round' } as const;

/** Draws response times over the plan's window. */
export function ResponseChart({ points, now }: { points: UptimeWire['response_times']; now: number }) {
  const chart = useMemo(() => responseChart(points), [points]);
  if (!chart) return <p className="text-meta text-fg-3">No response time measured yet.</p>;
  const { topMs, from, averageMs, slowestPoint } = chart;
  // A point is drawn at the start of the time that it stands for.
  const to = Math.max(chart.to, Math.min(now, chart.to + chart.spanMs));
  const day = shortDays(from, to);
  const summary = `${responseText(averageMs)} on average, ${responseText(slowestPoint.slowest_ms)} at most`;
  // A single point is not a line.
  if (points.length === 1)
    return <p className="num text-meta text-fg-2">So far, responses took {summary}.</p>;
  return (
    <figure>
      <div className="grid grid-cols-[1fr_auto] gap-x-2">
        <div className="relative">
          <svg
            role="img"
            aria-label={`Response time from ${longDate(from)} to ${longDate(to)}: ${summary} on ${longDate(slowestPoint.at)}`}
            viewBox={`0 0 ${CHART_BOX.width} ${CHART_BOX.height}`}
            preserveAspectRatio="none"
            className="h-[76px] w-full overflow-visible forced-color-adjust-none"
          >
            {[0, 0.5, 1].map((share) => (
              <path
                key={share}
                d={`M0 ${share * CHART_BOX.height}H${CHART_BOX.width}`}
                stroke="var(--line)"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {chart.slowest !== null && <path d={chart.slowest} {...SLOWEST} strokeLinecap="round" />}
            <path d={chart.average} {...AVERAGE} />
          </svg>
          <ValueOverlay
            label="Response times"
            first={0}
            last={points.length - 1}
            fromRight={(index, width) => (1 - (chart.shares[index] ?? 0)) * width}
            read={(index) => {
              const point = points[index];
              if (!point) return undefined;
              const start = Date.parse(point.at);
              return {
                value: pointWords(point),
                time: periodWords(start, Math.min(start + chart.spanMs, to)),
              };
            }}
          />
        </div>
        <div
          aria-hidden="true"
          className="num -my-2 flex flex-col justify-between text-right text-small text-fg-3"
        >
          {[topMs, topMs / 2, 0].map((ms) => (
            <span key={ms}>{responseText(ms)}</span>
          ))}
        </div>
        <div aria-hidden="true" className="num mt-2 flex justify-between text-small text-fg-3">
          <span>{day(from)}</span>
          {day(from) !== day(to) && <span>{day(to)}</span>}
        </div>
      </div>
      <figcaption className="num mt-1.5 flex flex-wrap gap-x-4 text-meta text-fg-2">
        <Legend line={AVERAGE}>{responseText(averageMs)} on average</Legend>
        <Legend line={chart.slowest === null ? null : SLOWEST}>
          {responseText(slowestPoint.slowest_ms)} at most
        </Legend>
      </figcaption>
    </figure>
  );
}

function pointWords({
  average_ms: average,
  slowest_ms: slowest,
}: UptimeWire['response_times'][number]): string {
  if (average === slowest) return responseText(average);
  return `${responseText(average)} on average, ${responseText(slowest)} at most`;
}

function Legend({
  line,
  children,
}: {
  line: typeof SLOWEST | typeof AVERAGE | null;
  children: React.ReactNode;
}) {
  return (
    <span className="flex items-center gap-1.5">
      {line && (
        <svg width="14" height="2" aria-hidden="true" className="forced-color-adjust-none">
          <path d="M0 1H14" {...line} />
        </svg>
      )}
      {children}
    </span>
  );
}
