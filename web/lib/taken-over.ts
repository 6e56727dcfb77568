import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** False while a page that came as HTML is as it was made; true from when its script has taken it over, and in any other. */
export function useTakenOver(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
