import { usePublicConfig } from '../../lib/public-config.ts';
import { useSubscription } from '../../lib/account/plan.ts';
import { NO_FILTER } from '../../domain/domain-filter.ts';
import type { useDomainSummary } from '../../domain/domain-queries.ts';
import { Spinner } from '../../ui/loading.tsx';
import { AttentionChips, DashboardHead } from './dashboard-head.tsx';
import { ExpiryHorizon } from './horizon/expiry-horizon.tsx';
import type { DomainList } from './list/use-domain-list.ts';
import { dashboardSentence, type DashboardSentence } from './sentence.ts';
import { useDashboardSearch } from './use-dashboard-search.ts';
import { LinkButton } from '../../ui/button.tsx';

const UNKNOWN: DashboardSentence = { headline: [{ text: 'Domains', isHost: false }], detail: [] };
const LOADING: DashboardSentence = {
  ...UNKNOWN,
  detail: [[{ text: 'Loading your domains', isHost: false }]],
};

export type DomainSummary = ReturnType<typeof useDomainSummary>;

interface OverviewProps {
  summary: DomainSummary;
  list: DomainList;
  /** True until the first responses have arrived. */
  isLoading: boolean;
  now: number;
  /** Called after the list was filtered by the domains that need attention. */
  onAttention: () => void;
}

/** Shows the headline and the horizon of all domains. */
export function Overview({ summary, list, isLoading, now, onAttention }: OverviewProps) {
  const { limits } = usePublicConfig();
  const { isSubscribed, loading: isPlanLoading } = useSubscription();
  const { change } = useDashboardSearch();
  const known = (!isLoading && summary.data) || null;
  const limit = isSubscribed || isPlanLoading ? null : limits.free_domains;
  const sentence = known ? dashboardSentence({ summary: known, limit, now }) : UNKNOWN;
  const showAttention = () => {
    change({ ...NO_FILTER, status: 'attention' });
    onAttention();
  };
  return (
    <>
      <DashboardHead {...(isLoading ? LOADING : sentence)}>
        {known && <AttentionChips attention={known.attention} now={now} onShowAll={showAttention} />}
      </DashboardHead>
      {isLoading || known || !summary.isError ? (
        <ExpiryHorizon summary={known} now={now} list={list} />
      ) : (
        // If the list failed to load too, its error stands for both.
        list.error === null && (
          <SummaryFailed isRetrying={summary.isFetching} onRetry={() => void summary.refetch()} />
        )
      )}
    </>
  );
}

/** Replaces the horizon if only the summary failed to load. */
function SummaryFailed({ isRetrying, onRetry }: { isRetrying: boolean; onRetry: () => void }) {
  return (
    <p role="alert" className="flex items-center gap-2 text-label text-fg-2">
      Could not load the overview. Your monitoring keeps running.
      <LinkButton className="shrink-0 whitespace-nowrap" onClick={onRetry} disabled={isRetrying}>
        Try again
      </LinkButton>
      {isRetrying && <Spinner className="size-3.5 text-fg-3" />}
    </p>
  );
}
