import type { Forecast, ForecastCheck } from './forecast.ts';

/** A check in words. They contain text of zones, which is cut to one line: escape it. */
export interface ForecastCheckWords {
  /** A few words: "CAA". */
  title: string;
  message: string;
  evidence: { label: string; value: string }[];
  /** What to do; null if there is nothing to do. */
  fix: string | null;
  /** The DNS record to write, as in a zone file; null if none would help. */
  zoneRecord: string | null;
}

/** Returns a check in words. */
export function checkWords(check: ForecastCheck): ForecastCheckWords {
  return { title: check.code, message: check.reason, evidence: [], fix: null, zoneRecord: null };
}

/** Returns one sentence for a card, without a full stop: "Next renewal will fail: CAA forbids Let's Encrypt"; null unless it will fail. */
export function forecastLine(forecast: Forecast): string | null {
  return forecast.outcome === 'fails' ? 'Next renewal will fail' : null;
}

/** Returns one or two sentences that say what will happen, when and why. */
export function forecastMessage(forecast: Forecast): string {
  return forecastLine(forecast) ?? '';
}
