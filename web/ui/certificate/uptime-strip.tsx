import { memo } from 'react';
import { classNames } from '../class-names.ts';
import {
  STRIP_HEIGHT,
  stripLabel,
  TICK_HEIGHT,
  uptimeStripDrawing,
  type UptimeStripDrawing,
} from './uptime-strip-geometry.ts';

interface UptimeStripProps {
  /** Oldest first, one letter each: `u` up, `d` failed, `?` unknown. */
  checks: string;
  /** Number of ticks: 90 on a card, 30 in a row. */
  places: 30 | 90;
  className?: string;
}

/**
 * Draws the last checks as ticks; ticks of failed checks are taller. If space is short, the oldest ticks are cut off. Uses
 * one path per kind of tick, because thousands of cards have a strip each.
 */
export const UptimeStrip = memo(function UptimeStrip({ checks, places, className }: UptimeStripProps) {
  const drawing = uptimeStripDrawing(checks, places);
  const { width } = drawing;
  return (
    <svg
      role="img"
      aria-label={stripLabel(checks.slice(-places))}
      viewBox={`0 0 ${width} ${STRIP_HEIGHT}`}
      preserveAspectRatio="xMaxYMid slice"
      shapeRendering="crispEdges"
      className={classNames('block h-3.5 min-w-0 forced-color-adjust-none', className)}
      style={{ width }}
    >
      <StripTicks {...drawing} />
    </svg>
  );
});

/** Draws the ticks of a strip inside an SVG. */
export function StripTicks({ up, failed, unknown }: UptimeStripDrawing) {
  return (
    <g strokeDasharray="2 1" fill="none">
      {unknown !== null && <path d={unknown} stroke="var(--line-2)" strokeWidth={TICK_HEIGHT.unknown} />}
      {up !== null && <path d={up} stroke="var(--ok-mark)" strokeWidth={TICK_HEIGHT.up} opacity=".38" />}
      {failed !== null && <path d={failed} stroke="var(--critical-mark)" strokeWidth={TICK_HEIGHT.failed} />}
    </g>
  );
}
