import { useQueryClient } from '@tanstack/react-query';
import { Navigate, Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { loadIdentity } from '../features/session/identity/load-identity.ts';
import { authRecord } from '../features/session/page-auth-record.ts';
import { onSessionElsewhere } from '../features/session/session-channel.ts';
import { checkCurrentUser, endSession, forgetSession } from '../features/session/session.ts';
import { SubscriptionProvider } from '../features/session/subscription-provider.tsx';
import { messageOf } from '../lib/api-error.ts';
import { currentUserOf, SignedInContext } from '../lib/current-user.ts';
import type { CurrentUser } from '../lib/current-user.ts';
import { forgetDrafts } from '../lib/draft.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { forgetUser } from '../lib/query-client.ts';
import { returnAddress } from '../lib/return-address.ts';
import { onRefresh } from '../lib/session-refresh.ts';
import { toast } from '../ui/toast.tsx';
import { BlankPage } from './blank-page.tsx';
import { LiveEventsProvider } from './live-events-provider.tsx';
import { Shell } from './shell.tsx';

/** 'lost': nobody, or nobody any more; 'left': nobody by somebody's own choice. */
type Known = CurrentUser | 'unknown' | 'lost' | 'left';

const userOf = (known: Known): CurrentUser | null => (typeof known === 'string' ? null : known);

/** Follows who is signed in, here and in the other tabs. */
function useSession(): [Known, (known: Known) => void] {
  const [known, setKnown] = useState<Known>('unknown');
  const userId = userOf(known)?.id;

  useEffect(() => {
    if (known !== 'unknown') return undefined;
    let stale = false;
    const check = async () => {
      const found = await checkCurrentUser();
      if (!stale) setKnown(found ?? 'lost');
    };
    void check();
    return () => {
      stale = true;
    };
  }, [known]);

  useEffect(
    () =>
      onRefresh({
        refreshed: async (wire) => {
          const refreshed = currentUserOf(wire);
          await authRecord.store(refreshed);
          setKnown(refreshed);
        },
        ended: () => {
          authRecord.remove();
          setKnown('lost');
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
        setKnown(change.type === 'started' ? 'unknown' : 'left');
      }),
    [userId],
  );

  // What was typed waits for who typed it, as long as they have not said that they are done.
  useEffect(() => {
    if (userId !== undefined) forgetDrafts(userId);
    else if (known === 'left') forgetDrafts();
  }, [userId, known]);

  return [known, setKnown];
}

/** Lets the signed-in user through to the pages below, in the shell; everyone else goes to /login. */
export function Protected() {
  const [known, setKnown] = useSession();
  const user = userOf(known);
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
          setKnown(next);
        },
        logOut: async () => {
          try {
            await endSession(provider);
          } catch (error) {
            toast.error(`Failed to logout: ${messageOf(error)}`);
          }
          setKnown('left');
        },
        leave: async () => {
          forgetSession();
          setKnown('left');
        },
        identity: () => loadIdentity(provider),
      },
    [user, setKnown, provider],
  );

  if (known === 'unknown') return <BlankPage />;
  if (signedIn === null) return <ToLogin comesBack={known === 'lost'} />;
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

/** To the login, which leads back to this page unless it was left by choice. */
function ToLogin({ comesBack }: { comesBack: boolean }) {
  const router = useRouter();
  // As it is now: the address is another one as soon as the way to the login has begun.
  const [next] = useState(() => (comesBack ? returnAddress(router.latestLocation.href) : undefined));
  const search = next === undefined || next === '/dashboard' ? {} : { next };
  return <Navigate to="/login" search={search} replace />;
}
