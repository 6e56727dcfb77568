import { Link, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { OIDC_FAILURES } from '../../../contract/oidc-failure.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from '../../ui/auth-card.tsx';
import { announceSignIn, failureOf } from './identity/popup.ts';

/** Where another provider sends the sign-in window back to: tells the page that opened it, and closes. */
export function SignedInPage() {
  const { error } = useSearch({ from: '/signed-in' });
  const failure = error === undefined ? null : failureOf(error);
  usePageTitle(failure ? 'Sign-in failed' : 'Signed in');
  useEffect(() => {
    announceSignIn(failure ? { type: 'failed', failure } : { type: 'done' });
    window.close();
  }, [failure]);
  return (
    <AuthCard
      title={failure ? 'Sign-in failed' : 'Signed in'}
      subtitle={failure ? OIDC_FAILURES[failure] : 'The page that you came from goes on by itself.'}
      elsewhere={
        <>
          You can close this window, or{' '}
          <Link to="/login" className="link">
            go to the login
          </Link>
          .
        </>
      }
    />
  );
}
