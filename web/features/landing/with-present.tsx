import { useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

const never = () => () => undefined;

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
  const isTakenOver = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <div data-needs-script="" className={className}>
      {isTakenOver && children(now)}
    </div>
  );
}
