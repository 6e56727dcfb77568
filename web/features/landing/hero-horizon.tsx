import { useMemo } from 'react';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { HorizonDrawing } from '../../ui/horizon/horizon-drawing.tsx';
import {
  type HorizonEntry,
  type HorizonFrame,
  type HorizonLayout,
  layOutHorizon,
  type PinStatus,
} from '../../ui/horizon/horizon-layout.ts';
import { type TextMeasure, useTextMeasure, useWidth } from '../../ui/horizon/text-measure.ts';
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
/** The longest axis, in days. A later date is drawn beyond the end of an axis of usual length. */
const MAX_DAYS = 400;
/** Room beyond the axis for the pin of a later date and its note, in px. */
const LATER_ROOM = 76;

/** The host that the visitor checked. */
export interface VisitorPin {
  name: string;
  /** In ms UTC. */
  notAfter: number;
  /** State of the pin; null if the time left decides. */
  status: PinStatus | null;
}

/**
 * Returns the frame of the timeline at full width. Labels start at the left edge of the page's container, as the headline
 * does. The axis has at least `daysNeeded` days, or room for later dates after its end.
 */
function heroFrame(width: number, daysNeeded: number): HorizonFrame {
  const hasLater = daysNeeded > MAX_DAYS;
  const needed = hasLater ? 0 : daysNeeded;
  if (width < NARROW)
    return {
      width,
      days: Math.max(NARROW_DAYS, daysWithRoom(needed, width, NAME_ROOM.narrow)),
      todayX: 34,
      axisEnd: width - (hasLater ? LATER_ROOM : 8),
      expiredX: 9,
      rows: 4,
      rowHeight: 26,
      nameSize: 12,
      narrow: true,
      hasLater,
    };
  const edge = Math.max(0, Math.floor((width - CONTAINER) / 2)) + GUTTER;
  const todayX = edge + EXPIRED_WIDTH;
  const usualDays = Math.floor((width - todayX - (hasLater ? LATER_ROOM : 0)) / DAY_WIDTH);
  const days = Math.max(usualDays, daysWithRoom(needed, width - todayX, NAME_ROOM.wide));
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
    hasLater,
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

/**
 * Lays out the example hosts and the visitor's host. Leaves out examples beyond the axis, so that only the visitor's date can
 * be there.
 */
export function heroLayout(
  { width, now, visitor }: HeroHorizonProps & { width: number },
  measure: TextMeasure,
): HorizonLayout {
  const entry = (name: string, notAfter: number): HorizonEntry => ({
    id: name,
    name,
    notAfter,
    status: expiryBadge(notAfter, now)?.status ?? 'ok',
    count: 1,
  });
  const frame = heroFrame(width, Math.ceil(((visitor?.notAfter ?? now) - now) / DAY_MS));
  const entries = HOSTS.filter(([, days]) => days < frame.days).map(([name, days]) => ({
    ...entry(name, now + days * DAY_MS),
    isDimmed: visitor !== null,
  }));
  if (visitor) {
    const pin = entry(visitor.name, visitor.notAfter);
    entries.push({ ...pin, status: visitor.status ?? pin.status, id: 'visitor', isDimmed: false });
  }
  const byDate = entries.toSorted((one, other) => one.notAfter - other.notAfter);
  return layOutHorizon(frame, { entries: byDate, now }, measure);
}

/** Draws the expiry horizon across the window, with example hosts and real dates. The visitor's host drops onto it. */
export function HeroHorizon({ now, visitor }: HeroHorizonProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const measure = useTextMeasure();
  const layout = useMemo(
    () => (width && measure ? heroLayout({ width, now, visitor }, measure) : null),
    [width, now, visitor, measure],
  );
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
