import { useEffect, useRef, useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../lib/draft.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/subscription.ts';
import { useUpgrade } from '../../lib/upgrade.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { AddDomainDialog } from './adding/add-domain-dialog.tsx';
import { EmptyDashboard } from './adding/empty-dashboard.tsx';
import { LimitNoticeDialog } from './adding/limit-notice-dialog.tsx';
import { cardElement } from './domain-actions.ts';
import { isUnfiltered } from './domain-filter.ts';
import { useDomainSummary, useLiveDomains } from './domain-queries.ts';
import { DomainsView } from './domains-view.tsx';
import { useDomainList } from './list/use-domain-list.ts';
import { SelectionProvider } from './selection/selection-provider.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { useDelayed } from './use-delayed.ts';
import { lazyDialog, OPEN_PROPS } from '../../ui/lazy.tsx';

const ImportDialog = lazyDialog(
  async () => (await import('./importing/import-dialog.tsx')).ImportDialog,
  OPEN_PROPS,
);

/** What opens over the page when a domain is to be added; where Premium is sold, its offer stands for the limit. */
type Adding = 'closed' | 'form' | 'many' | 'limit';

const SKELETON_AFTER_MS = 150;

/** The signed-in user's domains: the first step when there are none, else the sentence, the list and the panel. */
export function DashboardPage() {
  usePageTitle('Dashboard');
  useLiveDomains();
  const { filter } = useDashboardSearch();
  const list = useDomainList(filter);
  const summary = useDomainSummary();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const upgrade = useUpgrade();
  const [adding, setAdding] = useState<Adding>('closed');
  const addedId = useRef<string>(undefined);
  const isLate = useDelayed(SKELETON_AFTER_MS);

  // A filtered list says nothing of the others.
  const tracked = isUnfiltered(list.filter) ? list.total : (summary.data?.total ?? null);
  const isEmpty = tracked === 0;

  // Closing the form empties it: a host that is there from the start was typed when the session ended, or before a sign-in.
  const [draft] = useDraft(ADD_DOMAIN_DRAFT);
  const [isInterrupted, setIsInterrupted] = useState(draft !== '');
  if (isInterrupted && tracked !== null) {
    setIsInterrupted(false);
    if (!isEmpty) setAdding('form');
  }

  // The list does not wait for a sentence that failed at the first attempt.
  const isSentenceDue = summary.isPending && summary.failureCount === 0;
  const isLoading = (list.total === null && list.error === null) || (!isEmpty && isSentenceDue);

  // The first domain takes the place of the form that added it, and with it the focus.
  useEffect(() => {
    if (!isEmpty && addedId.current !== undefined && document.activeElement === document.body)
      cardElement(addedId.current)?.focus();
  }, [isEmpty]);

  const onAdded = (domain: DomainWire) => {
    addedId.current = domain.id;
    setAdding((now) => (now === 'form' ? 'closed' : now));
  };
  const onAddMany = () => setAdding('many');
  const onLimitReached = () => {
    setAdding(upgrade.isSold ? 'closed' : 'limit');
    if (upgrade.isSold) upgrade.open('limit');
  };
  const isFull = !isSubscribed && !isPlanLoading && tracked !== null && tracked >= limits.free_domains;

  if (isLoading && !isLate) return null;
  return (
    <SelectionProvider filter={list.filter} total={list.total ?? 0} loaded={list.loaded}>
      {isEmpty ? (
        <EmptyDashboard
          onAdd={() => setAdding('form')}
          onAdded={onAdded}
          onLimitReached={onLimitReached}
          onAddMany={onAddMany}
        />
      ) : (
        <DomainsView
          list={list}
          summary={summary}
          isLoading={isLoading}
          onAdd={() => {
            addedId.current = undefined;
            if (isFull) onLimitReached();
            else setAdding('form');
          }}
        />
      )}
      <AddDomainDialog
        open={adding === 'form'}
        onOpenChange={(open) => setAdding(open ? 'form' : 'closed')}
        tracked={tracked ?? 0}
        onAdded={onAdded}
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
        onOpenChange={(open) => setAdding(open ? 'limit' : 'closed')}
        limit={limits.free_domains}
        tracked={tracked ?? 0}
      />
    </SelectionProvider>
  );
}
