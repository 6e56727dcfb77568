import type { Forecast, ForecastCheck } from './forecast.ts';

/** What makes the next renewal fail. */
export interface ForecastCause {
  /** The same in each forecast of a certificate, so that one cause causes one alert. */
  key: string;
  check: ForecastCheck;
}

/**
 * Returns why the next renewal fails, worst first; empty if it does not. `previous`: the forecast before. A cause counts only if both
 * forecasts have it, so that one odd answer never alerts.
 */
export function forecastCauses(forecast: Forecast, previous: Forecast | null): ForecastCause[] {
  const before = new Set((previous === null ? [] : causesOf(previous)).map(({ key }) => key));
  return causesOf(forecast).filter(({ key }) => before.has(key));
}

function causesOf({ outcome, checks }: Forecast): ForecastCause[] {
  if (outcome !== 'fails') return [];
  return checks
    .filter(({ state }) => state === 'fails')
    .map((check) => ({ key: `${check.code}:${check.reason}`, check }));
}

/** Returns whether the forecasts say the same: the same outcome, for the same causes. */
export function isSameVerdict(forecast: Forecast, previous: Forecast | null): boolean {
  if (previous === null || forecast.outcome !== previous.outcome) return false;
  const keys = (one: Forecast) =>
    causesOf(one)
      .map(({ key }) => key)
      .toSorted()
      .join(' ');
  return keys(forecast) === keys(previous);
}
