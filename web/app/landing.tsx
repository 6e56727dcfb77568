import { useEffect } from 'react';
import { LandingPage } from '../features/landing/landing-page.tsx';
import { PageFrame } from './page-frame.tsx';

/** The landing page. It is an HTML document of its own, so it loads neither the router nor the query cache. */
export function Landing() {
  usePagesAhead();
  return (
    <PageFrame>
      <LandingPage />
    </PageFrame>
  );
}

/** Loads the code of the other pages when the pointer or the focus reaches a link to one, before the click. */
function usePagesAhead(): void {
  useEffect(() => {
    const stop = new AbortController();
    const load = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest('a') : null;
      if (link?.origin === window.location.origin) import('./router.tsx').catch(() => undefined);
    };
    for (const event of ['pointerover', 'focusin'])
      document.addEventListener(event, load, { signal: stop.signal });
    return () => stop.abort();
  }, []);
}
