import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { DomainWire, SummaryWire } from '../../../contract/domain.ts';
import { messageOf } from '../../lib/api-client.ts';
import { relativeTime } from '../../lib/dates.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/subscription.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { DashboardHead } from './dashboard-head.tsx';
import { cardElement } from './domain-actions.ts';
import type { DomainActions } from './domain-actions.ts';
import { requestCheck } from './domain-calls.ts';
import { DomainCard } from './list/domain-card.tsx';
import { DomainPanel } from './panel/domain-panel.tsx';
import { useDomainCache } from './domain-queries.ts';
import type { useDomainList } from './domain-queries.ts';
import { RemoveDomainDialog } from './remove-domain-dialog.tsx';
import { dashboardSentence } from './sentence.ts';
import { SwapDomainDialog } from './swap-domain-dialog.tsx';
import { useDashboardKeys } from './use-dashboard-keys.ts';
import { useNow } from '../../lib/use-now.ts';
import { useOpenDomain } from './use-open-domain.ts';
import { usePausing } from './use-pausing.ts';

interface DomainsViewProps {
  /** At least one. */
  domains: DomainWire[];
  list: ReturnType<typeof useDomainList>;
  /** Absent when it could not be read. */
  summary: SummaryWire | undefined;
  onAdd: () => void;
}

export function DomainsView({ domains, list, summary, onAdd }: DomainsViewProps) {
  const now = useNow();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const cache = useDomainCache();
  const { openId, open: openPanel, close: closePanel } = useOpenDomain();
  const [asked, setAsked] = useState<DomainWire | null>(null);
  // The card that the removal dialog leaves the focus to: its own, or once that is gone, a neighbour.
  const focusNext = useRef<string>(undefined);

  const opened = domains.find(({ id }) => id === openId) ?? null;
  useSearchFurther(openId !== null && !opened, list, closePanel);

  const pausing = usePausing();
  const refresh = useMutation({
    mutationFn: ({ id }: DomainWire) => requestCheck(id),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.error(`The check could not be started: ${messageOf(error)}`),
  });
  const actions: DomainActions = {
    refresh: (domain) => {
      if (domain.paused === null) refresh.mutate(domain);
      else toast.info('This domain is paused. Resume it to check it.');
    },
    showDetails: ({ id }) => openPanel(id),
    pause: pausing.pause,
    resume: pausing.resume,
    askToRemove: (domain) => {
      focusNext.current = domain.id;
      setAsked(domain);
    },
  };
  const closePanelAndReturn = () => {
    if (openId !== null) cardElement(openId)?.focus();
    closePanel();
  };
  useDashboardKeys({ domains, open: opened, actions, add: onAdd, closePanel: closePanelAndReturn });

  const sentence =
    summary &&
    dashboardSentence({
      summary,
      limit: isSubscribed || isPlanLoading ? null : limits.free_domains,
      now,
    });

  return (
    <div className="wrap pb-24 md:pb-12">
      <DashboardHead {...(sentence ?? { headline: 'Domains', detail: [] })}>
        <div className="max-md:hidden">
          <Button onClick={onAdd}>
            <Plus className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
            Add Domain
          </Button>
        </div>
      </DashboardHead>
      {list.isRefetchError && (
        <output className="mb-4 block text-label text-fg-2">
          Last updated {relativeTime(list.dataUpdatedAt, now)}. {messageOf(list.error)}{' '}
          <button type="button" className="link" onClick={() => void list.refetch()}>
            Try again
          </button>
        </output>
      )}
      <h2 className="sr-only">Domains</h2>
      <ul className="grid grid-cols-1 gap-3 md:grid-cols-2 md:gap-4 xl:grid-cols-3">
        {domains.map((domain) => (
          <DomainCard
            key={domain.id}
            domain={domain}
            now={now}
            isSelected={domain.id === openId}
            actions={actions}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="mt-6 flex flex-col items-center gap-2">
          {list.isFetchNextPageError && (
            <p role="alert" className="text-label text-critical-fg">
              Could not load more: {messageOf(list.error)}
            </p>
          )}
          <Button variant="outline" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}

      <div className="fixed inset-x-0 bottom-0 z-10 bg-linear-to-b from-transparent to-bg to-30% px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))] md:hidden">
        <Button size="large" className="w-full text-lead" onClick={onAdd}>
          <Plus className="size-4" strokeWidth={1.8} aria-hidden="true" />
          Add Domain
        </Button>
      </div>

      <DomainPanel domain={opened} now={now} actions={actions} onClose={closePanelAndReturn} />
      <SwapDomainDialog
        domain={pausing.swapping}
        domains={domains}
        list={list}
        limit={limits.free_domains}
        isBusy={pausing.isSwapping}
        onSwap={pausing.swap}
        onClose={pausing.cancelSwap}
      />
      <RemoveDomainDialog
        domain={asked}
        onClose={() => setAsked(null)}
        onRemove={({ id }) => {
          const index = domains.findIndex((domain) => domain.id === id);
          focusNext.current = (domains[index + 1] ?? domains[index - 1])?.id;
          if (id === openId) closePanel();
        }}
        focusAfterClose={() => (focusNext.current === undefined ? null : cardElement(focusNext.current))}
      />
    </div>
  );
}

/** An address may name a domain of a page that was not loaded yet, or one that is no more. */
function useSearchFurther(isMissing: boolean, list: DomainsViewProps['list'], giveUp: () => void): void {
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (!isMissing || isFetching || isError) return;
    if (hasNextPage) void fetchNextPage();
    else giveUp();
  }, [isMissing, hasNextPage, isFetching, isError, fetchNextPage, giveUp]);
}
