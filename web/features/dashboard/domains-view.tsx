import { type ComponentType, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { DomainWire } from '../../../contract/domain.ts';
import type { DomainGrouping } from '../../../contract/words.ts';
import type { PanelSectionName } from '../../lib/dashboard-search.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/account/plan.ts';
import { useNow } from '../../lib/use-now.ts';
import { lazyAfterPause, lazyDialog, lazyPart, OPEN_PROPS } from '../../ui/lazy.tsx';
import { cardElement, type DomainActions, panelOpener } from '../../domain/domain-actions.tsx';
import type { useDomainSummary } from '../../domain/domain-queries.ts';
import { AttentionChips, DashboardHead } from './dashboard-head.tsx';
import { ExpiryHorizon } from './horizon/expiry-horizon.tsx';
import { focusedDomainId, useDashboardKeys } from './keyboard/use-dashboard-keys.ts';
import type { KeyCommand } from './keyboard/key-map.ts';
import { DomainsList } from './list/domains-list.tsx';
import type { DomainGroupsProps } from './list/domain-groups.tsx';
import type { DomainList } from './list/use-domain-list.ts';
import { checkDomain, exportDomains } from '../../../contract/calls/domain.ts';
import { ExportCsv } from '../../domain/export-csv.tsx';
import { dashboardSentence, type DashboardSentence } from './sentence.ts';
import { nextSort, statusOfKey } from './toolbar/choices.ts';
import { AddBar, Toolbar } from './toolbar/toolbar.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { useOpenDomain, usePanelDomain } from './use-open-domain.ts';
import { usePausing } from './use-pausing.ts';
import { Spinner } from '../../ui/loading.tsx';
import { call } from '../../lib/api-client.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { useWrite } from '../../lib/use-write.ts';
import { NO_FILTER } from '../../domain/domain-filter.ts';
import { useStepping } from './list/use-stepping.ts';
import { useSelection } from './selection/selection-provider.tsx';

const SelectionActions = lazyPart(
  async () => (await import('./selection/selection-actions.tsx')).SelectionActions,
);

const DomainGroups = lazyPart(async () => (await import('./list/domain-groups.tsx')).DomainGroups);

const PrintedDomains = lazyAfterPause(
  async () => (await import('./list/printed-domains.tsx')).PrintedDomains,
);

const SwapDomainDialog = lazyDialog(async () => (await import('./swap-domain-dialog.tsx')).SwapDomainDialog, {
  isOpen: ({ domain }) => domain !== null,
  close: ({ onClose }) => onClose(),
});

const RemoveDomainDialog = lazyDialog(
  async () => (await import('./remove-domain-dialog.tsx')).RemoveDomainDialog,
  { isOpen: ({ domain }) => domain !== null, close: ({ onClose }) => onClose(), isPreloaded: true },
);

const ShortcutsDialog = lazyDialog(
  async () => (await import('./keyboard/shortcuts-dialog.tsx')).ShortcutsDialog,
  OPEN_PROPS,
);

const UNKNOWN: DashboardSentence = { headline: [{ text: 'Domains', isHost: false }], detail: [] };
const LOADING: DashboardSentence = {
  ...UNKNOWN,
  detail: [[{ text: 'Loading your domains', isHost: false }]],
};

export interface PanelProps {
  /** The domain whose details are shown; null closes the panel. */
  domain: DomainWire | null;
  /** Which of its sections is shown. */
  section: PanelSectionName;
  onSection: (section: PanelSectionName) => void;
  now: number;
  actions: DomainActions;
  onClose: () => void;
}

interface DomainsViewProps {
  Panel: ComponentType<PanelProps>;
  list: DomainList;
  summary: ReturnType<typeof useDomainSummary>;
  /** The first responses have not arrived. */
  isLoading: boolean;
  /** Shown below the list. */
  nextSteps: ReactNode;
  onAdd: () => void;
}

/** Shows the dashboard of an account with domains: headline, horizon, list and panel. */
export function DomainsView({ Panel, list, summary, isLoading, nextSteps, onAdd }: DomainsViewProps) {
  const now = useNow();
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const { search, filter, view, change } = useDashboardSearch();
  const { openId, open: openPanel, close: closePanel, section, showSection } = useOpenDomain();
  const opened = usePanelDomain(list);
  const stepping = useStepping(list, openId, openPanel);
  const searchInput = useRef<HTMLInputElement>(null);
  const listHeading = useRef<HTMLHeadingElement>(null);
  const [isSearchOpen, setIsSearchOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [asked, setAsked] = useState<DomainWire | null>(null);
  // The row that gets focus after the removal dialog: its own, or a neighbour if it was removed.
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
    // Rendered synchronously, so that the phone's keyboard opens with the tap.
    flushSync(() => setIsSearchOpen(true));
    searchInput.current?.focus();
    searchInput.current?.select();
  };

  const showAttention = () => {
    change({ ...NO_FILTER, status: 'attention' });
    listHeading.current?.scrollIntoView();
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
      case 'filter':
        change({ status: statusOfKey(command.place) });
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
      <DashboardHead {...(isLoading ? LOADING : (sentence ?? UNKNOWN))}>
        {!isLoading && summary.data && (
          <AttentionChips attention={summary.data.attention} now={now} onShowAll={showAttention} />
        )}
      </DashboardHead>
      {hasNoSummary ? (
        // The list's error stands for both.
        list.error === null && (
          <SummaryFailed isRetrying={summary.isFetching} onRetry={() => void summary.refetch()} />
        )
      ) : (
        <ExpiryHorizon summary={isLoading ? null : (summary.data ?? null)} now={now} list={list} />
      )}
      <Toolbar
        summary={summary.data}
        searchInput={searchInput}
        hits={list.isPlaceholder ? null : list.total}
        isSearchOpen={isSearchOpen}
        onOpenSearch={openSearch}
        onLeaveSearch={() => setIsSearchOpen(false)}
        onAdd={onAdd}
      >
        <ExportCsv file={exportDomains} query={{ ...filter }} what="domains" />
      </Toolbar>
      <PrintedDomains filter={filter} />
      <SelectionBar />
      <h2 ref={listHeading} className="sr-only">
        Domains
      </h2>
      <Grouped by={search.group} filter={filter} onChange={change}>
        <DomainsList
          list={list}
          view={view}
          isLoading={isLoading}
          now={now}
          openId={openId}
          actions={actions}
          target={stepping.target}
          onReached={stepping.onReached}
          onRetry={() => {
            list.retry();
            if (hasNoSummary) void summary.refetch();
          }}
          onClearFilter={() => change(NO_FILTER)}
        />
      </Grouped>
      {!isLoading && nextSteps}
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

      <Panel
        domain={opened}
        section={section}
        onSection={showSection}
        now={now}
        actions={actions}
        onClose={closePanelAndReturn}
      />
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

/** Replaces the horizon if only the summary failed to load. */
function SummaryFailed({ isRetrying, onRetry }: { isRetrying: boolean; onRetry: () => void }) {
  return (
    <p role="alert" className="flex items-center gap-2 text-label text-fg-2">
      Could not load the overview. Your monitoring keeps running.
      <button
        type="button"
        className="link shrink-0 whitespace-nowrap"
        onClick={onRetry}
        disabled={isRetrying}
      >
        Try again
      </button>
      {isRetrying && <Spinner className="size-3.5 text-fg-3" />}
    </p>
  );
}

/** Returns the actions of cards, rows, keys and panel. The object never changes, so rows do not rerender. */
function useDomainActions(given: Omit<DomainActions, 'refresh'>): DomainActions {
  const cache = useDomainCache();
  const refresh = useWrite({
    mutationFn: ({ id }: DomainWire) => call(checkDomain, { params: { id } }),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.error(failureText(error, 'Could not start the check: ')),
  });
  const latest = useRef({ ...given, refresh: refresh.mutate });
  useEffect(() => {
    latest.current = { ...given, refresh: refresh.mutate };
  });
  return useMemo(
    () => ({
      refresh: (domain) => {
        if (domain.paused === null) latest.current.refresh(domain);
        else toast.info('This domain is paused. Resume it to check it.');
      },
      showDetails: (domain) => latest.current.showDetails(domain),
      pause: (domain) => latest.current.pause(domain),
      resume: (domain) => latest.current.resume(domain),
      askToRemove: (domain) => latest.current.askToRemove(domain),
    }),
    [],
  );
}

/** Puts the list below the heading of its group, if it is grouped. */
function Grouped({
  by,
  children,
  ...rest
}: Omit<DomainGroupsProps, 'by'> & { by: DomainGrouping | undefined }) {
  if (by === undefined) return children;
  return (
    <DomainGroups by={by} {...rest}>
      {children}
    </DomainGroups>
  );
}

/** Actions on the selection. Its code loads with the first selection. */
function SelectionBar() {
  const { isSelecting } = useSelection();
  const [isNeeded, setIsNeeded] = useState(isSelecting);
  if (isSelecting && !isNeeded) setIsNeeded(true);
  if (!isNeeded) return null;
  return <SelectionActions />;
}
