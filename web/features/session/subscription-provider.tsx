import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useMemo } from 'react';
import { useCurrentUser } from '../../lib/account/current-user.ts';
import { SubscriptionContext } from '../../lib/account/plan.ts';
import { fetchSubscriptionToken, readSubscriptionToken, RefusedToken } from './subscription-token.ts';
import { mayRetry } from '../../lib/query-client.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const SUBSCRIPTION = 'subscription';
const STALE_MS = MINUTE_MS;

/**
 * Provides the plan of the signed-in user. Refetches it every 60 s, on navigation if it is older than 60 s, and whenever the window gets
 * the focus.
 */
export function SubscriptionProvider({ children }: { children: ReactNode }) {
  const { id } = useCurrentUser();
  const queryClient = useQueryClient();
  const { data, isPending } = useQuery({
    queryKey: [SUBSCRIPTION, id],
    queryFn: async ({ signal }) => {
      const { token, now } = await fetchSubscriptionToken(signal);
      return readSubscriptionToken(token, {
        userId: id,
        now,
        subtle: (window.crypto as Partial<Crypto>).subtle,
      });
    },
    staleTime: STALE_MS,
    refetchInterval: STALE_MS,
    refetchOnWindowFocus: 'always',
    // A refused token is not requested again: the next one would be refused as well, and until then no page could show the
    // plan.
    retry: (failures, error) => !(error instanceof RefusedToken) && mayRetry(failures, error),
  });
  const rereadStale = useEffectEvent(() => {
    void queryClient.refetchQueries({ queryKey: [SUBSCRIPTION, id], stale: true });
  });
  const router = useRouter();
  useEffect(
    () => router.subscribe('onResolved', ({ pathChanged }) => pathChanged && rereadStale()),
    [router],
  );
  const value = useMemo(
    () => ({
      isSubscribed: data?.isSubscribed ?? false,
      expiresAt: data ? new Date(data.expiresAt) : null,
      loading: isPending,
      refetch: () => queryClient.invalidateQueries({ queryKey: [SUBSCRIPTION, id] }),
    }),
    [data, isPending, queryClient, id],
  );
  return <SubscriptionContext value={value}>{children}</SubscriptionContext>;
}
