import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { DayRuler } from '../ui/day-ruler.tsx';
import { usePageTitle } from '../ui/page-title.ts';

/** Nothing but the day ruler along the bottom. */
export function BlankPage({ children }: { children?: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <main className="flex flex-1 flex-col items-start justify-end gap-4 pb-12">{children}</main>
      <DayRuler />
    </div>
  );
}

export function NotFoundPage() {
  usePageTitle('Page not found');
  return (
    <BlankPage>
      <div className="wrap">
        <h1 tabIndex={-1} className="text-page font-bold tracking-[-.022em]">
          Nothing is at this address
        </h1>
        <p className="mt-1 mb-5 text-fg-2">The page was moved, or it never was.</p>
        <Link to="/" className={buttonClass('outline')}>
          Back to the start
        </Link>
      </div>
    </BlankPage>
  );
}

/** Error page for a route that failed to load or to render. Reloads when the browser comes online. */
export function ErrorPage() {
  usePageTitle('Page not loaded');
  useEffect(() => {
    const reload = (): void => window.location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <BlankPage>
      <div className="wrap">
        <h1 className="text-page font-bold tracking-[-.022em]">This page could not be loaded</h1>
        <p className="mt-1 mb-5 text-fg-2">Your monitoring keeps running; only this page is affected.</p>
        <Button variant="outline" onClick={() => window.location.reload()}>
          Try again
        </Button>
      </div>
    </BlankPage>
  );
}
