import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { DayRuler } from '../ui/horizon/day-ruler.tsx';
import { usePageTitle } from '../ui/page-title.ts';

/** True inside the `main` element of the shell, so that the page adds no second one. */
export const InShellContext = createContext(false);

/** Shows its content in the middle of the window. Outside the shell, draws the day ruler along the bottom. */
export function BlankPage({ children }: { children?: ReactNode }) {
  const content = <div>{children}</div>;
  if (use(InShellContext))
    return <div className="grid min-h-[calc(100dvh-9rem)] content-center pt-12 text-center">{content}</div>;
  return (
    <div className="flex min-h-dvh flex-col">
      <main className="grid flex-1 content-center pt-12 text-center">{content}</main>
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
          Page not found
        </h1>
        <p className="mt-1 mb-5 text-fg-2">It may have moved.</p>
        <Link to="/" className={buttonClass('outline')}>
          Back to the start page
        </Link>
      </div>
    </BlankPage>
  );
}

/** Replaces a route that failed to load or to render. Reloads when the browser comes online. */
export function ErrorPage() {
  const isSignedIn = use(InShellContext);
  usePageTitle('Page not loaded');
  useEffect(() => {
    const reload = (): void => window.location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <BlankPage>
      <div className="wrap">
        <h1 className="mb-5 text-page font-bold tracking-[-.022em]">Could not load this page</h1>
        {isSignedIn && (
          <p className="-mt-4 mb-5 text-fg-2">Your monitoring keeps running; only this page is affected.</p>
        )}
        <Button variant="outline" onClick={() => window.location.reload()}>
          Try again
        </Button>
      </div>
    </BlankPage>
  );
}
