import { useMemo } from 'react';
import { expiryBadge } from '../../../contract/badge.ts';
import { HorizonDrawing } from '../../ui/horizon/horizon-drawing.tsx';
import { layOutHorizon } from '../../ui/horizon/horizon-layout.ts';
import type { HorizonEntry, HorizonFrame } from '../../ui/horizon/horizon-layout.ts';
import { useTextMeasure, useWidth } from '../../ui/horizon/text-measure.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const HOSTS: readonly [hostname: string, days: number][] = [
  ['legacy.fjord.example', -3],
  ['pay.fjord.example', 4],
  ['git.orchard.example', 11],
  ['api.fjord.example', 32],
  ['auth.fjord.example', 39],
  ['docs.moss.example', 48],
  ['pkg.orchard.example', 63],
  ['moss.example', 71],
  ['status.fjord.example', 88],
  ['vpn.orchard.example', 103],
  ['cdn.moss.example', 117],
];
const NARROW = 720;
const CONTAINER = 1256;
const GUTTER = 28;
const EXPIRED_WIDTH = 224;
const DAY_WIDTH = 13.05;

/** Returns the frame at full width; labels start at the container's left edge, like the headline. */
function heroFrame(width: number): HorizonFrame {
  if (width < NARROW)
    return {
      width,
      days: 28,
      todayX: 34,
      axisEnd: width - 8,
      expiredX: 9,
      rows: 4,
      rowHeight: 26,
      nameSize: 12,
      narrow: true,
      hasLater: false,
    };
  const edge = Math.max(0, Math.floor((width - CONTAINER) / 2)) + GUTTER;
  const todayX = edge + EXPIRED_WIDTH;
  const days = Math.floor((width - todayX) / DAY_WIDTH);
  return {
    width,
    days,
    todayX,
    axisEnd: todayX + days * DAY_WIDTH,
    expiredX: edge,
    rows: 4,
    rowHeight: 30,
    nameSize: 13,
    narrow: false,
    hasLater: false,
  };
}

/** Draws the expiry horizon across the window, with example hosts and real dates. */
export function HeroHorizon({ now }: { now: number }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const measure = useTextMeasure();
  const layout = useMemo(() => {
    if (!width || !measure) return null;
    const entries = HOSTS.map(([name, days]): HorizonEntry => {
      const notAfter = now + days * DAY_MS;
      return { id: name, name, notAfter, status: expiryBadge(notAfter, now)?.status ?? 'ok', count: 1 };
    });
    return layOutHorizon(heroFrame(width), { entries, now }, measure);
  }, [width, now, measure]);
  return (
    <div ref={ref} className="min-h-[189px] overflow-x-clip border-b border-line md:min-h-[205px]">
      <p className="sr-only">
        Illustration: a timeline with today marked. One certificate has expired, one expires within seven
        days, one within fourteen, and the others later.
      </p>
      {layout && <HorizonDrawing layout={layout} hatched={layout.frame.narrow} />}
    </div>
  );
}
