import { useRouter } from '@tanstack/react-router';
import type { AnyRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { leavePanel } from './panel-history.ts';
import { useDashboardSearch } from './use-dashboard-search.ts';

/** Which domain's panel is open, as the address has it: `/dashboard?domain=<id>`. */
export function useOpenDomain() {
  const { search, change } = useDashboardSearch();
  const openId = search.domain ?? null;
  const isOpen = openId !== null;
  const open = useCallback(
    // Stepping from one to the next is one visit: Back leaves the panel.
    (id: string) =>
      change({ domain: id }, isOpen ? { replace: true, state: true } : { state: { panelDepth: 1 } }),
    [change, isOpen],
  );
  const router = useRouter();
  const close = useCallback(() => {
    if (leavePanel(router.history, () => change({ domain: undefined }, { replace: true })))
      keepScroll(router);
  }, [router, change]);
  return { openId, open, close };
}

/** The page stays where it is, though an earlier entry of the history comes back. */
function keepScroll(router: AnyRouter): void {
  let top = window.scrollY;
  const unsubscribeBefore = router.subscribe('onBeforeLoad', () => {
    top = window.scrollY;
    unsubscribeBefore();
  });
  const unsubscribe = router.subscribe('onRendered', () => {
    unsubscribe();
    window.scrollTo({ top });
  });
}
