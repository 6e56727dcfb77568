import { Navigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { checkCurrentUser } from '../features/session/session.ts';
import { BlankPage } from './blank-page.tsx';

/** The root path: the dashboard for who is signed in, the landing page for everyone else. */
export function Home() {
  const [signedIn, setSignedIn] = useState<boolean | null>(null);
  useEffect(() => {
    const check = async () => setSignedIn((await checkCurrentUser()) !== null);
    void check();
  }, []);
  if (signedIn === null) return <BlankPage />;
  return <Navigate to={signedIn ? '/dashboard' : '/landing'} replace />;
}
