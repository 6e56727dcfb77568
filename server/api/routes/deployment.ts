import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../../contract/calls.ts';
import { oldestDue } from '../../store/deliveries.ts';
import type { Api, AppParts } from '../api.ts';
import { refuse } from '../problem.ts';
import { publicConfigOf } from '../public-settings.ts';

/** What anybody may know of this deployment. */
export function deploymentRoutes(api: Api, { store, config, log, timing }: AppParts): void {
  const publicConfig = publicConfigOf(config);
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
