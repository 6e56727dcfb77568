import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The token of an emailed link. If the link needs a login first, the login page passes the token on. */
    mailedToken?: string;
    /** The code of an invitation. */
    invitation?: string;
  }
}

/**
 * Returns the token in the URL's fragment, which browsers do not send to servers; empty if there is none. Moves the token
 * into the state of the history entry: the address bar does not show it there, and a reload keeps it.
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
