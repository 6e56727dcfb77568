import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The token of an emailed link. If a verification link needs a login first, the login page passes its token on. */
    mailedToken?: string;
    /** The code of an invitation. */
    invitation?: string;
  }
}

/**
 * Returns the token in the URL's fragment, which servers never see; empty if none. Moves it into the history entry's state,
 * which the address bar does not show and a reload keeps.
 */
export function useMailedToken(name: 'mailedToken' | 'invitation' = 'mailedToken'): string {
  const { hash, kept } = useLocation({
    select: ({ hash, state }) => ({ hash, kept: state[name] ?? '' }),
  });
  const navigate = useNavigate();
  useEffect(() => {
    if (hash === '') return;
    void navigate({ to: '.', search: true, hash: '', state: { [name]: hash }, replace: true });
  }, [hash, name, navigate]);
  return hash || kept;
}
