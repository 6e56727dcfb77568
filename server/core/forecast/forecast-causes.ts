import { type Infer, list, nullable, object, text } from '../shape.ts';
import { checkWords } from './forecast-words.ts';
import type { Forecast, ForecastCheck } from './forecast.ts';

/** What makes the next renewal fail. */
export interface ForecastCause {
  /** The same in each forecast of a certificate, so that each cause has one alert. */
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

/** Returns the key of a check as the cause of a failing renewal. */
export const causeKey = ({ code, reason }: Pick<ForecastCheck, 'code' | 'reason'>): string =>
  `${code}:${reason}`;

function causesOf({ outcome, checks }: Forecast): ForecastCause[] {
  if (outcome !== 'fails') return [];
  const causes = checks
    .filter(({ state }) => state === 'fails')
    .map((check) => ({ key: causeKey(check), check }));
  return causes.filter(({ key }, index) => causes.findIndex((one) => one.key === key) === index);
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

const cause = object({
  key: text,
  /** Why the renewal fails, in one sentence. */
  message: text,
  fix: nullable(text),
  /** The DNS record to write, as in a zone file; null if none would help. */
  zoneRecord: nullable(text),
});
/** A cause of a failing renewal that is certain, so that checks raise an alert about it. Plain JSON. */
export type RenewalCause = Infer<typeof cause>;

/** Returns whether a value is a stored list of causes. */
export const isRenewalCauses = list(cause);

/**
 * Returns the causes to raise alerts about after a new forecast. A cause begins with the second forecast that has it, and ends with the second
 * one that lacks it: one odd answer neither raises nor ends an alert. A forecast whose outcome is not known changes nothing.
 */
export function followCauses(
  known: readonly RenewalCause[],
  forecast: Forecast,
  previous: Forecast | null,
): RenewalCause[] {
  const confirmed = forecastCauses(forecast, previous).map(({ key, check }): RenewalCause => {
    const { message, fix, zoneRecord } = checkWords(check);
    return { key, message, fix, zoneRecord };
  });
  const possible = new Set(
    [forecast, previous].flatMap((one) =>
      one === null ? [] : forecastCauses(one, one).map(({ key }) => key),
    ),
  );
  const isUnknown = [forecast, previous].some((one) => one?.outcome === 'not_known');
  const kept = known.filter(
    ({ key }) => confirmed.every((one) => one.key !== key) && (isUnknown || possible.has(key)),
  );
  return [...confirmed, ...kept];
}
