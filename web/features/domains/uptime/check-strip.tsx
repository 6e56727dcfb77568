import { useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import type { UptimeWire } from '../../../../contract/uptime.ts';
import { STRIP_CHECKS } from '../../../../contract/uptime.ts';
import { longDateTime, utcTitle } from '../../../lib/dates.ts';
import { UptimeStrip } from '../../../ui/uptime-strip.tsx';
import { TICK_PITCH, tickAt } from '../../../ui/uptime-strip-geometry.ts';
import { checkWords } from './uptime-words.ts';

const LAST = STRIP_CHECKS - 1;
const LETTERS = { up: 'u', down: 'd', unknown: '?' } as const;

/** The last checks, each of which tells of itself below the pointer, or by the arrow keys. */
export function CheckStrip({ checks }: { checks: UptimeWire['checks'] }) {
  const [place, setPlace] = useState<number | null>(null);
  const letters = checks.map(({ state }) => LETTERS[state]).join('');
  const first = STRIP_CHECKS - checks.length;
  const check = place === null ? undefined : checks[place - first];
  const spoken = check ?? checks.at(-1);

  const point = ({ currentTarget, clientX }: PointerEvent) => {
    // The newest is at the right end, however much of the left is cut off.
    const fromRight = currentTarget.getBoundingClientRect().right - clientX;
    setPlace(tickAt(STRIP_CHECKS * TICK_PITCH - 1 - fromRight, STRIP_CHECKS));
  };
  const step = (event: KeyboardEvent) => {
    const next = nextPlace(event.key, place ?? STRIP_CHECKS, first);
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(next);
  };

  return (
    <div className="relative w-fit max-w-full py-1.5">
      <UptimeStrip checks={letters} places={STRIP_CHECKS} className="max-w-full" />
      {/* The drawing says how many there are; this, which one is looked at. */}
      <div
        role="slider"
        aria-label="The last checks, one by one"
        aria-orientation="horizontal"
        aria-valuemin={first}
        aria-valuemax={LAST}
        aria-valuenow={place ?? LAST}
        aria-valuetext={spoken && `${longDateTime(spoken.at)}: ${checkWords(spoken)}`}
        tabIndex={0}
        className="absolute inset-0 rounded-1"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPlace(null)}
        onBlur={() => setPlace(null)}
        onKeyDown={step}
      >
        {check && place !== null && (
          <span
            className="absolute inset-y-0.5 w-1 border-x border-fg"
            style={{ right: (LAST - place) * TICK_PITCH - 1 }}
          />
        )}
      </div>
      {check && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute right-0 bottom-full z-20 w-max max-w-[269px] animate-[menu-in_120ms] rounded-3 border border-line bg-menu px-3 py-2 text-meta shadow-3"
        >
          <p className="[overflow-wrap:anywhere]">{checkWords(check)}</p>
          <p className="num mt-0.5 text-fg-3">
            <time dateTime={check.at} title={utcTitle(check.at)}>
              {longDateTime(check.at)}
            </time>
          </p>
        </div>
      )}
    </div>
  );
}

/** Null for keys that mean nothing here. Places before the first check are passed over. */
function nextPlace(key: string, place: number, first: number): number | null {
  if (key === 'ArrowLeft') return Math.max(first, place - 1);
  if (key === 'ArrowRight') return Math.min(LAST, place + 1);
  if (key === 'Home') return first;
  return key === 'End' ? LAST : null;
}
