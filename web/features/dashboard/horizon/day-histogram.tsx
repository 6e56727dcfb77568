import {
  type ComponentType,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { DIMMED, Mark, markColour, Stem } from '../../../ui/horizon/horizon-drawing.tsx';
import type { HorizonLayout } from '../../../ui/horizon/horizon-layout.ts';
import { type TextMeasure, useTextMeasure } from '../../../ui/horizon/text-measure.ts';
import { inPeriod, periodName } from '../../../domain/day-and-month.ts';
import { counted, grouped } from '../../../lib/format.ts';
import type { DomainList } from '../list/use-domain-list.ts';
import {
  barAt,
  barName,
  type DayBar,
  dayBars,
  type DayRange,
  periodOf,
  rangeOf,
  scaleStart,
  tallestBar,
} from './day-bars.ts';
import { type HorizonLink, type Target, targetOf } from './horizon-links.ts';
import { PinLinks } from './pin-links.tsx';
import type { PinTooltipProps } from './pin-tooltip.tsx';
import { usePinHighlight } from './use-pin-highlight.ts';

/** How far a click may miss a bar, in px. */
const MISS = 8;

/** Minimum width of the axis, in px, on which the hint does not cover the names of the bands. */
const MIN_HINT_AXIS = 430;

interface DayHistogramProps {
  Tooltip: ComponentType<PinTooltipProps>;
  layout: HorizonLayout;
  /** The list below, which the chosen days filter. */
  list: Pick<DomainList, 'filter' | 'total'>;
  now: number;
  /** The domain whose panel is open. */
  openId: string | null;
  onFollow: (target: Target) => void;
  /** Filters the list by a period; undefined shows every date. */
  onSelect: (period: string | undefined) => void;
}

/** Draws a bar per day over the axis of a crowded horizon. Dragging, or Shift with arrow keys, filters the list by days. */
export function DayHistogram(props: DayHistogramProps) {
  const measure = useTextMeasure();
  return measure && <Histogram {...props} measure={measure} />;
}

function Histogram({
  Tooltip,
  layout,
  list: { filter, total },
  now,
  openId,
  onFollow,
  onSelect,
  measure,
}: DayHistogramProps & { measure: TextMeasure }) {
  const { axis, frame, height, base } = layout;
  const bars = useMemo(() => dayBars(layout, measure), [layout, measure]);
  const links = useMemo(() => bars.map((bar) => linkOf(bar, base)), [bars, base]);
  const [key, highlight] = usePinHighlight();
  const highlighted = bars.find((bar) => keyOf(bar) === key) ?? null;
  const { dragged, handlers } = useDrag(layout, {
    onHover: (column) => {
      const bar = barAt(bars, column, 0);
      if (bar) highlight.give(keyOf(bar));
      else highlight.releaseSoon();
    },
    onLeave: highlight.releaseSoon,
    onClick: (column) => {
      const bar = barAt(bars, column, Math.ceil(MISS / axis.dayWidth));
      if (bar) onFollow(targetOf({ ...bar.entries[0], count: bar.count }, bar.period));
      else onSelect(undefined);
    },
    onSelect: (range) => onSelect(periodOf(axis, range)),
  });
  const { expires } = filter;
  const range = dragged ?? (expires === undefined ? null : rangeOf(axis, expires));

  const extend = useExtension(axis, onSelect);

  return (
    <div className="absolute inset-0">
      <svg
        width={frame.width}
        height={height}
        className="pointer-events-none absolute inset-0 forced-color-adjust-none"
        fill="none"
        aria-hidden="true"
      >
        {range && <Range layout={layout} range={range} />}
        <Bars bars={bars} nameSize={frame.nameSize} />
        <Scale layout={layout} bars={bars} measure={measure} />
      </svg>
      <PinLinks
        label="Certificates by day of expiry"
        links={links}
        openId={openId}
        highlight={highlight}
        onFollow={onFollow}
        onExtend={extend}
      />
      <div
        className="absolute top-0 cursor-col-resize touch-pan-y"
        data-days=""
        style={{ left: axis.from, width: axis.to - axis.from, height: base }}
        {...handlers}
      />
      <output
        // On a small screen the bands' names need this room, and the toolbar already shows the period.
        className={
          frame.narrow || axis.to - axis.from < MIN_HINT_AXIS
            ? 'sr-only'
            : 'num pointer-events-none absolute top-1.5 text-small text-fg-3'
        }
        style={{ right: frame.width - axis.to + 6 }}
      >
        {expires === undefined || total === null
          ? 'Drag, or Shift and arrow keys, to filter the list.'
          : `${counted(total, 'domain')} ${inPeriod(expires)}`}
      </output>
      <Tooltip
        described={dragged ? null : highlighted}
        date={highlighted ? periodName(highlighted.period) : ''}
        issuer={null}
        now={now}
        width={frame.width}
        onPointerEnter={highlight.hold}
        onPointerLeave={highlight.releaseSoon}
      />
    </div>
  );
}

/**
 * Returns the function that selects the days between two links. While Shift is held, every further move extends the range
 * from the first link.
 */
function useExtension(axis: HorizonLayout['axis'], onSelect: (period: string | undefined) => void) {
  const anchor = useRef<HorizonLink>(null);
  const extended = useRef<HorizonLink>(null);
  return useCallback(
    (from: HorizonLink, to: HorizonLink) => {
      if (extended.current?.key !== from.key) anchor.current = from;
      extended.current = to;
      const columns = [anchor.current ?? from, to].map((link) => Number(link.key));
      onSelect(periodOf(axis, { from: Math.min(...columns), to: Math.max(...columns) }));
    },
    [axis, onSelect],
  );
}

const keyOf = ({ column }: DayBar): string => String(column);

function linkOf(bar: DayBar, base: number): HorizonLink {
  const { left, width, y, entries, count, period } = bar;
  return {
    key: keyOf(bar),
    name: barName(bar),
    box: { left: left - 2, top: y - 4, width: width + 4, height: base - y + 4 },
    target: targetOf({ ...entries[0], count }, period),
    pin: null,
  };
}

interface DragActions {
  onHover: (column: number) => void;
  onLeave: () => void;
  onClick: (column: number) => void;
  onSelect: (range: DayRange) => void;
}

/** Returns the range that is being dragged, if any, and the handlers of the area. Escape cancels. */
function useDrag({ axis }: HorizonLayout, { onHover, onLeave, onClick, onSelect }: DragActions) {
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null);
  const isDragging = drag !== null;
  useEffect(() => {
    if (!isDragging) return undefined;
    const cancel = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setDrag(null);
    };
    document.addEventListener('keydown', cancel);
    return () => document.removeEventListener('keydown', cancel);
  }, [isDragging]);

  const columnAt = ({ clientX, currentTarget }: PointerEvent) => {
    const column = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / axis.dayWidth);
    return Math.min(Math.max(column, 0), axis.midnights.length - 2);
  };
  const dragged = drag && { from: Math.min(drag.start, drag.end), to: Math.max(drag.start, drag.end) };
  return {
    // A press without a move is a click.
    dragged: dragged && dragged.from < dragged.to ? dragged : null,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ start: columnAt(event), end: columnAt(event) });
      },
      onPointerMove: (event: PointerEvent) => {
        const column = columnAt(event);
        if (drag) setDrag({ ...drag, end: column });
        else if (event.pointerType !== 'touch') onHover(column);
      },
      onPointerUp: () => {
        if (!dragged) return;
        setDrag(null);
        if (dragged.from === dragged.to) onClick(dragged.from);
        else onSelect(dragged);
      },
      onPointerCancel: () => setDrag(null),
      onPointerLeave: onLeave,
    },
  };
}

/** Marks the days by which the list is filtered. */
function Range({ layout: { axis, base }, range: { from, to } }: { layout: HorizonLayout; range: DayRange }) {
  const start = Math.round(axis.from + from * axis.dayWidth);
  const end = Math.round(axis.from + (to + 1) * axis.dayWidth);
  return (
    <>
      <rect x={start} width={end - start} height={base} fill="var(--fg)" opacity={0.06} />
      <path d={`M${start + 0.5} ${base}V0M${end - 0.5} ${base}V0`} stroke="var(--fg)" strokeDasharray="2 3" />
      <rect x={start} y={base - 1} width={end - start} height="3" fill="var(--fg)" />
    </>
  );
}

interface ScaleProps {
  layout: HorizonLayout;
  bars: readonly DayBar[];
  measure: TextMeasure;
}

/** Draws a line at the height of the tallest bar, labelled with its number of certificates. */
function Scale({ layout, bars, measure }: ScaleProps) {
  const { axis, base, frame } = layout;
  const y = base - tallestBar(layout) - 0.5;
  const text = `${grouped(Math.max(...bars.map(({ count }) => count)))} a day`;
  const x = scaleStart(layout, bars, measure.label(text));
  return (
    <>
      <path d={`M${axis.from} ${y}H${axis.to}`} stroke="var(--line)" />
      {x !== null && (
        <text x={x} y={y + (frame.hasLater ? 4 : 13)} fill="var(--fg-3)" className="num text-small">
          {text}
        </text>
      )}
    </>
  );
}

function Bars({ bars, nameSize }: { bars: readonly DayBar[]; nameSize: number }) {
  return bars.map((bar) => (
    <g key={bar.column}>
      {bar.parts.map(({ status, y, height, isDimmed }) => (
        <rect
          key={status}
          x={bar.left}
          y={y}
          width={bar.width}
          height={height}
          fill={markColour(status)}
          opacity={(status === 'ok' ? 0.6 : 1) * (isDimmed ? DIMMED : 1)}
        />
      ))}
      {bar.pins.map((pin) => (
        <g key={pin.entry.id} opacity={pin.entry.isDimmed === true ? DIMMED : undefined}>
          <Stem pin={pin} base={bar.y} />
          <Mark pin={pin} size={nameSize} />
        </g>
      ))}
    </g>
  ));
}
