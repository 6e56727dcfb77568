import { useRouter } from '@tanstack/react-router';
import type { AnyRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { PANEL_SECTIONS } from '../../lib/dashboard-search.ts';
import type { PanelSectionName } from '../../lib/dashboard-search.ts';
import { leavePanel, stateOfPanel } from './panel-history.ts';
import { useDashboardSearch } from './use-dashboard-search.ts';

/** Reads and sets the open domain's panel and its section in the URL: `/dashboard?domain=<id>&section=<name>`. */
export function useOpenDomain() {
  const { search, change } = useDashboardSearch();
  const openId = search.domain ?? null;
  const isOpen = openId !== null;
  const open = useCallback(
    // Stepping through domains replaces the entry, so that Back leaves the panel.
    (id: string) =>
      change({ domain: id }, isOpen ? { replace: true, state: true } : { state: { panelDepth: 1 } }),
    [change, isOpen],
  );
  const section = search.section ?? PANEL_SECTIONS[0];
  const showSection = useCallback(
    (name: PanelSectionName) =>
      change({ section: name === PANEL_SECTIONS[0] ? undefined : name }, { state: stateOfPanel }),
    [change],
  );
  const router = useRouter();
  const close = useCallback(() => {
    if (
      leavePanel(router.history, () => change({ domain: undefined, section: undefined }, { replace: true }))
    )
      keepScroll(router);
  }, [router, change]);
  return { openId, open, close, section, showSection };
}

/** Keeps the scroll position although an earlier history entry is restored. */
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
