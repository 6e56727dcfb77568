import { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { DOMAINS_BEFORE_PROOF, FREE_DOMAIN_LIMIT, TRIAL_DAYS } from '../../contract/words.ts';
import { landingFile, loginFile, PLACEHOLDERS } from '../../contract/pages.ts';
import type { LandingSettings, PagePath } from '../../contract/pages.ts';
import type { PublicConfig } from '../../contract/public-config.ts';
import { adoptPublicConfig } from '../lib/public-config.ts';
import { Providers } from './providers.tsx';
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

/** The landing page's HTML for every kind of deployment, by the name of its file; runs at build time. */
export async function prerenderLanding(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const settings of SETTINGS) pages.set(landingFile(settings), await htmlOf('/landing', settings));
  return pages;
}

/** The login page's HTML, likewise. */
export async function prerenderLogin(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const signups of ['open', 'closed'] as const)
    for (const insecure_http of [true, false]) {
      const settings = { signups, insecure_http, identity: { provider: 'built-in' as const, oidc: [] } };
      const file = loginFile(settings);
      if (file !== null) pages.set(file, await htmlOf('/login', settings));
    }
  return pages;
}

/** As React takes it over: what depends on the day or on the browser is left out. */
async function htmlOf(path: PagePath, settings: Partial<PublicConfig>): Promise<string> {
  const queryClient = new QueryClient();
  adoptPublicConfig(queryClient, {
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
      domains_before_proof: DOMAINS_BEFORE_PROOF,
    },
    demo_hosts: [],
    ...settings,
  });
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createAppRouter({ queryClient }, { history, isServer: true, scrollRestoration: false });
  await router.load();
  return renderToString(<Providers queryClient={queryClient} router={router} />);
}
