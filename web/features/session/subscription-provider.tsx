import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useCurrentUser } from '../../lib/current-user.ts';
import { SubscriptionContext } from '../../lib/subscription.ts';
import { fetchSubscriptionToken } from './session-calls.ts';
import { readSubscriptionToken } from './subscription-token.ts';

const SUBSCRIPTION = 'subscription';

/** Reads the plan of the signed-in user: again when older than 60 s, and when the window regains focus. */
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
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
  });
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
