import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../../contract/calls.ts';
import { FREE_DOMAIN_LIMIT, TRIAL_DAYS } from '../../../contract/constants.ts';
import { oldestDue } from '../../store/deliveries.ts';
import type { Api, AppParts } from '../api.ts';
import { refuse } from '../problem.ts';
import { publicBilling, publicIdentity } from '../public-settings.ts';

/** What anybody may know of this deployment. */
export function deploymentRoutes(api: Api, { store, config, log, timing }: AppParts): void {
  const publicConfig = {
    product_name: config.productName,
    support_email: config.supportEmail,
    identity: publicIdentity(config),
    billing: publicBilling(config),
    analytics_id: config.analyticsId,
    signups: config.signups,
    // Where strangers may not sign up, they may not have us look at hosts either.
    try_it: config.signups === 'open',
    insecure_http: config.insecureHttp,
    limits: { free_domains: FREE_DOMAIN_LIMIT, trial_days: TRIAL_DAYS },
    demo_hosts: [...config.demoHosts],
  };
  api.on(CALLS.publicConfig, async ({ c }) => {
    c.header('Cache-Control', 'no-cache');
    return { data: publicConfig };
  });

  api.on(CALLS.health, async ({ c, now }) => {
    c.header('Cache-Control', 'no-store');
    try {
      const late = delay(timing.databaseMs, 'late' as const, { ref: false });
      if ((await Promise.race([oldestDue(store, now), late])) === 'late')
        throw new Error(`No answer within ${timing.databaseMs} ms`);
    } catch (error) {
      log.error({ err: error }, 'The database does not answer');
      return refuse('unavailable', 'The database does not answer.');
    }
    return { status: 'ok' as const };
  });
}
