import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { StandingWire } from '../../../contract/account.ts';
import { standing } from '../../../contract/calls/session.ts';
import { call } from '../api-client.ts';
import { useLiveEvents } from '../live-events-context.ts';
import { useSubscription, useUpgrade } from './plan.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const STANDING = queryOptions({
  queryKey: ['standing'],
  queryFn: ({ signal }) => call(standing, { signal }),
  staleTime: MINUTE_MS,
});

/**
 * Returns the account's plan and what needs its owner's attention, for display; null until loaded. Reads it again when older
 * than 60 s and when the window regains focus. Needs a session, so use it in protected routes.
 */
export function useStanding(): StandingWire | null {
  const { data } = useQuery({ ...STANDING, refetchOnWindowFocus: 'always' });
  return data ?? null;
}

/** Returns a function that reads the standing now and updates all views. */
export function useReadStanding(): () => Promise<StandingWire> {
  const queryClient = useQueryClient();
  return useCallback(() => queryClient.fetchQuery({ ...STANDING, staleTime: 0 }), [queryClient]);
}

/** Reads the standing again after domains were resumed or removed, because it has the number of domains that wait for confirmation. */
export function rereadUnconfirmed(queryClient: QueryClient): void {
  const known = queryClient.getQueryData(STANDING.queryKey);
  if (known !== undefined && known.paused_unconfirmed > 0)
    void queryClient.invalidateQueries({ queryKey: STANDING.queryKey });
}

/** Returns a function that rereads everything about the plan. */
export function useRereadPlan(): () => void {
  const queryClient = useQueryClient();
  const { refetch } = useSubscription();
  return useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: STANDING.queryKey });
    void refetch();
  }, [queryClient, refetch]);
}

/** Rereads the plan on the server's account events; mounted once. */
export function useLivePlan(): void {
  const reread = useRereadPlan();
  useLiveEvents(({ event }) => {
    if (event === 'account') reread();
  });
}

/** Returns the label of the upgrade button; null if nothing is sold. */
export function useOffer(): string | null {
  const { isSubscribed, loading } = useSubscription();
  const { isSold } = useUpgrade();
  const standing = useStanding();
  if (!isSold) return null;
  // While the token is being read, or read again after a failure, the plan may already be known from the standing.
  const isFree = loading ? standing?.plan === 'free' : !isSubscribed;
  if (isFree) return 'Upgrade to Premium';
  // True during a trial or granted Premium with an end: the account can already buy Premium.
  const endsUnpaid = standing?.ends_at && (standing.source === 'trial' || standing.source === 'grant');
  return endsUnpaid ? 'Keep Premium' : null;
}
