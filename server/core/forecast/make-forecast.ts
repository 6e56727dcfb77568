import { expectedRenewal } from '../alert-steps.ts';
import type { ForecastContext, ForecastEvidence } from './evidence.ts';
import type { Forecast } from './forecast.ts';

/** Returns whether the next renewal of a certificate will work, from what was seen in DNS and HTTP and what checks know. */
export function makeForecast(evidence: ForecastEvidence, context: ForecastContext): Forecast {
  const { certificate, renewalWindow } = context;
  const expected = expectedRenewal({ ...certificate, renewalWindow });
  return {
    at: evidence.at,
    outcome: 'not_known',
    expectedAt: expected.from,
    expectedBy: renewalWindow === null ? 'lifetime' : 'ari',
    method: null,
    possible: [],
    first: { at: evidence.at, possible: [], accounts: [] },
    checks: [],
  };
}
