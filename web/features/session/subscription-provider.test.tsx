import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { spec } from '../../../tests/spec/spec.ts';
import { type SignedIn, SignedInContext } from '../../lib/account/current-user.ts';
import { type Subscription, useSubscription } from '../../lib/account/plan.ts';
import { SubscriptionProvider } from './subscription-provider.tsx';

const signedIn = { user: { id: 'a1' } } as SignedIn;
const EXPIRES_AT = Date.UTC(2026, 10, 21);

/** Returns the plan that a page sees while `queryClient` has these reads. */
function planOf(queryClient: QueryClient): Subscription {
  const seen: Subscription[] = [];
  function Page() {
    seen.push(useSubscription());
    return null;
  }
  renderToStaticMarkup(
    <QueryClientProvider client={queryClient}>
      <RouterContextProvider router={createRouter({ routeTree: createRootRoute() })}>
        <SignedInContext value={signedIn}>
          <SubscriptionProvider>
            <Page />
          </SubscriptionProvider>
        </SignedInContext>
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  const [plan] = seen;
  if (!plan) throw new Error('The page was not rendered');
  return plan;
}

it('useSubscription says whether and until when the user is subscribed, and can refetch', async () => {
  const queryClient = new QueryClient();
  expect(planOf(queryClient)).toMatchObject({ isSubscribed: false, expiresAt: null, loading: true });
  for (const isSubscribed of [true, false]) {
    queryClient.setQueryData(['subscription', 'a1'], { isSubscribed, expiresAt: EXPIRES_AT });
    expect(planOf(queryClient)).toMatchObject({
      isSubscribed,
      expiresAt: new Date(EXPIRES_AT),
      loading: false,
    });
  }
  await planOf(queryClient).refetch();
  expect(queryClient.getQueryState(['subscription', 'a1'])?.isInvalidated).toBe(true);
  spec(
    '2P.04',
    'Pages know whether the user is subscribed, until when, whether that is loading, and can read it again',
  );
});
