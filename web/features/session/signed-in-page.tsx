import { Link, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { OIDC_FAILURES } from '../../../contract/oidc-failure.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from '../../ui/auth-card.tsx';
import { broadcastSignIn, failureOf } from './identity/popup.ts';

/** Ends a sign-in with another provider: reports to the page that opened the window and closes it. */
export function SignedInPage() {
  const { error } = useSearch({ from: '/signed-in' });
  const failure = error === undefined ? null : failureOf(error);
  usePageTitle(failure ? 'You are not logged in' : 'Signed in');
  useEffect(() => {
    broadcastSignIn(failure ? { type: 'failed', failure } : { type: 'done' });
    window.close();
  }, [failure]);
  return (
    <AuthCard
      title={failure ? 'You are not logged in' : 'Signed in'}
      subtitle={failure ? OIDC_FAILURES[failure] : 'The page you came from continues automatically.'}
      elsewhere={
        <>
          You can close this window, or{' '}
          <Link to="/login" className="link">
            go to the login page
          </Link>
          .
        </>
      }
    />
  );
}
