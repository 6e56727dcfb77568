import type { IconSource } from '../probe/index.ts';
import { claimDueSites, keepFavicon, releaseSite, type Site } from '../store/monitors/favicons.ts';
import type { Store } from '../store/db/open-store.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { DAY_MS } from '../../contract/durations.ts';

export interface IconKeeperOptions {
  store: Store;
  icons: IconSource;
  clock: Clock;
  /** In [0, 1); spreads the fetches. */
  random: () => number;
  log: Log;
}

/** Icons change about never; where there is none, one may appear any day. */
const AGAIN_AFTER_MS = 7 * DAY_MS;
const NONE_AGAIN_AFTER_MS = DAY_MS;
/** Decoration: it must never be noticed beside the checks. */
const AT_ONCE = 2;

/** Looks for the icons of the sites that are checked, in a loop of its own. */
export function createIconKeeper({
  store,
  icons,
  clock,
  random,
  telemetry,
  log,
}: IconKeeperOptions & { telemetry: Telemetry }): ClaimLoop {
  const spread = (ms: number): number => clock.now() + Math.round(ms * (0.9 + 0.2 * random()));

  async function keep(site: Site, stopping: AbortSignal): Promise<void> {
    const icon = await icons.find(site, stopping);
    // A known icon outlives a day on which its site does not answer.
    if (icon === null) return;
    await keepFavicon(store, site, { ...icon, nextFetchAt: spread(AGAIN_AFTER_MS) });
  }

  return createClaimLoop<Site>({
    name: 'icon',
    concurrency: AT_ONCE,
    claim: (limit) =>
      claimDueSites(store, { now: clock.now(), limit, nextFetchAt: spread(NONE_AGAIN_AFTER_MS) }),
    handle: keep,
    release: (site) => releaseSite(store, site, clock.now()),
    random,
    fieldsOf: ({ host, port }) => ({ endpoint: `${host}:${port}` }),
    telemetry,
    log,
  });
}
