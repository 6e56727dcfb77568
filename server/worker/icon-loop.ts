import { DAY_MS } from '../../contract/durations.ts';
import type { IconSource } from '../probe/icons/icon-source.ts';
import type { Store } from '../store/db/open-store.ts';
import {
  claimDueSites,
  firstFetchAt,
  releaseSite,
  type Site,
  storeFavicon,
} from '../store/monitors/favicons.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';

export interface IconLoopOptions {
  store: Store;
  icons: IconSource;
  clock: Clock;
  /** Returns a random number in [0, 1) that spreads the fetches. */
  random: () => number;
  log: Log;
}

/**
 * Interval for known icons, ms. It is longer than for missing icons: known ones hardly ever change, a missing one may appear any
 * day.
 */
const REFETCH_AFTER_MS = 7 * DAY_MS;
const RETRY_MISSING_AFTER_MS = DAY_MS;
/** Maximum number of parallel fetches. It is small, because icons are decoration and must not slow down checks. */
const CONCURRENCY = 2;

/** Creates the loop that fetches the icons of checked sites. */
export function createIconLoop({
  store,
  icons,
  clock,
  random,
  telemetry,
  log,
}: IconLoopOptions & { telemetry: Telemetry }): ClaimLoop {
  const jitteredFromNow = (ms: number): number => clock.now() + Math.round(ms * (0.9 + 0.2 * random()));

  async function fetchIcon(site: Site, stopping: AbortSignal): Promise<void> {
    const icon = await icons.find(site, stopping);
    // Keep the known icon, because the site may be unreachable only at the moment.
    if (icon === null) return;
    await storeFavicon(store, site, { ...icon, nextFetchAt: jitteredFromNow(REFETCH_AFTER_MS) });
  }

  return createClaimLoop<Site>({
    name: 'icon',
    concurrency: CONCURRENCY,
    firstDueAt: () => firstFetchAt(store),
    claim: (limit) =>
      claimDueSites(store, { now: clock.now(), limit, nextFetchAt: jitteredFromNow(RETRY_MISSING_AFTER_MS) }),
    handle: fetchIcon,
    release: (site) => releaseSite(store, site, clock.now()),
    random,
    fieldsOf: ({ host, port }) => ({ endpoint: `${host}:${port}` }),
    telemetry,
    clock,
    log,
  });
}
