import { type RefObject, useEffect, useRef, useState } from 'react';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { DEFAULT_ALERT_STEPS } from '../../../contract/words.ts';
import { counted, listed } from '../../lib/format.ts';
import { daysText } from '../../../contract/state/schedule.ts';
import { classNames } from '../../ui/class-names.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { useWidth } from '../../ui/horizon/text-measure.ts';
import { SECTION_TITLE } from './section-parts.tsx';

const SHORTEST = 6;
/** Lifetimes in days: the limits of the CA/Browser Forum (ballot SC-081v3), and the short-lived certificates of today. */
const LIFETIMES = [
  { days: 398, when: 'until March 2026' },
  { days: 200, when: 'since March 2026' },
  { days: 100, when: 'from March 2027' },
  { days: 47, when: 'from March 2029' },
  { days: SHORTEST, when: 'short-lived' },
] as const;
const LAST = LIFETIMES.length - 1;

/** The fixed threshold, in days before expiry, that many other tools use. */
const FIXED_DAYS = 30;
const STEP_MS = 1_600;
/** Width of a mark in px. */
const MARK = 16;

/** Returns the alert steps for a lifetime in days, each as the number of days left. */
const stepsOf = (lifetime: number) =>
  DEFAULT_ALERT_STEPS.map(({ step, days, share }) => ({ step, left: Math.min(days, share * lifetime) }));

const leftWords = (days: number) =>
  days >= 1 ? daysText(Math.floor(days)) : counted(Math.floor((days * DAY_MS) / HOUR_MS), 'hour');

function fixedWords(lifetime: number): string {
  const used = lifetime - FIXED_DAYS;
  if (used < 0) return 'A fixed alarm 30 days before expiry comes before the certificate exists.';
  const share = Math.round((used / lifetime) * 100);
  return `A fixed alarm 30 days before expiry comes when ${share}% of the lifetime is used.`;
}

/**
 * Returns the index of the shown lifetime. Once the section comes into view, moves on by itself, unless motion is reduced or
 * the visitor has chosen one.
 */
function usePlayOnce(section: RefObject<HTMLElement | null>) {
  const [index, setIndex] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches || !section.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        setPlaying(true);
        observer.disconnect();
      },
      { threshold: 0.6 },
    );
    observer.observe(section.current);
    return () => observer.disconnect();
  }, [section]);
  useEffect(() => {
    if (!isPlaying || index === LAST) return undefined;
    const timer = setTimeout(() => setIndex(index + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, index]);
  const choose = (place: number) => {
    setPlaying(false);
    setIndex(place);
  };
  return { index, choose };
}

/** Shows on one bar how alerts move closer to the expiry as lifetimes shrink. */
export function LifetimeStory() {
  const section = useRef<HTMLElement>(null);
  const { index, choose } = usePlayOnce(section);
  const days = LIFETIMES[index]?.days ?? SHORTEST;
  const steps = stepsOf(days);
  return (
    <section
      ref={section}
      data-needs-script=""
      className="wrap pt-[72px] md:pt-28"
      aria-labelledby="lifetimes"
    >
      <h2 id="lifetimes" className={`${SECTION_TITLE} max-w-[640px]`}>
        From 398 days to 47: alerts have to move along.
      </h2>
      <p className="mt-2.5 max-w-[640px] text-lead text-fg-2">
        Certificates live shorter each year. Our alerts scale with the lifetime, so they come when a renewal
        is late, and not before.
      </p>
      <div className="mt-7 rounded-5 border border-line bg-surface p-5 shadow-1 md:p-8">
        <div role="group" aria-label="Lifetime" className="flex flex-wrap gap-1.5">
          {LIFETIMES.map(({ days: lifetime, when }, place) => (
            <button
              key={lifetime}
              type="button"
              aria-pressed={place === index}
              onClick={() => choose(place)}
              className={classNames(
                'num min-h-11 rounded-2 border px-3 text-left text-label',
                place === index ? 'border-fg bg-sunken text-fg' : 'border-line text-fg-2 hover:text-fg',
              )}
            >
              <b className="block font-semibold">{lifetime} days</b>
              <span className="text-meta text-fg-3">{when}</span>
            </button>
          ))}
        </div>
        <Bar days={days} steps={steps} />
        <p className="num mt-4 text-body">
          We email you {listed(steps.map(({ left }) => leftWords(left)))} before expiry.
        </p>
        <p className="num mt-1 text-body text-fg-2">{fixedWords(days)}</p>
      </div>
    </section>
  );
}

/** Returns the indices of the marks to draw: of these places, in px and ascending, those that do not touch the mark drawn before them. */
function apart(places: readonly number[]): ReadonlySet<number> {
  const drawn = new Set<number>();
  let last = -Infinity;
  for (const [index, place] of places.entries()) {
    if (place - last < MARK) continue;
    drawn.add(index);
    last = place;
  }
  return drawn;
}

/** Draws the alert steps and the fixed threshold at their places within a lifetime. Leaves out marks that would overlap. */
function Bar({ days, steps }: { days: number; steps: ReturnType<typeof stepsOf> }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const at = (left: number) => `${(1 - left / days) * 100}%`;
  const isFixedOff = days < FIXED_DAYS;
  const shown = apart(steps.map(({ left }) => (1 - left / days) * (width ?? 0)));
  return (
    <div ref={ref} aria-hidden="true" className="relative mx-2 mt-10 h-14">
      <div className="absolute inset-x-0 top-6 h-2 rounded-full bg-elapsed opacity-40 forced-colors:border" />
      <span
        className={classNames(
          'absolute top-0 bottom-5 border-l-2 border-dashed border-fg-3 transition-[left,opacity] duration-700',
          isFixedOff && 'opacity-0',
        )}
        style={{ left: isFixedOff ? '-12%' : at(FIXED_DAYS) }}
      >
        <span className="absolute top-0 right-1.5 text-meta whitespace-nowrap text-fg-3">30 days</span>
      </span>
      {steps.map(({ step, left }, place) => (
        <span
          key={step}
          className={classNames(
            'absolute top-5 -translate-x-1/2 transition-[left,opacity] duration-700 [--glyph-cut:var(--surface)]',
            !shown.has(place) && 'opacity-0',
          )}
          style={{ left: at(left) }}
        >
          <Glyph
            name={place < 2 ? 'soon' : 'critical'}
            className={classNames('size-4', place < 2 ? 'text-soon-mark' : 'text-critical-mark')}
          />
        </span>
      ))}
      <span className="absolute top-8 left-0 mt-2 text-meta text-fg-3">Issued</span>
      <span className="absolute top-8 right-0 mt-2 text-meta text-fg-3">Expires</span>
    </div>
  );
}
