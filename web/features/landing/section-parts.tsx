import { type ReactNode, useDeferredValue, useState } from 'react';
import { useHydrated } from '../../lib/use-hydrated.ts';

/** Classes of a section's heading. */
export const SECTION_TITLE = 'text-[26px]/8 font-bold tracking-[-.026em] md:text-section';

/**
 * Renders content that depends on the current time (`now`, ms UTC). The prerendered HTML has an empty box of the same height,
 * which the browser fills. Hidden in browsers without scripts.
 */
export function WithCurrentTime({
  className,
  children,
}: {
  /** Classes that set the minimum height. */
  className: string;
  children: (now: number) => ReactNode;
}) {
  const [now] = useState(() => Date.now());
  // Drawn with low priority, so that scrolling and typing stay responsive.
  const isDrawn = useDeferredValue(useHydrated());
  return (
    <div data-needs-script="" className={className}>
      {isDrawn && children(now)}
    </div>
  );
}

/** Shows a small label beside a heading. */
export function AccentLabel({ children }: { children: string }) {
  return (
    <span className="rounded-1 bg-accent-soft px-[7px] text-small/5 font-medium tracking-normal whitespace-nowrap text-accent-fg forced-colors:border">
      {children}
    </span>
  );
}

/** Scrolls smoothly unless the visitor prefers reduced motion. */
export function scrollBehavior(): ScrollBehavior {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
}
