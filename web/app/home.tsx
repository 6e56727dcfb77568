import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { UserCheckPage, useUserCheck } from './user-check.tsx';

/** The root path: redirects signed-in users to the dashboard, and everyone else to the document of the landing page. */
export function Home() {
  const [isSignedIn, setSignedIn] = useState(false);
  const check = useUserCheck(!isSignedIn, (user) => {
    if (user !== null) setSignedIn(true);
    else window.location.replace('/landing');
  });
  return isSignedIn ? <Navigate to="/dashboard" replace /> : <UserCheckPage {...check} />;
}
