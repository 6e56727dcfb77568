import { memo } from 'react';
import { classNames } from './class-names.ts';
import { STRIP_HEIGHT, TICK_TALL, uptimeStripDrawing } from './uptime-strip-geometry.ts';

interface UptimeStripProps {
  /** Oldest first, a letter each: `u` up, `d` failed, `?` unknown. */
  checks: string;
  /** How many ticks there is room for: 90 on a card, 30 in a row. */
  places: 30 | 90;
  className?: string;
}

/**
 * The last checks as ticks, of which a failed one is taller. Where it is narrower than its ticks, the oldest are cut
 * off. One stroke per kind, dashed into ticks: thousands of cards have one each.
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
      {unknown !== null && <path d={unknown} stroke="var(--line-2)" strokeWidth={TICK_TALL.unknown} />}
      {up !== null && <path d={up} stroke="var(--ok-mark)" strokeWidth={TICK_TALL.up} opacity=".38" />}
      {failed !== null && <path d={failed} stroke="var(--critical-mark)" strokeWidth={TICK_TALL.failed} />}
    </svg>
  );
});
