import { useQueryClient } from '@tanstack/react-query';
import { Navigate, Outlet } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { loadIdentity } from '../features/session/identity/load-identity.ts';
import { authRecord } from '../features/session/page-auth-record.ts';
import { onSessionElsewhere } from '../features/session/session-channel.ts';
import { checkCurrentUser, endSession, forgetSession } from '../features/session/session.ts';
import { SubscriptionProvider } from '../features/session/subscription-provider.tsx';
import { messageOf } from '../lib/api-error.ts';
import { currentUserOf, SignedInContext } from '../lib/current-user.ts';
import type { CurrentUser } from '../lib/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { forgetUser } from '../lib/query-client.ts';
import { onRefresh } from '../lib/session-refresh.ts';
import { toast } from '../ui/toast.tsx';
import { BlankPage } from './blank-page.tsx';
import { LiveEventsProvider } from './live-events-provider.tsx';
import { Shell } from './shell.tsx';

/** undefined: not known yet; null: nobody. */
type Known = CurrentUser | null | undefined;

/** Follows who is signed in, here and in the other tabs. */
function useSession(): [Known, (user: Known) => void] {
  const [user, setUser] = useState<Known>(undefined);
  const userId = user?.id;

  useEffect(() => {
    if (user !== undefined) return undefined;
    let stale = false;
    const check = async () => {
      const found = await checkCurrentUser();
      if (!stale) setUser(found);
    };
    void check();
    return () => {
      stale = true;
    };
  }, [user]);

  useEffect(
    () =>
      onRefresh({
        refreshed: async (wire) => {
          const refreshed = currentUserOf(wire);
          await authRecord.store(refreshed);
          setUser(refreshed);
        },
        ended: () => {
          authRecord.remove();
          setUser(null);
        },
      }),
    [],
  );

  useEffect(
    () =>
      onSessionElsewhere((change) => {
        if (change.type === 'started' && change.userId === userId) return;
        authRecord.remove();
        // Someone else signed in over there: the cookies are theirs now, and so must be this tab.
        setUser(change.type === 'started' ? undefined : null);
      }),
    [userId],
  );

  return [user, setUser];
}

/** Lets the signed-in user through to the pages below, in the shell; everyone else goes to /login. */
export function Protected() {
  const [user, setUser] = useSession();
  const queryClient = useQueryClient();
  const { identity: provider } = usePublicConfig();

  useEffect(() => {
    if (!user) forgetUser(queryClient);
  }, [user, queryClient]);

  const signedIn = useMemo(
    () =>
      user && {
        user,
        replaceUser: (next: CurrentUser) => {
          void authRecord.store(next);
          setUser(next);
        },
        logOut: async () => {
          try {
            await endSession(provider);
          } catch (error) {
            toast.error(`Failed to logout: ${messageOf(error)}`);
          }
          setUser(null);
        },
        leave: async () => {
          forgetSession();
          setUser(null);
        },
        identity: () => loadIdentity(provider),
      },
    [user, setUser, provider],
  );

  if (signedIn === undefined) return <BlankPage />;
  if (signedIn === null) return <Navigate to="/login" replace />;
  return (
    <SignedInContext value={signedIn}>
      {/* A different user gets fresh pages. */}
      <SubscriptionProvider key={signedIn.user.id}>
        <LiveEventsProvider>
          <Shell>
            <Outlet />
          </Shell>
        </LiveEventsProvider>
      </SubscriptionProvider>
    </SignedInContext>
  );
}
