import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { z } from 'zod';
import { standingSchema } from '../../contract/account.ts';
import type { StandingWire } from '../../contract/account.ts';
import { api } from './api-client.ts';
import { useLiveEvents } from './live-events-context.ts';
import { useSubscription } from './subscription.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const standingAnswer = z.object({ data: standingSchema });

const STANDING = queryOptions({
  queryKey: ['standing'],
  queryFn: async ({ signal }): Promise<StandingWire> =>
    (await api('/user/standing', { schema: standingAnswer, signal })).data,
  staleTime: MINUTE_MS,
});

/**
 * What the account has and until when, for what the page tells; null until it is known. Read again when older than 60 s
 * and when the window regains focus. Only below a protected route.
 */
export function useStanding(): StandingWire | null {
  const { data } = useQuery({ ...STANDING, refetchOnWindowFocus: 'always' });
  return data ?? null;
}

/** Asks the server now; everything that shows the standing follows. */
export function useReadStanding(): () => Promise<StandingWire> {
  const queryClient = useQueryClient();
  return useCallback(() => queryClient.fetchQuery({ ...STANDING, staleTime: 0 }), [queryClient]);
}

/** Reads the standing again after a change of domains that may have confirmed or removed some that waited for it. */
export function rereadUnconfirmed(queryClient: QueryClient): void {
  const known = queryClient.getQueryData(STANDING.queryKey);
  if (known !== undefined && known.paused_unconfirmed > 0)
    void queryClient.invalidateQueries({ queryKey: STANDING.queryKey });
}

/** Reads everything again that tells of the plan. */
export function useRereadPlan(): () => void {
  const queryClient = useQueryClient();
  const { refetch } = useSubscription();
  return useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: STANDING.queryKey });
    void refetch();
  }, [queryClient, refetch]);
}

/** Reads the plan again whenever the server says that the account changed; mounted once. */
export function useLivePlan(): void {
  const reread = useRereadPlan();
  useLiveEvents(({ event }) => {
    if (event === 'account') reread();
  });
}
