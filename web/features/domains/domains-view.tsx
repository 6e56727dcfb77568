import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { DomainWire } from '../../../contract/domain.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/subscription.ts';
import { useNow } from '../../lib/use-now.ts';
import { OPEN_PROPS, lazyDialog } from '../../ui/lazy.tsx';
import { DashboardHead } from './dashboard-head.tsx';
import { cardElement, panelOpener } from './domain-actions.ts';
import type { useDomainSummary } from './domain-queries.ts';
import { ExpiryHorizon } from './horizon/expiry-horizon.tsx';
import { focusedDomainId, useDashboardKeys } from './keyboard/use-dashboard-keys.ts';
import type { KeyCommand } from './keyboard/key-map.ts';
import { DomainsList } from './list/domains-list.tsx';
import type { DomainList } from './list/use-domain-list.ts';
import { DomainPanel } from './panel/domain-panel.tsx';
import { RemoveDomainDialog } from './remove-domain-dialog.tsx';
import { ExportCsv } from './selection/export-csv.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import { dashboardSentence } from './sentence.ts';
import { SummaryFailed } from './summary-failed.tsx';
import { SwapDomainDialog } from './swap-domain-dialog.tsx';
import { chipsOf } from './toolbar/chips.ts';
import { nextSort } from './toolbar/sorts.ts';
import { AddBar, Toolbar } from './toolbar/toolbar.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { useDomainActions } from './use-domain-actions.ts';
import { useOpenDomain } from './use-open-domain.ts';
import { usePanelDomain } from './use-panel-domain.ts';
import { usePausing } from './use-pausing.ts';
import { useStepping } from './use-stepping.ts';

const ShortcutsDialog = lazyDialog(
  async () => (await import('./keyboard/shortcuts-dialog.tsx')).ShortcutsDialog,
  OPEN_PROPS,
);

const LOADING = { headline: 'Domains', detail: [[{ text: 'Loading your domains', isHost: false }]] };
const UNKNOWN = { headline: 'Domains', detail: [] };

interface DomainsViewProps {
  list: DomainList;
  summary: ReturnType<typeof useDomainSummary>;
  /** The first answers are on their way. */
  isLoading: boolean;
  onAdd: () => void;
}

/** The dashboard of somebody who has domains: the sentence, the horizon, the list, and the panel over them. */
export function DomainsView({ list, summary, isLoading, onAdd }: DomainsViewProps) {
  const now = useNow();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const { search, filter, view, change } = useDashboardSearch();
  const { openId, open: openPanel, close: closePanel } = useOpenDomain();
  const opened = usePanelDomain(list);
  const stepping = useStepping(list, openId, openPanel);
  const searchInput = useRef<HTMLInputElement>(null);
  const [isSearchOpen, setIsSearchOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [asked, setAsked] = useState<DomainWire | null>(null);
  // The row that the removal dialog leaves the focus to: its own, or once that is gone, a neighbour.
  const focusNext = useRef<string>(undefined);

  const pausing = usePausing();
  const actions = useDomainActions({
    showDetails: ({ id }) => openPanel(id),
    pause: pausing.pause,
    resume: pausing.resume,
    askToRemove: (domain) => {
      focusNext.current = domain.id;
      setAsked(domain);
    },
  });
  const closePanelAndReturn = () => {
    closePanel();
    if (openId === null) return;
    const opener = panelOpener(openId);
    if (opener) opener.focus();
    else stepping.goTo(openId);
  };
  const openSearch = () => {
    // Laid out at once, so that the keyboard of a phone comes up with the tap.
    flushSync(() => setIsSearchOpen(true));
    searchInput.current?.focus();
    searchInput.current?.select();
  };

  const act = (command: KeyCommand): boolean => {
    const focusedId = focusedDomainId();
    const subject = list.loaded.find(({ id }) => id === focusedId) ?? opened;
    switch (command.type) {
      case 'search':
        openSearch();
        return true;
      case 'add':
        onAdd();
        return true;
      case 'step':
        return stepping.step(command.by);
      case 'refresh':
        if (subject) actions.refresh(subject);
        return subject !== null;
      case 'remove':
        if (subject) actions.askToRemove(subject);
        return subject !== null;
      case 'view':
        change({ view: view === 'grid' ? 'list' : 'grid' });
        return true;
      case 'sort':
        change({ sort: nextSort(filter.sort) });
        return true;
      case 'chip':
        change({ status: chipsOf(summary.data, search.status)[command.index]?.status });
        return true;
      case 'help':
        setHelpOpen(true);
        return true;
      default:
        if (openId !== null) closePanelAndReturn();
        else if (search.q !== undefined) change({ q: undefined }, { replace: true });
        else return false;
        return true;
    }
  };
  useDashboardKeys(act);

  const sentence =
    summary.data &&
    dashboardSentence({
      summary: summary.data,
      limit: isSubscribed || isPlanLoading ? null : limits.free_domains,
      now,
    });
  const hasNoSummary = !isLoading && summary.isError && !summary.data;

  return (
    <div className="wrap pb-28 md:pb-12">
      <DashboardHead {...(isLoading ? LOADING : (sentence ?? UNKNOWN))} />
      {hasNoSummary ? (
        <SummaryFailed isRetrying={summary.isFetching} onRetry={() => void summary.refetch()} />
      ) : (
        <ExpiryHorizon summary={isLoading ? null : (summary.data ?? null)} now={now} />
      )}
      <Toolbar
        summary={summary.data}
        searchInput={searchInput}
        isSearchOpen={isSearchOpen}
        onOpenSearch={openSearch}
        onLeaveSearch={() => setIsSearchOpen(false)}
        onAdd={onAdd}
      >
        <ExportCsv filter={filter} />
      </Toolbar>
      <SelectionBar />
      <DomainsList
        list={list}
        view={view}
        isLoading={isLoading}
        now={now}
        openId={openId}
        actions={actions}
        target={stepping.target}
        onReached={stepping.onReached}
        onClearFilter={() => change({ q: undefined, status: undefined, tag: undefined })}
      />
      <p className="mt-8 text-right text-label text-fg-3 max-md:hidden">
        <button
          type="button"
          className="rounded-1 underline-offset-2 hover:text-fg hover:underline"
          onClick={() => setHelpOpen(true)}
        >
          Keyboard shortcuts
        </button>
      </p>
      <AddBar onAdd={onAdd} />

      <DomainPanel domain={opened} now={now} actions={actions} onClose={closePanelAndReturn} />
      <SwapDomainDialog
        domain={pausing.swapping}
        limit={limits.free_domains}
        isBusy={pausing.isSwapping}
        onSwap={pausing.swap}
        onClose={pausing.cancelSwap}
      />
      <RemoveDomainDialog
        domain={asked}
        onClose={() => setAsked(null)}
        onRemove={({ id }) => {
          const index = list.indexOf(id);
          focusNext.current = index < 0 ? undefined : (list.at(index + 1) ?? list.at(index - 1))?.id;
          if (id === openId) closePanel();
        }}
        focusAfterClose={() => (focusNext.current === undefined ? null : cardElement(focusNext.current))}
      />
      <ShortcutsDialog open={isHelpOpen} onOpenChange={setHelpOpen} />
    </div>
  );
}
