import { useLocation } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { cardElement } from '../../../domain/domain-actions.tsx';
import { useSubscription, useUpgrade } from '../../../lib/account/plan.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../../lib/drafts.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useDashboardSearch } from '../use-dashboard-search.ts';

/** Which dialog for adding domains is open. If Premium is sold, the upgrade dialog replaces 'limit'. */
type Shown = 'closed' | 'form' | 'many' | 'limit';

/**
 * Holds which dialog for adding domains is open, and decides what follows an added domain or a full plan. `tracked` is the
 * number of domains; null until known.
 */
export function useAdding(tracked: number | null) {
  const isEmpty = tracked === 0;
  const { change } = useDashboardSearch();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const upgrade = useUpgrade();
  const [shown, show] = useState<Shown>('closed');

  // Closing the form clears the draft. So a draft that exists at mount is from before the session ended or before sign-in.
  const [draft, , clearDraft] = useDraft(ADD_DOMAIN_DRAFT);
  const [isInterrupted, setIsInterrupted] = useState(draft !== '');
  if (isInterrupted && tracked !== null) {
    setIsInterrupted(false);
    if (!isEmpty) show('form');
  }

  const addedId = useRef<string>(undefined);
  // The first domain replaces the form that added it and takes its focus.
  useEffect(() => {
    if (!isEmpty && document.activeElement === document.body) cardElement(addedId.current)?.focus();
  }, [isEmpty]);

  // After an upgrade at the limit, the form opens again with the typed text.
  const [isBuying, setBuying] = useState(false);
  if (isBuying && isSubscribed) {
    setBuying(false);
    show('form');
  }
  const onLimitReached = () => {
    show(upgrade.isSold ? 'closed' : 'limit');
    setBuying(upgrade.isSold);
    if (!upgrade.isSold) return;
    upgrade.open('limit', () => {
      setBuying(false);
      // The form of the empty dashboard stays on the page and keeps the typed text.
      if (!isEmpty) clearDraft();
    });
  };

  const start = () => {
    addedId.current = undefined;
    const isFull = !isSubscribed && !isPlanLoading && tracked !== null && tracked >= limits.free_domains;
    if (isFull) onLimitReached();
    else show('form');
  };
  // Another part of the app asked to open the form. The request is cleared, so that a reload does not open the form again.
  const isAskedFor = useLocation({ select: ({ state }) => state.addsDomain === true }) && tracked !== null;
  const startAsAsked = useEffectEvent(() => {
    change({}, { replace: true, state: {} });
    start();
  });
  useEffect(() => {
    // Opening the page with this state is the event, so the effect must set state.
    // oxlint-disable-next-line react/set-state-in-effect
    if (isAskedFor) startAsAsked();
  }, [isAskedFor]);

  return {
    shown,
    show,
    /** Opens the form, or says that the plan allows no more. */
    start,
    /** Returns the row of the added domain, if mounted. */
    addedRow: () => cardElement(addedId.current),
    clearDraft,
    outcome: {
      onAdded: (domain: DomainWire) => {
        addedId.current = domain.id;
        show((former) => (former === 'form' ? 'closed' : former));
      },
      onShow: (id: string) => change({ domain: id }, { state: { panelDepth: 1 } }),
      onLimitReached,
      onAddMany: () => show('many'),
    },
  };
}
