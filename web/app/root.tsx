import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { measureFor } from '../lib/analytics.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { useTakenOver } from '../lib/taken-over.ts';
import { lazyPart } from '../ui/lazy.tsx';
import { NoticeBar } from '../ui/notice-bar.tsx';
import { INSECURE_TEXT } from './insecure-text.ts';

const Toaster = lazyPart(async () => (await import('../ui/toaster.tsx')).Toaster);

// Nothing happens on these that a toast could tell of.
const QUIET_PATHS = ['/landing', '/terms', '/terms-of-use', '/privacy', '/privacy-policy'];

// The shell has a notice bar of its own.
const SHELL_PATHS = ['/dashboard', '/profile', '/alerts', '/status-page', '/billing-test'];

/** The page, and the toasts, which outlive a change of page. */
export function Root() {
  const { analytics_id: analyticsId, insecure_http: isInsecure } = usePublicConfig();
  useEffect(() => measureFor(analyticsId), [analyticsId]);
  const isQuiet = useLocation({ select: ({ pathname }) => QUIET_PATHS.includes(pathname) });
  const hasShell = useLocation({ select: ({ pathname }) => SHELL_PATHS.includes(pathname) });
  const isTakenOver = useTakenOver();
  const [hasToaster, setHasToaster] = useState(false);
  if (!isQuiet && isTakenOver && !hasToaster) setHasToaster(true);
  return (
    <>
      {isInsecure && !hasShell && <NoticeBar isCalm>{INSECURE_TEXT}</NoticeBar>}
      <Outlet />
      {hasToaster && <Toaster />}
    </>
  );
}
