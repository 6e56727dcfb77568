import { CALLS } from '../../../contract/calls.ts';
import type { Api, AppParts } from './api.ts';
import { createHealth } from '../operations/health.ts';
import { publicConfigOf } from './public-settings.ts';

/** What anybody may know of this deployment. */
export function deploymentRoutes(api: Api, parts: AppParts): void {
  const publicConfig = publicConfigOf(parts.config);
  api.on(CALLS.publicConfig, async ({ c }) => {
    c.header('Cache-Control', 'no-cache');
    return { data: publicConfig };
  });

  const health = createHealth(parts);
  const fresh = <T>({ c }: { c: { header(name: string, value: string): void } }, answer: T): T => {
    c.header('Cache-Control', 'no-store');
    return answer;
  };
  api.on(CALLS.health, async (incoming) => fresh(incoming, await health.whole()));
  api.on(CALLS.healthLive, async (incoming) => fresh(incoming, health.live()));
  api.on(CALLS.healthReady, async (incoming) => fresh(incoming, await health.ready()));
  api.on(CALLS.healthLate, async (incoming) => fresh(incoming, await health.late(incoming.c)));
}
