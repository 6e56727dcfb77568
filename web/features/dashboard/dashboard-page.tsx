import { useLocation } from '@tanstack/react-router';
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../lib/drafts.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription, useUpgrade } from '../../lib/account/plan.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { cardElement } from '../../domain/domain-actions.tsx';
import { isUnfiltered } from '../../domain/domain-filter.ts';
import { useDomainSummary } from '../../domain/domain-queries.ts';
import { DomainsView, type PanelProps } from './domains-view.tsx';
import { useDomainList } from './list/use-domain-list.ts';
import { SelectionProvider } from './selection/selection-provider.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { useDelayed } from '../../ui/loading.tsx';
import { lazyAfterPause, lazyDialog, lazyPart, OPEN_PROPS } from '../../ui/lazy.tsx';
import { useNow } from '../../lib/use-now.ts';

const EmptyDashboard = lazyPart(async () => (await import('./adding/empty-dashboard.tsx')).EmptyDashboard);
const AddDomainDialog = lazyDialog(
  async () => (await import('./adding/add-domain-dialog.tsx')).AddDomainDialog,
  { ...OPEN_PROPS, isPreloaded: true },
);
const NextSteps = lazyAfterPause(async () => (await import('./next-steps.tsx')).NextSteps);
const LimitNoticeDialog = lazyDialog(
  async () => (await import('./adding/limit-notice-dialog.tsx')).LimitNoticeDialog,
  OPEN_PROPS,
);

/** Which dialog for adding domains is open. If Premium is sold, the upgrade dialog replaces 'limit'. */
type Adding = 'closed' | 'form' | 'many' | 'limit';

const SKELETON_AFTER_MS = 150;

interface DashboardPageProps {
  Panel: ComponentType<PanelProps>;
  ImportDialog: ComponentType<{
    open: boolean;
    onOpenChange: (open: boolean) => void;
    focusAfterClose: () => HTMLElement | null;
  }>;
}

/** Shows the empty dashboard, or the headline, the list and the panel. */
export function DashboardPage({ Panel, ImportDialog }: DashboardPageProps) {
  usePageTitle('Dashboard');
  const { filter, change } = useDashboardSearch();
  const list = useDomainList(filter);
  const summary = useDomainSummary();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const upgrade = useUpgrade();
  const [adding, setAdding] = useState<Adding>('closed');
  const addedId = useRef<string>(undefined);
  const isLate = useDelayed(SKELETON_AFTER_MS);
  const now = useNow();

  // A filtered list does not tell the total.
  const tracked = isUnfiltered(list.filter) ? list.total : (summary.data?.total ?? null);
  const isEmpty = tracked === 0;

  // Closing the form clears the draft, so a draft at mount is from before the session ended or before sign-in.
  const [draft, , clearDraft] = useDraft(ADD_DOMAIN_DRAFT);
  const [isInterrupted, setIsInterrupted] = useState(draft !== '');
  if (isInterrupted && tracked !== null) {
    setIsInterrupted(false);
    if (!isEmpty) setAdding('form');
  }

  // The list does not wait for a summary that failed at the first attempt.
  const isSentenceDue = summary.isPending && summary.failureCount === 0;
  const isLoading = (list.total === null && list.error === null) || (!isEmpty && isSentenceDue);

  // The first domain replaces the form that added it and takes its focus.
  useEffect(() => {
    if (!isEmpty && addedId.current !== undefined && document.activeElement === document.body)
      cardElement(addedId.current)?.focus();
  }, [isEmpty]);

  const onAdded = (domain: DomainWire) => {
    addedId.current = domain.id;
    setAdding((now) => (now === 'form' ? 'closed' : now));
  };
  const onShow = (id: string) => change({ domain: id }, { state: { panelDepth: 1 } });
  const onAddMany = () => setAdding('many');
  // After an upgrade at the limit, the form opens again with the typed text.
  const [isBuying, setBuying] = useState(false);
  if (isBuying && isSubscribed) {
    setBuying(false);
    setAdding('form');
  }
  const onDeclined = () => {
    setBuying(false);
    // The form of the empty dashboard stays on the page, with what was typed.
    if (!isEmpty) clearDraft();
  };
  const onLimitReached = () => {
    setAdding(upgrade.isSold ? 'closed' : 'limit');
    setBuying(upgrade.isSold);
    if (upgrade.isSold) upgrade.open('limit', onDeclined);
  };
  const isFull = !isSubscribed && !isPlanLoading && tracked !== null && tracked >= limits.free_domains;

  const onAdd = () => {
    addedId.current = undefined;
    if (isFull) onLimitReached();
    else setAdding('form');
  };
  // Another part of the app asked for the form. A reload must not open it again.
  const isAskedFor = useLocation({ select: ({ state }) => state.addsDomain === true }) && tracked !== null;
  const addAsAsked = useEffectEvent(() => {
    change({}, { replace: true, state: {} });
    onAdd();
  });
  useEffect(() => {
    // Opening the page with this state is the event, so the effect must set state.
    // oxlint-disable-next-line react/set-state-in-effect
    if (isAskedFor) addAsAsked();
  }, [isAskedFor]);

  if (isLoading && !isLate) return null;
  return (
    <SelectionProvider filter={list.filter} total={list.total ?? 0} loaded={list.loaded}>
      {isEmpty ? (
        <EmptyDashboard
          onAdd={() => setAdding('form')}
          onAdded={onAdded}
          onShow={onShow}
          onLimitReached={onLimitReached}
          onAddMany={onAddMany}
        />
      ) : (
        <DomainsView
          Panel={Panel}
          list={list}
          summary={summary}
          isLoading={isLoading}
          nextSteps={
            isUnfiltered(list.filter) && (
              <NextSteps
                domains={list.loaded}
                isComplete={list.total === list.loaded.length}
                now={now}
                onAdd={onAdd}
              />
            )
          }
          onAdd={onAdd}
        />
      )}
      <AddDomainDialog
        open={adding === 'form'}
        onOpenChange={(open) => setAdding(open ? 'form' : 'closed')}
        tracked={tracked ?? 0}
        onAdded={onAdded}
        onShow={onShow}
        onLimitReached={onLimitReached}
        onAddMany={onAddMany}
        focusAfterClose={() => (addedId.current === undefined ? null : cardElement(addedId.current))}
      />
      <ImportDialog
        open={adding === 'many'}
        onOpenChange={(open) => setAdding(open ? 'many' : 'closed')}
        focusAfterClose={() => (list.loaded[0] ? cardElement(list.loaded[0].id) : null)}
      />
      <LimitNoticeDialog
        open={adding === 'limit'}
        onOpenChange={() => {
          setAdding('closed');
          clearDraft();
        }}
        limit={limits.free_domains}
        tracked={tracked ?? 0}
      />
    </SelectionProvider>
  );
}
