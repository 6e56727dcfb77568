import { useEffect, useId, useRef, useState } from 'react';
import { daysLeft, expiryBadge } from '../../../contract/badge.ts';
import { DAY_MS } from '../../../contract/constants.ts';
import { GlyphShape } from '../../ui/glyph.tsx';
import { placePins } from './horizon-layout.ts';
import type { Pin, PlacedPin } from './horizon-layout.ts';

const PINS: Pin[] = [
  { hostname: 'pay.fjord.example', days: 4 },
  { hostname: 'git.orchard.example', days: 11 },
  { hostname: 'api.fjord.example', days: 32 },
  { hostname: 'auth.fjord.example', days: 39 },
  { hostname: 'docs.moss.example', days: 48 },
  { hostname: 'pkg.orchard.example', days: 63 },
  { hostname: 'moss.example', days: 71 },
  { hostname: 'status.fjord.example', days: 88 },
  { hostname: 'vpn.orchard.example', days: 103 },
  { hostname: 'cdn.moss.example', days: 117 },
];
const EXPIRED = 'legacy.fjord.example';
const FIRST_ROW = 42;
const GLYPH = 13;

interface Frame {
  narrow: boolean;
  width: number;
  /** The container's left edge, which the names and the headline share. */
  edge: number;
  todayX: number;
  dayWidth: number;
  /** The ruler's line. */
  base: number;
  rowHeight: number;
}

function frameOf(measured: number): Frame {
  // Before the first layout the window has no width yet.
  const width = Math.max(320, measured);
  if (width < 720)
    return {
      narrow: true,
      width,
      edge: 16,
      todayX: 34,
      dayWidth: (width - 34) / 28,
      base: 152,
      rowHeight: 26,
    };
  const edge = Math.max(0, (width - 1256) / 2) + 28;
  return { narrow: false, width, edge, todayX: edge + 224, dayWidth: 13.05, base: 168, rowHeight: 30 };
}

/** The expiry horizon, drawn to the width of the window: an illustration with invented hosts and real dates. */
export function HeroHorizon({ now }: { now: number }) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(() => document.documentElement.clientWidth);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const frame = frameOf(width);
  return (
    <div ref={ref} className="border-b border-line">
      <p className="sr-only">
        An illustration: a line of days with today marked. One certificate behind it has expired, one ends
        within seven days, one within fourteen, and the others later.
      </p>
      <svg width="100%" height={frame.base + 36} className="block" aria-hidden="true">
        <Ground frame={frame} />
        <Ruler frame={frame} now={now} />
        <Pins frame={frame} now={now} />
        <Today frame={frame} />
      </svg>
    </div>
  );
}

function Ground({ frame: { narrow, edge, todayX, dayWidth, base } }: { frame: Frame }) {
  const hatch = useId();
  const week = todayX + 7.5 * dayWidth;
  const fortnight = todayX + 14.5 * dayWidth;
  const label = 'text-small font-[560]';
  return (
    <>
      {narrow && (
        <>
          <defs>
            <pattern
              id={hatch}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width="1.25" height="6" fill="var(--hatch)" />
            </pattern>
          </defs>
          <rect width={todayX} height={base} fill={`url(#${hatch})`} opacity=".6" />
        </>
      )}
      <rect x={todayX} width={week - todayX} height={base} fill="var(--critical-band)" />
      <rect x={week} width={fortnight - week} height={base} fill="var(--soon-band)" />
      {!narrow && (
        <text x={edge} y="20" fill="var(--fg-2)" className={label}>
          Expired
        </text>
      )}
      <text x={todayX + 8} y="20" fill="var(--critical-fg)" className={label}>
        7 days
      </text>
      <text x={week + 7} y="20" fill="var(--soon-fg)" className={label}>
        14 days
      </text>
    </>
  );
}

interface Tick {
  x: number;
  length: number;
  month: string | null;
}

function ticksOf({ todayX, dayWidth, width, narrow }: Frame, now: number): Tick[] {
  const count = Math.floor((width - todayX) / dayWidth);
  const monthName = new Intl.DateTimeFormat('en-GB', { month: narrow ? 'short' : 'long', timeZone: 'UTC' });
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now + (index + 1) * DAY_MS);
    const x = Math.round(todayX + (index + 1) * dayWidth);
    const isMonth = day.getUTCDate() === 1;
    const year = day.getUTCMonth() === 0 ? ` ${day.getUTCFullYear()}` : '';
    return {
      x,
      length: isMonth ? 15 : day.getUTCDay() === 1 ? 8 : 4,
      month: isMonth && x < width - 60 ? monthName.format(day) + year : null,
    };
  });
}

function Ruler({ frame, now }: { frame: Frame; now: number }) {
  const ticks = ticksOf(frame, now);
  const line = frame.base + 0.5;
  const path = (wanted: (tick: Tick) => boolean) =>
    ticks
      .filter(wanted)
      .map(({ x, length }) => `M${x + 0.5} ${line}v${length}`)
      .join('');
  return (
    <>
      <path d={`M0 ${line}H${frame.width}`} stroke="var(--line-2)" />
      <path d={path(({ length }) => length < 15)} stroke="var(--line-2)" />
      <path d={path(({ length }) => length === 15)} stroke="var(--fg-3)" />
      {ticks.map(
        ({ x, month }) =>
          month && (
            <text key={x} x={x + 7} y={frame.base + 21} fill="var(--fg-2)" className="text-small font-medium">
              {month}
            </text>
          ),
      )}
    </>
  );
}

function Pins({ frame, now }: { frame: Frame; now: number }) {
  const fontSize = frame.narrow ? 12 : 13;
  const placed = placePins(PINS, { ...frame, rows: 3, characterWidth: fontSize * 0.6 - 0.14 });
  const expired: PlacedPin = {
    hostname: EXPIRED,
    days: -3,
    x: frame.narrow ? frame.todayX / 2 - 3 : frame.edge + 5,
    row: 0,
    named: !frame.narrow,
  };
  return [expired, ...placed].map((pin) => (
    <PinMark key={pin.hostname} pin={pin} frame={frame} now={now} fontSize={fontSize} />
  ));
}

function PinMark({
  pin,
  frame,
  now,
  fontSize,
}: {
  pin: PlacedPin;
  frame: Frame;
  now: number;
  fontSize: number;
}) {
  const notAfter = now + pin.days * DAY_MS;
  const status = expiryBadge(notAfter, now)?.status ?? 'ok';
  const urgent = status !== 'ok';
  const y = pin.named || !urgent ? FIRST_ROW + pin.row * frame.rowHeight : FIRST_ROW;
  const top = pin.named || urgent ? y : frame.base - 10;
  return (
    <>
      {daysLeft(notAfter, now) >= 0 && (
        <path
          d={`M${pin.x} ${top + 5}V${frame.base}`}
          stroke={`var(--${status}-mark)`}
          strokeWidth="1.25"
          opacity={urgent ? 0.9 : 0.55}
        />
      )}
      <g
        transform={`translate(${pin.x - GLYPH / 2} ${top - GLYPH / 2}) scale(${GLYPH / 16})`}
        fill="none"
        style={{ color: `var(--${status}-mark)` }}
        className="[--glyph-cut:var(--surface)]"
      >
        {!urgent && <circle cx="8" cy="8" r="8" fill="var(--surface)" />}
        <GlyphShape name={status} />
      </g>
      {pin.named && (
        <text
          x={pin.x + 12}
          y={top + 4}
          fill={urgent ? 'var(--fg)' : 'var(--fg-2)'}
          fontWeight={urgent ? 600 : 450}
          fontSize={fontSize}
          className="font-mono tracking-[-.012em]"
        >
          {pin.hostname}
        </text>
      )}
    </>
  );
}

function Today({ frame: { todayX, base } }: { frame: Frame }) {
  return (
    <>
      <path d={`M${todayX} 0V${base + 16}`} stroke="var(--fg)" strokeWidth="1.5" />
      <g transform={`translate(${todayX} ${base + 12})`}>
        <rect x="-27" width="54" height="20" rx="4" fill="var(--fg)" />
        <text y="14" textAnchor="middle" fill="var(--bg)" className="text-[11.5px] font-semibold">
          Today
        </text>
      </g>
    </>
  );
}
