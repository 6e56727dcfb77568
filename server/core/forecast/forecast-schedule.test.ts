import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import {
  caa,
  healthySite,
  noAnswer,
  NOW,
  type RenewalSite,
  withCaa,
  withCaaAnswer,
} from '../../../tests/kit/product/renewal-site.ts';
import { forecastCauses } from './forecast-causes.ts';
import { leadOf, nextForecastAt } from './forecast-schedule.ts';
import { isScored, renewalLateAt, scoredPart, scoreOf } from './forecast-score.ts';
import type { Forecast } from './forecast.ts';
import { makeForecast } from './make-forecast.ts';

const forecast = ({ evidence, context }: RenewalSite) => makeForecast(evidence, context);
const works = forecast(healthySite());
const forbidden = forecast(withCaa(healthySite(), [caa('issue', ';')]));
const bogus = forecast(withCaaAnswer(healthySite(), noAnswer('bogus')));

describe('causes of a failing renewal', () => {
  it('count only if two forecasts in a row have them', () => {
    expect(forecastCauses(forbidden, null)).toEqual([]);
    expect(forecastCauses(forbidden, works)).toEqual([]);
    expect(forecastCauses(forbidden, bogus)).toEqual([]);
    expect(forecastCauses(forbidden, forbidden).map(({ key }) => key)).toEqual(['caa:nobody']);
    expect(forecastCauses(works, forbidden)).toEqual([]);
  });
});

/** Common certificates: lifetime, and day of the renewal after issue. */
const KINDS = [
  { lifetime: 90, renewed: 60 },
  { lifetime: 200, renewed: 133 },
  { lifetime: 64, renewed: 42 },
  { lifetime: 47, renewed: 31 },
  { lifetime: 6, renewed: 3 },
];

/** Returns the days after issue on which forecasts of a certificate are made before its renewal. */
function looks({ lifetime, renewed }: (typeof KINDS)[number]): number[] {
  const certificate = { notBefore: 0, notAfter: lifetime * DAY_MS };
  const made: Forecast = { ...works, expectedAt: renewed * DAY_MS };
  const days: number[] = [];
  for (let now = 0; now < made.expectedAt; now = nextForecastAt(made, made, certificate, now))
    days.push(now / DAY_MS);
  return days;
}

describe('the schedule of forecasts', () => {
  it('repeats a forecast after about an hour if it is the first one to say, or no longer says, that the renewal fails', () => {
    const certificate = { notBefore: NOW - 50 * DAY_MS, notAfter: NOW + 40 * DAY_MS };
    const hours = (made: Forecast, previous: Forecast | null) =>
      (nextForecastAt(made, previous, certificate, NOW) - NOW) / HOUR_MS;
    expect(hours(forbidden, null)).toBeCloseTo(1, 0);
    expect(hours(forbidden, works)).toBeCloseTo(1, 0);
    expect(hours(forbidden, bogus)).toBeCloseTo(1, 0);
    expect(hours(works, forbidden)).toBeCloseTo(1, 0);
    expect(hours(forbidden, forbidden)).toBe(24);
    expect(hours(works, works)).toBe(24);
  });

  it('repeats a forecast after a day if it is the first one to say that a renewal in more than two weeks fails', () => {
    const certificate = { notBefore: NOW - 40 * DAY_MS, notAfter: NOW + 50 * DAY_MS };
    const far = { expectedAt: NOW + 20 * DAY_MS };
    const hours = (made: Forecast, previous: Forecast | null) =>
      (nextForecastAt({ ...made, ...far }, previous, certificate, NOW) - NOW) / HOUR_MS;
    expect(hours(forbidden, null)).toBe(24);
    expect(hours(forbidden, works)).toBe(24);
    expect(hours(works, forbidden)).toBeCloseTo(1, 0);
  });

  it.each(KINDS)('is daily before the last day on which a forecast is scored: $lifetime days', (kind) => {
    const lead = leadOf({ notBefore: 0, notAfter: kind.lifetime * DAY_MS }) / DAY_MS;
    const from = Math.max(0, kind.renewed - 2 * lead);
    const inTime = looks(kind).filter((day) => day >= from && day <= kind.renewed - lead);
    expect(inTime.length).toBeGreaterThanOrEqual(Math.floor(kind.renewed - lead - from));
  });

  it('sends at most five DNS queries per certificate and day on average, with 16 for a forecast of three names', () => {
    const perDay = KINDS.slice(0, 3).map((kind) => (looks(kind).length * 16) / kind.renewed);
    expect(Math.max(...perDay)).toBeLessThanOrEqual(5);
  });

  it('plans the next forecast in the future, at most two weeks ahead', () => {
    for (const expectedAt of [-Infinity, NOW - DAY_MS, NOW, NOW + HOUR_MS, NOW + 400 * DAY_MS, Infinity])
      for (const notAfter of [NOW - DAY_MS, NOW, NOW + 400 * DAY_MS]) {
        const at = nextForecastAt({ ...works, expectedAt }, works, { notBefore: NOW, notAfter }, NOW);
        expect(at - NOW).toBeGreaterThan(0);
        expect(at - NOW).toBeLessThanOrEqual(14 * DAY_MS);
      }
  });
});

describe('the score of a forecast', () => {
  const certificate = { notBefore: NOW, notAfter: NOW + 90 * DAY_MS };
  const scored = {
    at: NOW,
    expectedAt: NOW + 60 * DAY_MS,
    expectedBy: 'habit' as const,
    causes: ['caa:nobody'],
  };
  const day = (days: number) => NOW + days * DAY_MS;
  const score = (outcome: Forecast['outcome'], renewedAt: number | null, after: Forecast | null = works) =>
    scoreOf({ ...scored, outcome }, certificate, { renewedAt, after });

  it('counts the last forecast that is at least a week before the expected renewal', () => {
    expect(isScored({ at: day(53), expectedAt: day(60) }, certificate)).toBe(true);
    expect(isScored({ at: day(53) + 1, expectedAt: day(60) }, certificate)).toBe(false);
    const short = { notBefore: NOW, notAfter: day(6) };
    expect(isScored({ at: day(2.5), expectedAt: day(4) }, short)).toBe(true);
    expect(isScored({ at: day(2.6), expectedAt: day(4) }, short)).toBe(false);
  });

  it('is right if a renewal forecast to work took place, or one forecast to fail was late or never came', () => {
    expect(score('works', day(60))).toBe('foretold');
    expect(score('fails', day(80))).toBe('foretold');
    expect(score('fails', null, null)).toBe('foretold');
    expect(score('fails', day(91))).toBe('foretold');
  });

  it('is wrong if a renewal forecast to work never came, or came later than earlier renewals', () => {
    expect(score('works', null)).toBe('missed');
    expect(score('works', day(80))).toBe('missed');
    for (const expectedBy of ['ari', 'lifetime'] as const) {
      const vague = { ...scored, expectedBy, outcome: 'works' as const };
      expect(scoreOf(vague, certificate, { renewedAt: day(80), after: works })).toBe('foretold');
    }
  });

  it('is a false alarm only if the cause is still there after the renewal', () => {
    expect(score('fails', day(60), forbidden)).toBe('false_alarm');
    expect(score('fails', day(80), forbidden)).toBe('false_alarm');
    expect(score('fails', day(60), bogus)).toBeNull();
    expect(score('fails', day(60), works)).toBeNull();
    expect(score('fails', day(80), null)).toBeNull();
  });

  it('keeps the causes of the forecast', () => {
    expect(scoredPart(forbidden)).toMatchObject({ outcome: 'fails', causes: ['caa:nobody'] });
    expect(scoredPart(works)).toMatchObject({ outcome: 'works', causes: [] });
  });

  it('does not count forecasts that were made after the next certificate was issued', () => {
    expect(score('fails', NOW, forbidden)).toBeNull();
    expect(score('works', NOW - DAY_MS)).toBeNull();
  });

  it('does not count forecasts that knew nothing', () => {
    expect(score('not_known', day(60))).toBeNull();
    expect(score('not_known', null)).toBeNull();
  });

  it('counts a renewal as late when it is overdue and a week after the expected day, or the certificate has expired', () => {
    expect(renewalLateAt({ ...scored, outcome: 'works' }, certificate)).toBe(day(67.5));
    expect(renewalLateAt({ ...scored, expectedAt: day(75), outcome: 'works' }, certificate)).toBe(day(82));
    expect(renewalLateAt({ ...scored, expectedAt: day(89), outcome: 'works' }, certificate)).toBe(day(90));
  });
});
