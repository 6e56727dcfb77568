import { useCallback, useSyncExternalStore } from 'react';

/** Windows that are narrower than `md:` in class names. */
export const PHONE = 'not all and (min-width: 45rem)';

/** Follows a media query. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
