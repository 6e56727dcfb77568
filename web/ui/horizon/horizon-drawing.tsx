import { memo, type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';
import { GlyphShape } from '../glyph.tsx';
import {
  GLYPH,
  type HorizonLayout,
  type HorizonPin,
  type PinStatus,
  TODAY_HALF_WIDTH,
  TOP_LABELS_Y,
} from './horizon-layout.ts';
import { NAME_TRACKING } from './text-measure.ts';

interface DrawingProps {
  layout: HorizonLayout;
  /** Whether to hatch the area of expired certificates, which is not to scale. */
  hatched: boolean;
  /** Whether pins drop onto the ruler when they appear; dimmed pins never do. */
  drops?: boolean;
}

interface Layers {
  /** Drawn on the ruler, below the pins. */
  onRuler?: ReactNode;
  /** Drawn above the pins. */
  children?: ReactNode;
}

/** Draws a horizon layout at its own size, never scaled. */
export function HorizonDrawing({ layout, hatched, drops = false, onRuler, children }: DrawingProps & Layers) {
  return (
    // In forced-colors mode, the tokens use system colours.
    <svg
      width={layout.frame.width}
      height={layout.height}
      className="block overflow-hidden forced-color-adjust-none"
      fill="none"
      aria-hidden="true"
    >
      <Ground layout={layout} hatched={hatched} />
      {onRuler}
      <Pins layout={layout} drops={drops} />
      {children}
      <Today layout={layout} />
    </svg>
  );
}

const Ground = memo(function Ground({ layout, hatched }: DrawingProps) {
  return (
    <>
      <Bands layout={layout} hatched={hatched} />
      <Ruler layout={layout} />
      <Words layout={layout} />
    </>
  );
});

interface PinsProps {
  layout: HorizonLayout;
  drops: boolean;
}

/** Draws the pins. Memoised, because there may be hundreds. */
const Pins = memo(function Pins({ layout: { pins, base, frame }, drops }: PinsProps) {
  // Dimmed pins are faded as a group: if each were transparent, overlapping pins would shine through each other.
  return [true, false].map((dimmed) => {
    const drawn = pins.filter(({ entry }) => (entry.isDimmed ?? false) === dimmed);
    return (
      <g
        key={String(dimmed)}
        opacity={dimmed ? DIMMED : undefined}
        className={drops && !dimmed ? 'animate-[pin-drop_420ms_cubic-bezier(.3,1.4,.6,1)]' : undefined}
      >
        {drawn.map((pin) => pin.place === 'axis' && <Stem key={pin.entry.id} pin={pin} base={base} />)}
        {drawn.map((pin) => (
          <Mark key={pin.entry.id} pin={pin} size={frame.nameSize} />
        ))}
      </g>
    );
  });
});

/** Defines a hatching of 6 px at 45°, which marks areas that are not to scale. */
export function HatchPattern({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="1.25" height="6" fill="var(--hatch)" />
      </pattern>
    </defs>
  );
}

function Bands({ layout: { frame, base, criticalEnd, soonEnd }, hatched }: DrawingProps) {
  const hatch = useId();
  // In forced-colors mode, an outline replaces the background.
  const band = 'stroke-transparent forced-colors:stroke-line';
  return (
    <>
      {hatched && (
        <>
          <HatchPattern id={hatch} />
          <rect
            width={frame.todayX}
            height={base}
            fill={`url(#${hatch})`}
            className="opacity-60 forced-colors:opacity-25"
          />
        </>
      )}
      <rect
        x={frame.todayX}
        width={criticalEnd - frame.todayX}
        height={base}
        fill="var(--critical-band)"
        className={band}
      />
      <rect
        x={criticalEnd}
        width={soonEnd - criticalEnd}
        height={base}
        fill="var(--soon-band)"
        className={band}
      />
    </>
  );
}

const TICK_LENGTH = { day: 4, monday: 8, month: 15 };

function Ruler({ layout: { frame, base, ticks, months } }: { layout: HorizonLayout }) {
  const line = base + 0.5;
  const path = (kinds: readonly string[]) =>
    ticks
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ x, kind }) => `M${Math.round(x) + 0.5} ${line}v${TICK_LENGTH[kind]}`)
      .join('');
  return (
    <>
      <path d={`M0 ${line}H${frame.width}${path(['day', 'monday'])}`} stroke="var(--line-2)" />
      <path d={path(['month'])} stroke="var(--fg-3)" />
      {frame.hasLater && (
        <path d={`M${frame.axisEnd + 0.5} 0V${base}`} stroke="var(--line-2)" strokeDasharray="2 3" />
      )}
      {months.map(({ x, text }) => (
        <text key={x} x={x} y={base + 21} fill="var(--fg-2)" className="text-small font-medium">
          {text}
        </text>
      ))}
    </>
  );
}

function Words({ layout: { frame, bandNames, moreExpired, later } }: { layout: HorizonLayout }) {
  const word = 'text-small font-[560]';
  const [critical, soon] = bandNames;
  return (
    <>
      {!frame.narrow && (
        <text x={frame.expiredX} y={TOP_LABELS_Y} fill="var(--fg-2)" className={word}>
          Expired
        </text>
      )}
      <text x={critical?.x} y={TOP_LABELS_Y} fill="var(--critical-fg)" className={word}>
        {critical?.text}
      </text>
      <text x={soon?.x} y={TOP_LABELS_Y} fill="var(--soon-fg)" className={word}>
        {soon?.text}
      </text>
      {[moreExpired, later].map(
        (note) =>
          note && (
            <text key={note.x} x={note.x} y={note.y} fill="var(--fg-3)" className={classNames(word, 'num')}>
              {note.text}
            </text>
          ),
      )}
    </>
  );
}

/** Returns the colour of the marks of a state. */
export const markColour = (status: PinStatus) => `var(--${status}-mark)`;

/** Opacity of pins that the current filter does not match. */
export const DIMMED = 0.25;

/** Draws the line from a pin down to the ruler, or down to `base` (px) if given. */
export function Stem({ pin, base }: { pin: HorizonPin; base: number }) {
  const { x, y, entry } = pin;
  return (
    <path
      d={`M${x} ${y + 5}V${base}`}
      stroke={markColour(entry.status)}
      strokeWidth="1.25"
      opacity={entry.status === 'ok' ? 0.55 : 0.9}
    />
  );
}

/** Draws the glyph and the name of a pin. */
export function Mark({ pin: { x, y, entry, label, labelX }, size }: { pin: HorizonPin; size: number }) {
  const { status, count } = entry;
  const shape = status === 'flaw' ? 'fault' : status;
  const isOpenShape = shape === 'ok' || shape === 'revoked' || shape === 'fault';
  const isCount = count > 1 && status === 'ok';
  const tone = status === 'ok' ? 'var(--fg-2)' : 'var(--fg)';
  return (
    <>
      <g
        transform={`translate(${x - GLYPH / 2} ${y - GLYPH / 2}) scale(${GLYPH / 16})`}
        style={{ color: markColour(status) }}
        className="[--glyph-cut:var(--surface)]"
      >
        {isOpenShape && <circle cx="8" cy="8" r="8" fill="var(--surface)" />}
        <GlyphShape name={shape} />
      </g>
      {label !== null && isCount && (
        <text x={labelX} y={y + 4} fill={tone} className="num text-small font-[560]">
          {label}
        </text>
      )}
      {label !== null && !isCount && (
        <text
          x={labelX}
          y={y + 4}
          fill={tone}
          fontSize={size}
          fontWeight={status === 'ok' ? 450 : 600}
          className="font-mono"
          style={{ letterSpacing: `${NAME_TRACKING}em` }}
        >
          {label}
        </text>
      )}
    </>
  );
}

function Today({ layout: { frame, base } }: { layout: HorizonLayout }) {
  return (
    <>
      <path d={`M${frame.todayX} 0V${base + 16}`} stroke="var(--fg)" strokeWidth="1.5" />
      <g transform={`translate(${frame.todayX} ${base + 12})`}>
        <rect x={-TODAY_HALF_WIDTH} width={2 * TODAY_HALF_WIDTH} height="20" rx="4" fill="var(--fg)" />
        <text y="14" textAnchor="middle" fill="var(--bg)" className="text-small font-semibold">
          Today
        </text>
      </g>
    </>
  );
}
