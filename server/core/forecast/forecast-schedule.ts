import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../../contract/durations.ts';
import { isSameVerdict } from './forecast-causes.ts';
import type { Forecast } from './forecast.ts';

/** The validity of a certificate, ms UTC. */
interface Validity {
  notBefore: number;
  notAfter: number;
}

/** Time until a changed verdict is confirmed. DNS answers are cached for at least an hour, so an earlier forecast would see the same ones. */
const CONFIRMED_AFTER_MS = 70 * MINUTE_MS;

/** Returns how long before the expected renewal a forecast must be made to be scored: a week, or a quarter of a short lifetime; ms. */
export function leadOf({ notBefore, notAfter }: Validity): number {
  return Math.min(WEEK_MS, Math.max(0, notAfter - notBefore) / 4);
}

/**
 * Time until a first “fails” is confirmed if the renewal is more than two weeks away. Registries and resolvers have broken DNSSEC or denied names for
 * hours: that is over before such a renewal, and must not alert everybody.
 */
const FAR_CONFIRMED_AFTER_MS = DAY_MS;

/**
 * Returns when the next forecast of a certificate is made, ms UTC: every two weeks while the renewal is far away, daily in the second week before it,
 * every two days in the last week, and daily while the renewal will fail or is due. `previous`: the forecast before this one; null if there was none.
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
