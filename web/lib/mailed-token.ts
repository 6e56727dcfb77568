import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The token of a mailed link; the login carries the one of a verification link. */
    mailedToken?: string;
    /** The code of an invitation to sign up. */
    invitation?: string;
  }
}

/**
 * Returns the token that a link carries behind `#`, where no server sees it; empty without one. Moves it into the state of this history
 * entry, which no address bar shows and a reload keeps.
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
