import { useDeferredValue, useState } from 'react';
import type { ReactNode } from 'react';
import { useTakenOver } from '../../lib/taken-over.ts';

/**
 * For what shows the present day, `now` in ms UTC. The page's HTML was made on some day before: there it is a box of the
 * same height, which the browser fills, and which is gone where no script runs.
 */
export function WithPresent({
  className,
  children,
}: {
  /** Gives the box its least height. */
  className: string;
  children: (now: number) => ReactNode;
}) {
  const [now] = useState(() => Date.now());
  // In small steps: whoever scrolls or types meanwhile is not held up.
  const isDrawn = useDeferredValue(useTakenOver());
  return (
    <div data-needs-script="" className={className}>
      {isDrawn && children(now)}
    </div>
  );
}
