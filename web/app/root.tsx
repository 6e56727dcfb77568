import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { measureFor } from '../lib/analytics.ts';
import { usePublicConfig } from '../lib/public-config.ts';

const Toaster = lazy(async () => ({ default: (await import('../ui/toaster.tsx')).Toaster }));

// Nothing happens on these that a toast could tell of.
const QUIET_PATHS = ['/landing', '/terms', '/terms-of-use', '/privacy', '/privacy-policy'];

/** The page, and the toasts, which outlive a change of page. */
export function Root() {
  const { analytics_id: analyticsId } = usePublicConfig();
  useEffect(() => measureFor(analyticsId), [analyticsId]);
  const isQuiet = useLocation({ select: ({ pathname }) => QUIET_PATHS.includes(pathname) });
  const [hasToaster, setHasToaster] = useState(!isQuiet);
  if (!isQuiet && !hasToaster) setHasToaster(true);
  return (
    <>
      <Outlet />
      {hasToaster && (
        <Suspense>
          <Toaster />
        </Suspense>
      )}
    </>
  );
}
