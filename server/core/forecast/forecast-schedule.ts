import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../../contract/durations.ts';
import { isSameVerdict } from './forecast-causes.ts';
import type { Forecast } from './forecast.ts';

/** The validity of a certificate, ms UTC. */
interface Validity {
  notBefore: number;
  notAfter: number;
}

/** Time until a changed verdict is looked at again: DNS answers are cached for an hour at least, so that a sooner look would show the same ones. */
const CONFIRMED_AFTER_MS = 70 * MINUTE_MS;

/** Returns how long before the expected renewal a failure has to be foretold: a week, or a quarter of a short lifetime; ms. */
export function leadOf({ notBefore, notAfter }: Validity): number {
  return Math.min(WEEK_MS, Math.max(0, notAfter - notBefore) / 4);
}

/**
 * The same for a renewal that is said to fail for the first time and is far away. Registries and resolvers have broken DNSSEC or denied names for
 * hours, which is over before any of these renewals and must not alert everybody.
 */
const FAR_CONFIRMED_AFTER_MS = DAY_MS;

/**
 * Returns when a forecast of a certificate is made again, ms UTC. `previous`: the forecast before it; null if there was none. Rarely while the
 * renewal is far away, daily in the second week before it, and every two days in the last week.
 */
export function nextForecastAt(
  forecast: Forecast,
  previous: Forecast | null,
  certificate: Validity,
  now: number,
): number {
  const lead = leadOf(certificate);
  const often = lead < WEEK_MS ? 12 * HOUR_MS : DAY_MS;
  const left = forecast.expectedAt - now;
  if (forecast.outcome === 'fails' || previous?.outcome === 'fails')
    if (!isSameVerdict(forecast, previous))
      return (
        now +
        (forecast.outcome === 'fails' && lead === WEEK_MS && left > 2 * lead
          ? FAR_CONFIRMED_AFTER_MS
          : CONFIRMED_AFTER_MS)
      );
  if (forecast.outcome === 'fails' || left <= 0) return now + often;
  if (left <= lead) return now + 2 * often;
  if (left <= 2 * lead) return now + often;
  return now + Math.max(often, Math.min(2 * WEEK_MS, left - 2 * lead));
}
