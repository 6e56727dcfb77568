import { useCallback, useEffect, useState } from 'react';

/**
 * Keeps the last value while what shows it leaves: `shown` stays for up to `longestMs` after `value` became null,
 * or until `gone` is called, whichever comes first.
 */
export function useLingering<Value>(value: Value | null, longestMs: number) {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  const gone = useCallback(() => setLast(null), []);
  const isLeaving = value === null && last !== null;
  useEffect(() => {
    if (!isLeaving) return undefined;
    const timer = setTimeout(gone, longestMs);
    return () => clearTimeout(timer);
  }, [isLeaving, gone, longestMs]);
  return { shown: value ?? last, isLeaving, gone };
}
