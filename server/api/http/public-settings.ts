import { FREE_DOMAIN_LIMIT, TRIAL_DAYS } from '../../../contract/words.ts';
import type { PublicConfig } from '../../../contract/public-config.ts';
import type { Limits } from '../../core/limits.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import type { Api, AppParts } from './api.ts';
import { createHealth } from '../operations/health.ts';
import type { ProviderSettings } from '../app-options.ts';

/** Returns the settings that anybody may read. */
export function publicConfigOf(
  config: ProviderSettings & {
    productName: string;
    supportEmail: string;
    analyticsId: string | null;
    signups: PublicConfig['signups'];
    tryIt: boolean;
    insecureHttp: boolean;
    demoHosts: readonly string[];
    limits: Limits;
  },
): PublicConfig {
  return {
    product_name: config.productName,
    support_email: config.supportEmail,
    identity: publicIdentity(config),
    billing: publicBilling(config),
    analytics_id: config.analyticsId,
    signups: config.signups,
    try_it: config.tryIt,
    insecure_http: config.insecureHttp,
    limits: {
      free_domains: FREE_DOMAIN_LIMIT,
      trial_days: TRIAL_DAYS,
      domains_before_proof: config.limits.domainsBeforeProof,
    },
    demo_hosts: [...config.demoHosts],
  };
}

function publicIdentity({ firebase, oidc }: ProviderSettings): PublicConfig['identity'] {
  if (firebase === null) return { provider: 'built-in', oidc: oidc.map(({ id, name }) => ({ id, name })) };
  return {
    provider: 'firebase',
    api_key: firebase.apiKey,
    auth_domain: firebase.authDomain,
    project_id: firebase.projectId,
    emulator_url: firebase.emulatorUrl,
  };
}

function publicBilling({ billing }: ProviderSettings): PublicConfig['billing'] {
  return billing.mode === 'paddle'
    ? { mode: 'paddle', client_token: billing.clientToken, environment: billing.environment }
    : { mode: billing.mode };
}

/** Serves the public settings and the health of this deployment. Needs no session. */
export function deploymentRoutes(api: Api, parts: AppParts): void {
  const publicConfig = publicConfigOf(parts.config);
  api.on(CALLS.publicConfig, async ({ c }) => {
    c.header('Cache-Control', 'no-cache');
    return { data: publicConfig };
  });

  const health = createHealth(parts);
  const uncached = <T>({ c }: { c: { header(name: string, value: string): void } }, answer: T): T => {
    c.header('Cache-Control', 'no-store');
    return answer;
  };
  api.on(CALLS.health, async (incoming) => uncached(incoming, await health.whole()));
  api.on(CALLS.healthLive, async (incoming) => uncached(incoming, health.live()));
  api.on(CALLS.healthReady, async (incoming) => uncached(incoming, await health.ready()));
  api.on(CALLS.healthLate, async (incoming) => uncached(incoming, await health.late(incoming.c)));
}
