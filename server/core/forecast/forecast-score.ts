import { WEEK_MS } from '../../../contract/durations.ts';
import { type Renewable, renewalOverdueAt } from '../alert-steps.ts';
import { leadOf } from './forecast-schedule.ts';
import { causeKey, forecastCauses } from './forecast-causes.ts';
import type { Forecast } from './forecast.ts';

/** `foretold`: the forecast was right. `missed`: it said that the renewal works, but the renewal failed. `false_alarm`: the reverse. */
export type ForecastScore = 'foretold' | 'missed' | 'false_alarm';

/** The part of a forecast that is scored. It is kept from the last forecast for which `isScored` returns true. */
export interface ScoredForecast extends Pick<Forecast, 'at' | 'outcome' | 'expectedAt' | 'expectedBy'> {
  /** Keys of the causes for which the renewal should fail. */
  causes: string[];
}

/** Returns the part of a forecast that is scored. */
export function scoredPart(forecast: Forecast): ScoredForecast {
  const { at, outcome, expectedAt, expectedBy } = forecast;
  return {
    at,
    outcome,
    expectedAt,
    expectedBy,
    causes: forecastCauses(forecast, forecast).map(({ key }) => key),
  };
}

/** How a renewal really went. */
export interface ActualRenewal {
  /** Start of validity of the certificate that replaced the old one, ms UTC; null if the old one expired while it was served. */
  renewedAt: number | null;
  /** The first forecast of the new certificate. It shows whether somebody has removed the causes; null if there is none yet. */
  after: Forecast | null;
}

/** Returns whether a forecast was made early enough to be scored: a week before the expected renewal, or a quarter of a short lifetime. */
export function isScored(forecast: Pick<Forecast, 'at' | 'expectedAt'>, certificate: Renewable): boolean {
  return forecast.at <= forecast.expectedAt - leadOf(certificate);
}

/** Returns from when on a renewal counts as late, ms UTC: when it is overdue and some days after the expected day, at the latest at the expiry. */
export function renewalLateAt(scored: ScoredForecast, certificate: Renewable): number {
  const lifetime = certificate.notAfter - certificate.notBefore;
  const tolerated = scored.expectedAt + Math.min(WEEK_MS, lifetime / 10);
  return Math.min(certificate.notAfter, Math.max(renewalOverdueAt(certificate), tolerated));
}

/**
 * Returns whether a forecast was right; null if it does not count: its outcome was not known, it was made after the renewal, or somebody removed the
 * cause in time. Null also while only the first forecast of the new certificate (`after`) can tell.
 */
export function scoreOf(
  scored: ScoredForecast,
  certificate: Renewable,
  { renewedAt, after }: ActualRenewal,
): ForecastScore | null {
  if (scored.outcome === 'not_known') return null;
  // The new certificate existed before the forecast, for example on another server of the host.
  if (renewedAt !== null && renewedAt <= scored.at) return null;
  const works = scored.outcome === 'works';
  if (renewedAt === null || renewedAt >= certificate.notAfter) return works ? 'missed' : 'foretold';
  const isLate = renewedAt > renewalLateAt(scored, certificate);
  // Only a habit makes a late renewal a failure: clients may ignore the CA's window, and a day by the lifetime is a guess.
  if (works) return isLate && scored.expectedBy === 'habit' ? 'missed' : 'foretold';
  if (after === null) return null;
  const keys = new Set(after.checks.map(causeKey));
  if (scored.causes.some((cause) => keys.has(cause))) return 'false_alarm';
  return isLate ? 'foretold' : null;
}
