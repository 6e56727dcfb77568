import { describe, expect, it } from 'vitest';
import { RENEWAL_FAULTS } from '../../../tests/kit/product/renewal-faults.ts';
import { healthySite, type RenewalSite } from '../../../tests/kit/product/renewal-site.ts';
import { makeForecast } from './make-forecast.ts';

const forecast = ({ evidence, context }: RenewalSite) => makeForecast(evidence, context);
/** Five sites of each kind, so that 200 certificates and their twins are judged. */
const DOMAINS = ['example.com', 'a.example.com', 'xn--bcher-kva.com', '1.com', 'a-b.c-d.com'];

describe('forecasts of simulated certificates', () => {
  it('has at least 40 kinds of faults with ids of their own', () => {
    expect(new Set(RENEWAL_FAULTS.map(({ id }) => id)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(RENEWAL_FAULTS.map((one) => [one.id, one] as const))(
    'foretells that %s makes the renewal fail, and spares its healthy twin',
    (_, { fault, twin, twinIsKnown }) => {
      for (const domain of DOMAINS) {
        const found = forecast(fault(domain));
        expect({ domain, outcome: found.outcome, checks: found.checks }).toMatchObject({ outcome: 'fails' });
        const healthy = forecast(twin(domain));
        expect({ domain, outcome: healthy.outcome, checks: healthy.checks }).toMatchObject({
          outcome: twinIsKnown === false ? 'not_known' : 'works',
        });
      }
    },
  );

  it.each([
    ['three names', {}],
    ['a wildcard', { labels: ['*'] }],
    ['six days', { lifetimeDays: 6, ageDays: 2 }],
    ['47 days', { lifetimeDays: 47, ageDays: 20 }],
  ])('says that the renewal of a healthy certificate with %s works', (_, options) => {
    for (const domain of DOMAINS)
      expect(forecast(healthySite(domain, options))).toMatchObject({ outcome: 'works' });
  });
});
