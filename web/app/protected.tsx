import { useQueryClient } from '@tanstack/react-query';
import { Navigate, Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { loadIdentity } from '../features/session/identity/load-identity.ts';
import { authRecord } from '../features/session/auth-record.ts';
import {
  checkCurrentUser,
  endSession,
  followRefreshes,
  forgetSession,
  onOtherTabSession,
} from '../features/session/session.ts';
import { SubscriptionProvider } from '../features/session/subscription-provider.tsx';
import { type CurrentUser, SignedInContext } from '../lib/account/current-user.ts';
import { forgetDrafts } from '../lib/drafts.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { returnAddress } from '../lib/search-parameters.ts';
import { toast } from '../ui/toast.tsx';
import { BlankPage } from './blank-page.tsx';
import { LiveEventsProvider } from './live-events-provider.tsx';
import { Shell } from './shell.tsx';

/** 'lost': nobody is signed in, or the session ended; 'left': the user signed out. */
type Known = CurrentUser | 'unknown' | 'lost' | 'left';

const userOf = (known: Known): CurrentUser | null => (typeof known === 'string' ? null : known);

/** Follows who is signed in, in this tab and in others. */
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

  useEffect(() => followRefreshes((refreshed) => setKnown(refreshed ?? 'lost')), []);

  useEffect(
    () =>
      onOtherTabSession((change) => {
        if (change.type === 'started' && change.userId === userId) return;
        authRecord.remove();
        // Another tab signed in as another user. The cookies now belong to that user, so this tab must switch too.
        setKnown(change.type === 'started' ? 'unknown' : 'left');
      }),
    [userId],
  );

  // Drafts are kept for the user who typed them, unless they signed out.
  useEffect(() => {
    if (userId !== undefined) forgetDrafts(userId);
    else if (known === 'left') forgetDrafts();
  }, [userId, known]);

  return [known, setKnown];
}

/** Shows the pages below in the shell to the signed-in user; sends everyone else to /login. */
export function Protected() {
  const [known, setKnown] = useSession();
  const user = userOf(known);
  const queryClient = useQueryClient();
  const { identity: provider } = usePublicConfig();

  useEffect(() => {
    if (!user) queryClient.clear();
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
            toast.failed('Failed to logout', error);
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
      {/* Remounts the pages for a different user. */}
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

/** Redirects to the login. With `comesBack`, the login returns to this page afterwards. */
function ToLogin({ comesBack }: { comesBack: boolean }) {
  const router = useRouter();
  // Read once: the address changes as soon as the redirect starts.
  const [next] = useState(() => (comesBack ? returnAddress(router.latestLocation.href) : undefined));
  const search = next === undefined || next === '/dashboard' ? {} : { next };
  return <Navigate to="/login" search={search} replace />;
}
