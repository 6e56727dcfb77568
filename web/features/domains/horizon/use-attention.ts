import { useEffect, useMemo, useRef, useState } from 'react';

const RELEASE_MS = 120;

/** The same functions as long as the page is there. */
export interface Attention {
  give: (key: string) => void;
  /** Keeps it while the pointer is on what it has brought up. */
  hold: () => void;
  release: () => void;
  /** After a moment in which the pointer may reach what was brought up. */
  releaseSoon: () => void;
}

/** Which pin somebody looks at. Escape puts away what that has brought up. */
export function useAttention(): [key: string | null, attention: Attention] {
  const [key, setKey] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const acts = useMemo((): Attention => {
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
      if (event.key === 'Escape') acts.release();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key, acts]);
  useEffect(() => acts.hold, [acts]);
  return [key, acts];
}
