import { useEffect, useMemo, useRef, useState } from 'react';

const RELEASE_MS = 120;

/** Functions that change the highlighted pin. They keep their identity across renders. */
export interface PinHighlight {
  give: (key: string) => void;
  /** Keeps the tooltip open while the pointer is on it. */
  hold: () => void;
  release: () => void;
  /** Closes the tooltip after a delay in which the pointer may reach it. */
  releaseSoon: () => void;
}

/** Returns the pin that is hovered or focused. Escape closes its tooltip. */
export function usePinHighlight(): [key: string | null, highlight: PinHighlight] {
  const [key, setKey] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const highlight = useMemo((): PinHighlight => {
    const hold = () => clearTimeout(timer.current);
    const set = (next: string | null) => {
      hold();
      setKey(next);
    };
    return {
      give: set,
      hold,
      release: () => set(null),
      releaseSoon: () => {
        hold();
        timer.current = setTimeout(() => setKey(null), RELEASE_MS);
      },
    };
  }, []);
  useEffect(() => {
    if (key === null) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') highlight.release();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key, highlight]);
  useEffect(() => highlight.hold, [highlight]);
  return [key, highlight];
}
