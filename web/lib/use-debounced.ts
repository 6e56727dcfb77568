import { useEffect, useState } from 'react';

const TYPING_MS = 400;

/** Returns the value once it has not changed for `delayMs`. Compares objects by identity. */
export function useDebounced<Value>(value: Value, delayMs = TYPING_MS): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
