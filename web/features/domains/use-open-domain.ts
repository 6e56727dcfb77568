import { useCallback } from 'react';
import { useDashboardSearch } from './use-dashboard-search.ts';

/** Which domain's panel is open, as the address has it: `/dashboard?domain=<id>`. */
export function useOpenDomain() {
  const { search, change } = useDashboardSearch();
  const openId = search.domain ?? null;
  const isOpen = openId !== null;
  const open = useCallback(
    // Stepping from one to the next is one visit: Back leaves the panel.
    (id: string) => change({ domain: id }, { replace: isOpen }),
    [change, isOpen],
  );
  const close = useCallback(() => change({ domain: undefined }, { replace: true }), [change]);
  return { openId, open, close };
}
