import type { ComponentType } from 'react';
import { cardElement } from '../../domain/domain-actions.tsx';
import { isUnfiltered } from '../../domain/domain-filter.ts';
import { useDomainSummary } from '../../domain/domain-queries.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useNow } from '../../lib/use-now.ts';
import { lazyAfterPause, lazyDialog, lazyPart, OPEN_PROPS } from '../../ui/lazy.tsx';
import type { DialogProps, OpenState } from '../../ui/dialog.tsx';
import { useDelayed } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { useAdding } from './adding/use-adding.ts';
import { DomainsView, type PanelProps } from './domains-view.tsx';
import { useDomainList } from './list/use-domain-list.ts';
import { SelectionProvider } from './selection/selection-provider.tsx';
import { useDashboardSearch } from './use-dashboard-search.ts';

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

const SKELETON_AFTER_MS = 150;

interface DashboardPageProps {
  Panel: ComponentType<PanelProps>;
  ImportDialog: ComponentType<OpenState & Pick<DialogProps, 'focusAfterClose'>>;
}

/** Shows the empty dashboard, or the headline, the list and the panel. */
export function DashboardPage({ Panel, ImportDialog }: DashboardPageProps) {
  usePageTitle('Domains');
  const { filter } = useDashboardSearch();
  const list = useDomainList(filter);
  const summary = useDomainSummary();
  const { limits } = usePublicConfig();
  const isLate = useDelayed(SKELETON_AFTER_MS);
  const now = useNow();

  // A filtered list does not tell the number of all domains.
  const tracked = isUnfiltered(list.filter) ? list.total : (summary.data?.total ?? null);
  const isEmpty = tracked === 0;
  const { shown, show, start, addedRow, outcome, clearDraft } = useAdding(tracked);

  // The list waits for the summary, unless its first attempt failed.
  const isSentenceDue = summary.isPending && summary.failureCount === 0;
  const isLoading = (list.total === null && list.error === null) || (!isEmpty && isSentenceDue);
  if (isLoading && !isLate) return null;
  return (
    <SelectionProvider filter={list.filter} total={list.total ?? 0} loaded={list.loaded}>
      {isEmpty ? (
        <EmptyDashboard onAdd={() => show('form')} {...outcome} />
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
                onAdd={start}
              />
            )
          }
          onAdd={start}
        />
      )}
      <AddDomainDialog
        open={shown === 'form'}
        onOpenChange={(open) => show(open ? 'form' : 'closed')}
        tracked={tracked ?? 0}
        {...outcome}
        focusAfterClose={addedRow}
      />
      <ImportDialog
        open={shown === 'many'}
        onOpenChange={(open) => show(open ? 'many' : 'closed')}
        focusAfterClose={() => cardElement(list.loaded[0]?.id)}
      />
      <LimitNoticeDialog
        open={shown === 'limit'}
        onOpenChange={() => {
          show('closed');
          clearDraft();
        }}
        limit={limits.free_domains}
        tracked={tracked ?? 0}
      />
    </SelectionProvider>
  );
}
