import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Returns false until a prerendered page is hydrated; always true on other pages. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
