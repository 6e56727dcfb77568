import { useEffect, useState } from 'react';

const TICK_MS = 30_000;

/** Returns the current time in ms UTC, updated twice a minute, so that relative times stay right. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
