import { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { FREE_DOMAIN_LIMIT, TRIAL_DAYS } from '../../contract/constants.ts';
import { landingFile, PLACEHOLDERS } from '../../contract/pages.ts';
import type { LandingSettings } from '../../contract/pages.ts';
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
  for (const settings of SETTINGS) pages.set(landingFile(settings), await landingHtml(settings));
  return pages;
}

/** As React takes it over: text that depends on the day is left out. */
async function landingHtml(settings: LandingSettings): Promise<string> {
  const queryClient = new QueryClient();
  adoptPublicConfig(queryClient, {
    ...settings,
    product_name: PLACEHOLDERS.productName,
    support_email: '',
    identity: { provider: 'built-in', oidc: [] },
    analytics_id: null,
    limits: { free_domains: FREE_DOMAIN_LIMIT, trial_days: TRIAL_DAYS },
    demo_hosts: [],
  });
  const history = createMemoryHistory({ initialEntries: ['/landing'] });
  const router = createAppRouter({ queryClient }, { history, isServer: true, scrollRestoration: false });
  await router.load();
  return renderToString(<Providers queryClient={queryClient} router={router} />);
}
