import { useEffect, useState } from 'react';

const TICK_MS = 30_000;

/** The present in ms UTC, renewed twice a minute: days left and relative times move on by themselves. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
