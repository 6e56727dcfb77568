import { useEffect, useRef, useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/subscription.ts';
import { useUpgrade } from '../../lib/upgrade.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { AddDomainDialog } from './adding/add-domain-dialog.tsx';
import { DashboardSkeleton } from './dashboard-skeleton.tsx';
import { cardElement } from './domain-actions.ts';
import { useDomainList, useDomainSummary, useLiveDomains } from './domain-queries.ts';
import { DomainsView } from './domains-view.tsx';
import { EmptyDashboard } from './adding/empty-dashboard.tsx';
import { LimitNoticeDialog } from './adding/limit-notice-dialog.tsx';
import { loadedDomains, totalDomains } from './list/list-cache.ts';
import { LoadErrorCard } from './load-error-card.tsx';
import { DashboardHead } from './dashboard-head.tsx';

/** What opens over the page when a domain is to be added; where Premium is sold, its offer stands for the limit. */
type Adding = 'closed' | 'form' | 'limit';

/** The signed-in user's domains: the first step when there are none, else the sentence, the cards and the panel. */
export function DashboardPage() {
  usePageTitle('Dashboard');
  useLiveDomains();
  const list = useDomainList();
  const summary = useDomainSummary();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const upgrade = useUpgrade();
  const [adding, setAdding] = useState<Adding>('closed');
  const addedId = useRef<string>(undefined);

  const domains = list.data ? loadedDomains(list.data) : [];
  const total = list.data ? totalDomains(list.data) : 0;

  // The first domain takes the place of the form that added it, and with it the focus.
  const isEmpty = total === 0;
  useEffect(() => {
    if (!isEmpty && addedId.current !== undefined && document.activeElement === document.body)
      cardElement(addedId.current)?.focus();
  }, [isEmpty]);

  if (!list.data && list.isError)
    return (
      <div className="wrap">
        <DashboardHead headline="Domains" detail={[]} />
        <LoadErrorCard error={list.error} isRetrying={list.isFetching} onRetry={() => void list.refetch()} />
      </div>
    );
  // The cards do not wait for a sentence that failed at the first attempt.
  const isSentenceDue = summary.isPending && summary.failureCount === 0;
  if (!list.data || (!isEmpty && isSentenceDue)) return <DashboardSkeleton />;

  const onAdded = (domain: DomainWire) => {
    addedId.current = domain.id;
    setAdding('closed');
  };
  const onLimitReached = () => {
    setAdding(upgrade.isSold ? 'closed' : 'limit');
    if (upgrade.isSold) upgrade.open('limit');
  };
  const isFull = !isSubscribed && !isPlanLoading && total >= limits.free_domains;

  return (
    <>
      {isEmpty ? (
        <EmptyDashboard onAdded={onAdded} onLimitReached={onLimitReached} />
      ) : (
        <DomainsView
          domains={domains}
          list={list}
          summary={summary.data}
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
        onAdded={onAdded}
        onLimitReached={onLimitReached}
        focusAfterClose={() => (addedId.current === undefined ? null : cardElement(addedId.current))}
      />
      <LimitNoticeDialog
        open={adding === 'limit'}
        onOpenChange={(open) => setAdding(open ? 'limit' : 'closed')}
        limit={limits.free_domains}
        tracked={total}
      />
    </>
  );
}
