import { Navigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { checkCurrentUser } from '../features/session/session.ts';
import { BlankPage } from './blank-page.tsx';

/** The root path: redirects signed-in users to the dashboard, and everyone else to the document of the landing page. */
export function Home() {
  const [isSignedIn, setSignedIn] = useState(false);
  useEffect(() => {
    const check = async () => {
      if ((await checkCurrentUser()) !== null) setSignedIn(true);
      else window.location.replace('/landing');
    };
    void check();
  }, []);
  return isSignedIn ? <Navigate to="/dashboard" replace /> : <BlankPage />;
}
