import { memo } from 'react';
import { classNames } from '../class-names.ts';
import { STRIP_HEIGHT, TICK_HEIGHT, uptimeStripDrawing } from './uptime-strip-geometry.ts';

interface UptimeStripProps {
  /** Oldest first, one letter each: `u` up, `d` failed, `?` unknown. */
  checks: string;
  /** Number of ticks: 90 on a card, 30 in a row. */
  places: 30 | 90;
  className?: string;
}

/**
 * Draws the last checks as ticks; failed ones are taller. If space is short, the oldest are cut off. Uses one path per kind,
 * because thousands of cards have a strip each.
 */
export const UptimeStrip = memo(function UptimeStrip({ checks, places, className }: UptimeStripProps) {
  const { width, label, up, failed, unknown } = uptimeStripDrawing(checks, places);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${STRIP_HEIGHT}`}
      preserveAspectRatio="xMaxYMid slice"
      shapeRendering="crispEdges"
      strokeDasharray="2 1"
      fill="none"
      className={classNames('block h-3.5 min-w-0 forced-color-adjust-none', className)}
      style={{ width }}
    >
      {unknown !== null && <path d={unknown} stroke="var(--line-2)" strokeWidth={TICK_HEIGHT.unknown} />}
      {up !== null && <path d={up} stroke="var(--ok-mark)" strokeWidth={TICK_HEIGHT.up} opacity=".38" />}
      {failed !== null && <path d={failed} stroke="var(--critical-mark)" strokeWidth={TICK_HEIGHT.failed} />}
    </svg>
  );
});
