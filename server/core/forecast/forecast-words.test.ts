import { describe, expect, it } from 'vitest';
import { RENEWAL_FAULTS } from '../../../tests/kit/product/renewal-faults.ts';
import {
  caa,
  healthySite,
  NO_NAME,
  noAnswer,
  type RenewalSite,
  withCaa,
  withNames,
} from '../../../tests/kit/product/renewal-site.ts';
import { checkWords, forecastLine, forecastMessage } from './forecast-words.ts';
import { type Forecast, FORECAST_CHECKS, type ForecastCheck, isForecast } from './forecast.ts';
import { makeForecast } from './make-forecast.ts';
import {
  CAA_WORDS,
  DNS_CHALLENGE_WORDS,
  DNSSEC_WORDS,
  NAMES_WORDS,
  PERSIST_WORDS,
} from './words/dns-words.ts';
import {
  HTTP_WORDS,
  LIFETIME_WORDS,
  OVERDUE_WORDS,
  REGISTRATION_WORDS,
  SCHEDULE_WORDS,
  TLS_ALPN_WORDS,
} from './words/other-words.ts';

const forecast = ({ evidence, context }: RenewalSite) => makeForecast(evidence, context);
const ALL: readonly Forecast[] = RENEWAL_FAULTS.flatMap(({ fault, twin }) => [
  forecast(fault('example.com')),
  forecast(twin('example.com')),
]);

const WORDS = {
  caa: CAA_WORDS,
  dnssec: DNSSEC_WORDS,
  names: NAMES_WORDS,
  http: HTTP_WORDS,
  tls_alpn: TLS_ALPN_WORDS,
  dns: DNS_CHALLENGE_WORDS,
  persist: PERSIST_WORDS,
  registration: REGISTRATION_WORDS,
  schedule: SCHEDULE_WORDS,
  lifetime: LIFETIME_WORDS,
  overdue: OVERDUE_WORDS,
};

describe('the words of forecasts', () => {
  it('say on a card why the renewal will fail', () => {
    expect(forecastLine(forecast(withCaa(healthySite(), [caa('issue', 'digicert.com')])))).toBe(
      "Next renewal will fail: CAA forbids Let's Encrypt",
    );
    expect(forecastLine(forecast(healthySite()))).toBeNull();
    const gone = forecast(
      withNames(healthySite('example.com', { labels: ['', 'www', 'api', '4'] }), ({ name }) =>
        name.startsWith('4') ? {} : { ipv4: NO_NAME, ipv6: NO_NAME },
      ),
    );
    expect(forecastMessage(gone)).toBe(
      'The next renewal will fail: example.com, www.example.com and api.example.com do not exist any more. We expect it on 11 December 2026, 12:00 UTC.',
    );
  });

  it('give the record to write, ready for a zone file', () => {
    const [check] = forecast(withCaa(healthySite(), [caa('issue', 'digicert.com')])).checks;
    expect(check && checkWords(check).zoneRecord).toBe('example.com. IN CAA 0 issue "letsencrypt.org"');
  });

  it('exist for every check and reason, even if all values are lost', () => {
    for (const code of FORECAST_CHECKS)
      for (const reason of Object.keys(WORDS[code]))
        for (const state of ['fails', 'depends', 'warns', 'not_known', 'passes'] as const) {
          const check: ForecastCheck = {
            code,
            state,
            reason,
            methods: [],
            names: ['example.com'],
            values: {},
          };
          const { title, message } = checkWords(check);
          expect(title).not.toBe('Another check');
          expect(message).toMatch(/^[A-Z*e].*\.$/);
          expect(message).not.toContain('undefined');
        }
  });

  it('exist for every fault that the simulation has', () => {
    for (const { checks } of ALL)
      for (const check of checks) {
        const { message, fix } = checkWords(check);
        expect(message).not.toContain('newer version');
        if (check.state === 'fails') expect(fix).not.toBeNull();
      }
  });

  it('fit into the stored form, and say something about what newer versions store', () => {
    for (const one of ALL) expect(isForecast(JSON.parse(JSON.stringify(one)))).toBe(true);
    const strange = {
      code: 'toString',
      state: 'fails',
      reason: '__proto__',
      methods: [],
      names: [],
      values: {},
    } as unknown as ForecastCheck;
    expect(checkWords(strange)).toMatchObject({ title: 'Another check', fix: null });
    expect(checkWords({ ...strange, code: 'caa' }).message).toContain('newer version');
  });

  it('cut hostile text of zones to one line', () => {
    const hostile = '\u202E"\n; rm -rf /\u0000'.repeat(500);
    const site = withNames(
      withCaa(healthySite(), [caa('issue', hostile), caa(hostile, hostile, 128)]),
      () => ({
        challenge: { outcome: 'no_name', aliases: [hostile], security: 'insecure' },
        challengeZone: 'gone',
        persist: {
          outcome: 'records',
          records: [hostile, `letsencrypt.org; accounturi=${hostile}`],
          aliases: [],
          security: 'insecure',
        },
        ipv4: noAnswer('malformed'),
      }),
    );
    for (const check of forecast(site).checks) {
      const { message, evidence } = checkWords(check);
      for (const text of [message, ...evidence.map(({ value }) => value)]) {
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(text.length).toBeLessThan(1_000);
      }
    }
  });
});
