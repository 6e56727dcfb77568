import { expect, it } from 'vitest';
import { sampleForecast } from '../../../tests/kit/product/sample-forecast.ts';
import type { Forecast } from './forecast.ts';
import { followCauses, type RenewalCause } from './forecast-causes.ts';

const fails = sampleForecast(1);
const works = sampleForecast(2, { outcome: 'works', checks: [] });
const unknown = sampleForecast(3, { outcome: 'not_known', checks: [] });

/** Returns for each of these forecasts whether the cause is known after it. */
function knownAfter(...forecasts: Forecast[]): boolean[] {
  let known: RenewalCause[] = [];
  return forecasts.map((forecast, index) => {
    known = followCauses(known, forecast, forecasts[index - 1] ?? null);
    return known.length > 0;
  });
}

it('A cause of a failing renewal begins and ends with the second forecast that says so', () => {
  expect(knownAfter(fails, fails, works, fails, works, works)).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
});

it('A forecast that knows nothing neither begins nor ends a cause', () => {
  expect(knownAfter(fails, unknown, fails, fails, unknown, works, works)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
});
