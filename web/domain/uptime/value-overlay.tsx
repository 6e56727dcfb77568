import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** A value of a drawing, in words. */
export interface Reading {
  value: string;
  /** The instant or period of the value; absent while unknown. */
  time?: string | undefined;
}

interface ValueOverlayProps {
  label: string;
  /** The indexes of the first and the last value. */
  first: number;
  last: number;
  /** Returns how far the value's place is from the drawing's right edge, both in px. */
  fromRight: (index: number, width: number) => number;
  read: (index: number) => Reading | undefined;
  /** Called when somebody begins to read. */
  onBegin?: () => void;
  /** Called for a click of the mouse. A mouse already reads values by hovering, so a click can do something else. */
  onMouseClick?: () => void;
}

/** Covers a drawing and shows its values one by one: on hover, by tap and with the arrow keys. */
export function ValueOverlay({
  label,
  first,
  last,
  fromRight,
  read,
  onBegin,
  onMouseClick,
}: ValueOverlayProps) {
  const cover = useRef<HTMLDivElement>(null);
  const pointer = useRef<string>(null);
  const [place, setPlace] = useState<{ index: number; width: number } | null>(null);
  const reading = place ? read(place.index) : undefined;
  const spoken = reading ?? read(last);
  const leave = () => setPlace(null);

  const point = ({ currentTarget, clientX, pointerType }: PointerEvent) => {
    pointer.current = pointerType;
    onBegin?.();
    const { right, width } = currentTarget.getBoundingClientRect();
    const distance = (index: number) => Math.abs(fromRight(index, width) - (right - clientX));
    let nearest = last;
    for (let index = first; index < last; index++) if (distance(index) < distance(nearest)) nearest = index;
    setPlace({ index: nearest, width });
  };
  const step = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = place?.index ?? last + 1;
    const index = {
      ArrowLeft: Math.max(first, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: first,
      End: last,
    }[event.key];
    const isLeaving = event.key === 'Escape' && place !== null;
    if (index === undefined && !isLeaving) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(index === undefined ? null : { index, width: event.currentTarget.offsetWidth });
  };

  return (
    <div
      ref={cover}
      role="slider"
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={first}
      aria-valuemax={last}
      aria-valuenow={place?.index ?? last}
      aria-valuetext={spoken && [spoken.time, spoken.value].filter(Boolean).join(': ')}
      tabIndex={0}
      // A finger may also move sideways along the drawing.
      className="absolute inset-0 z-1 touch-pan-y rounded-1"
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && leave()}
      onClick={() => {
        if (pointer.current === 'mouse') onMouseClick?.();
      }}
      onFocus={onBegin}
      onBlur={leave}
      onKeyDown={step}
    >
      {place && reading && (
        <>
          <span
            className="absolute inset-y-0 w-1 border-x border-fg"
            style={{ right: fromRight(place.index, place.width) - 2 }}
          />
          <Tooltip
            reading={reading}
            cover={cover}
            fromRight={fromRight(place.index, place.width)}
            onLeave={leave}
          />
        </>
      )}
    </div>
  );
}

const GAP_PX = 6;
const EDGE_PX = 8;

interface TooltipProps {
  reading: Reading;
  cover: RefObject<HTMLElement | null>;
  fromRight: number;
  onLeave: () => void;
}

/** Shows the reading above its place, or below if there is no room. It is a popover, so scrolling containers do not clip it. */
function Tooltip({ reading, cover, fromRight, onLeave }: TooltipProps) {
  const tooltip = useRef<HTMLDivElement>(null);
  const position = () => {
    if (!tooltip.current || !cover.current) return;
    const { top, bottom, right } = cover.current.getBoundingClientRect();
    const { style, offsetWidth, offsetHeight } = tooltip.current;
    const most = document.documentElement.clientWidth - EDGE_PX - offsetWidth;
    style.left = `${Math.max(EDGE_PX, Math.min(right - fromRight - offsetWidth / 2, most))}px`;
    const above = top - GAP_PX - offsetHeight;
    style.top = `${above < EDGE_PX ? bottom + GAP_PX : above}px`;
  };
  useLayoutEffect(() => tooltip.current?.showPopover(), []);
  useLayoutEffect(position);
  const follow = useEffectEvent(position);
  const leave = useEffectEvent(({ target }: Event) => {
    if (!(target instanceof Node && cover.current?.contains(target))) onLeave();
  });
  useEffect(() => {
    const stop = new AbortController();
    const options = { capture: true, signal: stop.signal };
    document.addEventListener('scroll', follow, options);
    window.addEventListener('resize', follow, options);
    document.addEventListener('pointerdown', leave, options);
    return () => stop.abort();
  }, []);
  return (
    <div
      ref={tooltip}
      popover="manual"
      aria-hidden="true"
      className="pointer-events-none fixed inset-auto m-0 w-max max-w-[269px] animate-[menu-in_120ms] rounded-3 border border-line bg-menu px-3 py-2 text-meta text-fg shadow-3"
    >
      <p className="num [overflow-wrap:anywhere]">{reading.value}</p>
      {reading.time !== undefined && <p className="num mt-0.5 text-fg-3">{reading.time}</p>}
    </div>
  );
}
