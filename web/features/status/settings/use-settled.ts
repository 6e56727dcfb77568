import { useEffect, useState } from 'react';

const PAUSE_MS = 400;

/** The value as it is once nobody has changed it for a moment. Objects count as changed when they are others. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
