import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { FREE_DOMAIN_LIMIT, TRIAL_DAYS, UNCONFIRMED_DOMAIN_LIMIT } from '../../contract/words.ts';
import { landingFile, type LandingSettings, loginFile, PLACEHOLDERS } from '../../contract/pages.ts';
import type { PublicConfig } from '../../contract/public-config.ts';
import { PublicConfigContext } from '../lib/public-config.ts';
import { DashboardSkeleton } from './dashboard-skeleton.tsx';
import { Landing } from './landing.tsx';
import { createAppRouter } from './router.tsx';

const SETTINGS: LandingSettings[] = (['none', 'unset', 'test'] as const).flatMap((mode) =>
  [true, false].flatMap((insecure_http) => {
    const setting = { billing: { mode }, insecure_http };
    return [
      { ...setting, signups: 'open' as const, try_it: true },
      { ...setting, signups: 'open' as const, try_it: false },
      { ...setting, signups: 'closed' as const, try_it: false },
    ];
  }),
);

/** Returns the landing page's HTML for every kind of deployment, keyed by file name. Runs at build time. */
export function prerenderLanding(): Map<string, string> {
  const pages = new Map<string, string>();
  for (const settings of SETTINGS) pages.set(landingFile(settings), htmlOf(<Landing />, settings));
  return pages;
}

/** Returns the login page's HTML for every kind of deployment, keyed by file name. Runs at build time. */
export async function prerenderLogin(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const signups of ['open', 'invite', 'closed'] as const)
    for (const insecure_http of [true, false]) {
      const settings = { signups, insecure_http, identity: { provider: 'built-in' as const, oidc: [] } };
      const file = loginFile(settings);
      if (file !== null) pages.set(file, htmlOf(await loginPage(), settings));
    }
  return pages;
}

/** Returns the HTML that the dashboard shows until its code has loaded. */
export function prerenderSkeleton(): string {
  return renderToStaticMarkup(<DashboardSkeleton productName={PLACEHOLDERS.productName} />);
}

async function loginPage(): Promise<ReactNode> {
  const history = createMemoryHistory({ initialEntries: ['/login'] });
  const router = createAppRouter({ history, isServer: true, scrollRestoration: false });
  await router.load();
  return <RouterProvider router={router} />;
}

/** Renders the page as React will hydrate it. Leaves out everything that depends on the date or the browser. */
function htmlOf(page: ReactNode, settings: Partial<PublicConfig>): string {
  const config: PublicConfig = {
    signups: 'open',
    billing: { mode: 'none' },
    try_it: false,
    insecure_http: false,
    product_name: PLACEHOLDERS.productName,
    support_email: '',
    identity: { provider: 'built-in', oidc: [] },
    analytics_id: null,
    limits: {
      free_domains: FREE_DOMAIN_LIMIT,
      trial_days: TRIAL_DAYS,
      domains_before_proof: UNCONFIRMED_DOMAIN_LIMIT,
    },
    demo_hosts: [],
    ...settings,
  };
  return renderToString(<PublicConfigContext value={config}>{page}</PublicConfigContext>);
}
