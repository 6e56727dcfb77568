import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { nextForecastAt } from '../core/forecast/forecast-schedule.ts';
import { makeForecast } from '../core/forecast/make-forecast.ts';
import type { ForecastSource } from '../probe/forecast/forecast-source.ts';
import type { Store } from '../store/db/open-store.ts';
import { forecastSubject } from '../store/forecasts/forecast-context.ts';
import {
  claimDueForecasts,
  type ClaimedForecast,
  countForecastNames,
  firstForecastAt,
  releaseForecast,
  saveForecast,
} from '../store/forecasts/forecasts.ts';
import { countHttpPorts } from '../store/monitors/misuse.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';

export interface ForecastLoopOptions {
  store: Store;
  /** Collects the evidence for forecasts of renewals; null or absent to make none. */
  forecasts?: ForecastSource | null;
  /**
   * Maximum number of ports of one registrable domain that an account may have probed in a day, including port 80 for forecasts; null or absent for
   * no limit.
   */
  portsPerHost?: number | null;
  clock: Clock;
  /** Returns a random number in [0, 1) that spreads the forecasts. */
  random: () => number;
  log: Log;
}

/** Maximum number of forecasts that a worker makes at once. It is small, so that forecasts do not delay checks. */
const CONCURRENCY = 3;
/** Time in ms after which a forecast is aborted without saving anything. It is made again when its lease ends. */
const TIMEOUT_MS = 5 * MINUTE_MS;
const LEASE_MS = 10 * MINUTE_MS;

/** Creates the loop that makes forecasts of renewals; null if there is no source of evidence. */
export function createForecastLoop({
  store,
  forecasts: source,
  portsPerHost: max = null,
  clock,
  random,
  telemetry,
  ownNetwork,
  log,
}: ForecastLoopOptions & {
  telemetry: Telemetry;
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
}): ClaimLoop | null {
  if (source == null) return null;

  async function forecast(claim: ClaimedForecast, stopping: AbortSignal): Promise<void> {
    const subject = await forecastSubject(store, claim, clock.now());
    if (subject === null) return;
    const { facts, watchedHosts, context } = subject;
    const { accountId, previous } = claim;
    const refusedForMs = await countForecastNames(store, {
      accountId,
      names: facts.sans.length,
      now: clock.now(),
    });
    if (refusedForMs !== null) {
      await releaseForecast(store, claim, clock.now() + refusedForMs + Math.round(HOUR_MS * random()));
      return;
    }
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const hosts =
      max === null
        ? watchedHosts
        : await countHttpPorts(store, { accountId, hosts: watchedHosts, max, now: clock.now() });
    const request = { names: facts.sans, watchedHosts: hosts, now: clock.now(), signal };
    const evidence = await source!.gather(request);
    // After an abort the source returns missing evidence as unknown. Do not save that.
    signal.throwIfAborted();
    const made = makeForecast(evidence, context);
    const now = clock.now();
    const interval = nextForecastAt(made, previous, facts, now) - now;
    await saveForecast(store, claim, {
      forecast: made,
      facts,
      nextAt: now + Math.round(interval * (0.9 + 0.2 * random())),
      now,
    });
  }

  return createClaimLoop<ClaimedForecast>({
    name: 'forecast',
    concurrency: CONCURRENCY,
    firstDueAt: () => firstForecastAt(store),
    async claim(limit) {
      // With a wrong clock, certificates seem to have expired, and their forecasts would be scored wrongly.
      if (!(await ownNetwork.clockIsRight())) return [];
      return claimDueForecasts(store, { now: clock.now(), limit, leaseEndsAt: clock.now() + LEASE_MS });
    },
    handle: forecast,
    release: (claim) => releaseForecast(store, claim, clock.now()),
    random,
    fieldsOf: ({ accountId, fingerprint }) => ({ account: accountId, certificate: fingerprint }),
    telemetry,
    clock,
    log,
  });
}
