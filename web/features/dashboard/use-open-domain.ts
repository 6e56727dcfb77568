import { type AnyRouter, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { useDomain } from '../../domain/domain-queries.ts';
import { toast } from '../../ui/toast.tsx';
import type { DomainList } from './list/use-domain-list.ts';
import { PANEL_SECTIONS, type PanelSectionName } from '../../lib/dashboard-search.ts';
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

/**
 * Returns the domain of the open panel: from the loaded rows, else read by its own call. Closes the panel if the domain is
 * gone or cannot be read.
 */
export function usePanelDomain(list: DomainList): DomainWire | null {
  const { openId, close } = useOpenDomain();
  const row = list.loaded.find(({ id }) => id === openId) ?? null;
  // The domain may be on the first page, so wait for that.
  const isMissing = openId !== null && row === null && (list.total !== null || list.error !== null);
  const { domain, isGone, isRemoved, error } = useDomain(isMissing ? openId : null);
  const hasFailed = isMissing && (isGone || error !== null);
  useEffect(() => {
    if (!hasFailed) return;
    // A user who removed the domain already got a toast.
    if (isGone && !isRemoved) toast.info('This domain is no longer in your list.');
    if (!isGone) toast.failed('Could not open the details', error);
    close();
    // Report the failure once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hasFailed]);
  return row ?? (isMissing ? domain : null);
}
