import { type ComponentType, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { exportDomains } from '../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import type { DomainGrouping } from '../../../contract/words.ts';
import { type DomainActions, panelOpener } from '../../domain/domain-actions.tsx';
import { NO_FILTER } from '../../domain/domain-filter.ts';
import { ExportCsv } from '../../domain/export-csv.tsx';
import type { PanelSectionName } from '../../lib/dashboard-search.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useNow } from '../../lib/use-now.ts';
import { lazyAfterPause, lazyDialog, lazyPart, OPEN_PROPS } from '../../ui/lazy.tsx';
import { useDashboardCommands } from './keyboard/use-dashboard-commands.ts';
import type { DomainGroupsProps } from './list/domain-groups.tsx';
import { DomainsList } from './list/domains-list.tsx';
import type { DomainList } from './list/use-domain-list.ts';
import { useStepping } from './list/use-stepping.ts';
import { type DomainSummary, Overview } from './overview.tsx';
import { useSelection } from './selection/selection-provider.tsx';
import { AddBar, Toolbar } from './toolbar/toolbar.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { useDomainActions, useRemoval } from './use-domain-actions.ts';
import { useOpenDomain, usePanelDomain } from './use-open-domain.ts';
import { usePausing } from './use-pausing.ts';

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

export interface PanelProps {
  /** The domain whose details are shown; null closes the panel. */
  domain: DomainWire | null;
  /** The section of the panel that is shown. */
  section: PanelSectionName;
  onSection: (section: PanelSectionName) => void;
  now: number;
  actions: DomainActions;
  onClose: () => void;
}

interface DomainsViewProps {
  Panel: ComponentType<PanelProps>;
  list: DomainList;
  summary: DomainSummary;
  /** True until the first responses have arrived. */
  isLoading: boolean;
  /** Suggestions that are shown below the list. */
  nextSteps: ReactNode;
  onAdd: () => void;
}

/** Shows the dashboard of an account with domains: headline, horizon, list and panel. */
export function DomainsView({ Panel, list, summary, isLoading, nextSteps, onAdd }: DomainsViewProps) {
  const now = useNow();
  const { limits } = usePublicConfig();
  const { search, filter, view, change } = useDashboardSearch();
  const { openId, open, close, stepping, panel } = usePanel(list);
  const listHeading = useRef<HTMLHeadingElement>(null);
  const field = useSearchInput();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const removal = useRemoval(list, openId, close);
  const pausing = usePausing();
  const actions = useDomainActions({
    showDetails: ({ id }) => open(id),
    pause: pausing.pause,
    resume: pausing.resume,
    askToRemove: removal.ask,
  });
  const showHelp = () => setHelpOpen(true);
  useDashboardCommands({
    list,
    opened: panel.domain,
    actions,
    onAdd,
    onSearch: field.open,
    onHelp: showHelp,
    onStep: stepping.step,
    closePanel: panel.onClose,
  });
  return (
    <div className="wrap pb-28 md:pb-12">
      <Overview
        summary={summary}
        list={list}
        isLoading={isLoading}
        now={now}
        onAttention={() => listHeading.current?.scrollIntoView()}
      />
      <Toolbar
        summary={summary.data}
        searchInput={field.input}
        hits={list.isPlaceholder ? null : list.total}
        isSearchOpen={field.isOpen}
        onOpenSearch={field.open}
        onLeaveSearch={field.leave}
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
            if (!isLoading && summary.isError && !summary.data) void summary.refetch();
          }}
          onClearFilter={() => change(NO_FILTER)}
        />
      </Grouped>
      {!isLoading && nextSteps}
      <ShortcutsLink onOpen={showHelp} />
      <AddBar onAdd={onAdd} />

      <Panel now={now} actions={actions} {...panel} />
      <SwapDomainDialog limit={limits.free_domains} {...pausing.dialog} />
      <RemoveDomainDialog {...removal.dialog} />
      <ShortcutsDialog open={isHelpOpen} onOpenChange={setHelpOpen} />
    </div>
  );
}

/** Opens the panel of a domain and steps through the domains. When the panel closes, the focus returns to what opened it. */
function usePanel(list: DomainList) {
  const { openId, open, close, section, showSection } = useOpenDomain();
  const domain = usePanelDomain(list);
  const stepping = useStepping(list, openId, open);
  /** Closes the panel. Returns whether it was open. */
  const onClose = (): boolean => {
    close();
    if (openId === null) return false;
    const opener = panelOpener(openId);
    if (opener) opener.focus();
    else stepping.goTo(openId);
    return true;
  };
  return { openId, open, close, stepping, panel: { domain, section, onSection: showSection, onClose } };
}

/** Opens and focuses the search field, which is hidden on a phone until it is needed. */
function useSearchInput() {
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = () => {
    // Rendered synchronously, so that the phone's keyboard opens with the tap.
    flushSync(() => setIsOpen(true));
    input.current?.focus();
    input.current?.select();
  };
  return { input, isOpen, open, leave: () => setIsOpen(false) };
}

function ShortcutsLink({ onOpen }: { onOpen: () => void }) {
  return (
    <p className="mt-8 text-right text-label text-fg-3 max-md:hidden">
      <button
        type="button"
        className="rounded-1 underline-offset-2 hover:text-fg hover:underline"
        onClick={onOpen}
      >
        Keyboard shortcuts
      </button>
    </p>
  );
}

/** Shows the list, below the heading of its group if it is grouped. */
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
