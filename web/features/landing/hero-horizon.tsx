import { useMemo } from 'react';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { HorizonDrawing } from '../../ui/horizon/horizon-drawing.tsx';
import {
  type HorizonEntry,
  type HorizonFrame,
  layOutHorizon,
  type PinStatus,
} from '../../ui/horizon/horizon-layout.ts';
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

const NARROW_DAYS = 28;
/** Room for the name of the visitor's pin, in px. */
const NAME_ROOM = { narrow: 170, wide: 250 };
/** Later dates are drawn at the end of the axis. */
const MAX_DAYS = 400;

/** The host that the visitor checked. */
export interface VisitorPin {
  name: string;
  /** In ms UTC. */
  notAfter: number;
  /** Null if the time left decides. */
  status: PinStatus | null;
}

/**
 * Returns the frame at full width; labels start at the container's left edge, like the headline. The axis has at least
 * `daysNeeded` days.
 */
function heroFrame(width: number, daysNeeded: number): HorizonFrame {
  if (width < NARROW)
    return {
      width,
      days: Math.max(NARROW_DAYS, daysWithRoom(daysNeeded, width, NAME_ROOM.narrow)),
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
  const usualDays = Math.floor((width - todayX) / DAY_WIDTH);
  const days = Math.max(usualDays, daysWithRoom(daysNeeded, width - todayX, NAME_ROOM.wide));
  return {
    width,
    days,
    todayX,
    axisEnd: todayX + usualDays * DAY_WIDTH,
    expiredX: edge,
    rows: 4,
    rowHeight: 30,
    nameSize: 13,
    narrow: false,
    hasLater: false,
  };
}

/** Returns the length of an axis of `width` px on which the last pin and its name fit, in days. */
function daysWithRoom(lastDay: number, width: number, nameWidth: number): number {
  return Math.ceil((lastDay * width) / Math.max(1, width - nameWidth));
}

interface HeroHorizonProps {
  now: number;
  visitor: VisitorPin | null;
}

/** Draws the expiry horizon across the window, with example hosts and real dates. The visitor's host drops onto it. */
export function HeroHorizon({ now, visitor }: HeroHorizonProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const measure = useTextMeasure();
  const layout = useMemo(() => {
    if (!width || !measure) return null;
    const entry = (name: string, notAfter: number): HorizonEntry => ({
      id: name,
      name,
      notAfter,
      status: expiryBadge(notAfter, now)?.status ?? 'ok',
      count: 1,
    });
    const entries = HOSTS.map(([name, days]) => ({
      ...entry(name, now + days * DAY_MS),
      isDimmed: visitor !== null,
    }));
    const end = Math.min(visitor?.notAfter ?? now, now + MAX_DAYS * DAY_MS);
    if (visitor) {
      const pin = entry(visitor.name, end);
      const status = visitor.status ?? pin.status;
      entries.push({ ...pin, status, id: 'visitor', isDimmed: false });
    }
    return layOutHorizon(
      heroFrame(width, Math.ceil((end - now) / DAY_MS)),
      { entries: entries.toSorted((one, other) => one.notAfter - other.notAfter), now },
      measure,
    );
  }, [width, now, visitor, measure]);
  return (
    <div ref={ref} className="min-h-[189px] overflow-x-clip border-b border-line md:min-h-[205px]">
      <p className="sr-only">
        Illustration: a timeline with today marked. One certificate has expired, one expires within seven
        days, one within fourteen, and the others later.
      </p>
      {layout && (
        <HorizonDrawing
          key={visitor?.name}
          layout={layout}
          hatched={layout.frame.narrow}
          drops={visitor !== null}
        />
      )}
    </div>
  );
}
