import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { RENEWAL_FAULTS } from '../../../tests/kit/product/renewal-faults.ts';
import {
  ANSWERS_404,
  caa,
  DIGICERT,
  healthySite,
  NO_DATA,
  NO_NAME,
  noAnswer,
  NOW,
  records,
  type RenewalSite,
  withCaa,
  withCaaAnswer,
  withContext,
  withHttp,
  withName,
  withNames,
} from '../../../tests/kit/product/renewal-site.ts';
import { scoredPart, scoreOf } from './forecast-score.ts';
import { forecastMessage } from './forecast-words.ts';
import { makeForecast } from './make-forecast.ts';

const forecast = ({ evidence, context }: RenewalSite) => makeForecast(evidence, context);
/** Five sites of each kind, so that 200 certificates and their twins are judged. */
const DOMAINS = ['example.com', 'a.example.com', 'xn--bcher-kva.com', '1.com', 'a-b.c-d.com'];

describe('forecasts of simulated certificates', () => {
  it('have at least 40 kinds of faults with distinct ids', () => {
    expect(new Set(RENEWAL_FAULTS.map(({ id }) => id)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(RENEWAL_FAULTS.map((one) => [one.id, one] as const))(
    'say that %s makes the renewal fail, and do not say so for its healthy twin',
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
  ])('say that the renewal of a healthy certificate with %s works', (_, options) => {
    for (const domain of DOMAINS)
      expect(forecast(healthySite(domain, options))).toMatchObject({ outcome: 'works' });
  });
});

const outcome = (site: RenewalSite) => forecast(site).outcome;
const WHY = ['servfail', 'timeout', 'refused', 'malformed', 'budget', 'not_asked'] as const;

describe('what a forecast does not know', () => {
  it.each(WHY)('never makes it say that the renewal fails: %s', (why) => {
    const none = noAnswer(why);
    const sites = [healthySite(), healthySite('example.com', { labels: ['*'] })];
    for (const site of sites) {
      for (const field of ['ipv4', 'ipv6', 'challenge', 'persist'] as const)
        expect(outcome(withNames(site, () => ({ [field]: none })))).not.toBe('fails');
      expect(outcome(withNames(site, () => ({ ipv4: none, ipv6: none, zone: 'not_known' })))).not.toBe(
        'fails',
      );
      for (const domain of ['example.com', 'com'])
        expect(outcome(withCaaAnswer(site, none, domain))).toBe('not_known');
    }
  });

  it('includes DNSSEC without a validating resolver, but the renewal can still work', () => {
    const site = healthySite();
    const found = forecast({ ...site, evidence: { ...site.evidence, resolverValidates: false } });
    expect(found.outcome).toBe('works');
    expect(found.checks[0]).toMatchObject({ code: 'dnssec', state: 'not_known' });
  });

  it('includes names that were not looked up', () => {
    const site = healthySite();
    expect(outcome({ ...site, evidence: { ...site.evidence, unread: 1 } })).toBe('not_known');
    expect(outcome({ ...site, evidence: { ...site.evidence, names: [] } })).toBe('not_known');
  });
});

describe('wrong signatures', () => {
  it('of one family of addresses do not matter to a CA that has addresses of the other', () => {
    const site = withNames(healthySite(), () => ({ ipv6: noAnswer('bogus') }));
    expect(forecast(site)).toMatchObject({ outcome: 'works' });
    const without = withNames(site, () => ({ ipv4: NO_DATA }));
    expect(forecast(without)).toMatchObject({ outcome: 'fails' });
  });
});

describe('a closed port 80', () => {
  const closed = (site: RenewalSite) => withHttp(site, { outcome: 'no_connection', why: 'timeout' });
  const delegated = { challenge: { ...NO_NAME, aliases: ['a.acme-dns.example'] } };

  it('proves nothing alone', () => {
    expect(outcome(closed(healthySite()))).toBe('not_known');
    expect(outcome(closed(withNames(healthySite(), () => delegated)))).toBe('works');
    expect(outcome(closed(healthySite('example.com', { issuer: DIGICERT })))).toBe('works');
  });

  it('does not matter if it was closed at the last renewal or soon after issue, because the site uses another method', () => {
    const closedThen = closed(healthySite('example.com', { renewals: [['tls-alpn-01', 'dns-01']] }));
    expect(outcome(closedThen)).toBe('works');
    const { notBefore } = healthySite().context.certificate;
    const look = (days: number) => ({
      first: { at: notBefore + days * DAY_MS, possible: ['dns-01'] as const, accounts: [] },
    });
    expect(outcome(withContext(closed(healthySite()), look(1)))).toBe('works');
    expect(outcome(withContext(closed(healthySite()), look(5)))).toBe('not_known');
  });
});

describe('a port 80 that refuses connections', () => {
  const caaHttp = [caa('issue', 'letsencrypt.org; validationmethods=http-01')];
  const refusing = (site: RenewalSite) =>
    withHttp(withCaa(site, caaHttp), { outcome: 'no_connection', why: 'refused' });

  it('fails the renewal only if it was open before, because clients can open it while they renew', () => {
    expect(outcome(refusing(healthySite()))).toBe('not_known');
    expect(outcome(refusing(healthySite('example.com', { renewals: [['http-01']] })))).toBe('fails');
  });
});

describe('methods that CAA allows', () => {
  const allowing = (methods: string, site = healthySite()) =>
    withCaa(site, [caa('issue', `letsencrypt.org; validationmethods=${methods}`)]);

  it('show which method the site uses', () => {
    expect(forecast(allowing('dns-01'))).toMatchObject({ outcome: 'works', method: 'dns-01' });
    expect(forecast(allowing('tls-alpn-01'))).toMatchObject({ outcome: 'works', method: 'tls-alpn-01' });
    expect(forecast(allowing('http-01,dns-01'))).toMatchObject({ outcome: 'works', method: null });
    const closed = withHttp(healthySite(), { outcome: 'no_connection', why: 'timeout' });
    expect(outcome(allowing('http-01', closed))).toBe('fails');
    expect(outcome(allowing('dns-01', closed))).toBe('works');
  });
});

describe('a name that is gone', () => {
  const gone = (site: RenewalSite) => withName(site, 1, () => ({ ipv4: NO_NAME, ipv6: NO_NAME }));

  it('fails the renewal of a site without any sign of validation by DNS', () => {
    expect(outcome(gone(healthySite()))).toBe('fails');
    expect(
      outcome(gone(healthySite('example.com', { renewals: [null, ['http-01', 'tls-alpn-01', 'dns-01']] }))),
    ).toBe('fails');
  });

  it('is a false alarm once for a site that validates by DNS without any trace', () => {
    const alarm = forecast(gone(healthySite()));
    expect(alarm).toMatchObject({ outcome: 'fails', possible: ['dns-01'] });
    const renewed = forecast(gone(healthySite('example.com', { renewals: [alarm.possible] })));
    expect(renewed).toMatchObject({ outcome: 'works', method: 'dns-01' });
    const { certificate } = healthySite().context;
    const renewedAt = certificate.notBefore + 60 * DAY_MS;
    expect(scoreOf(scoredPart(alarm), certificate, { renewedAt, after: renewed })).toBe('false_alarm');
  });

  it('does not matter if no name of the certificate has an address, unless one had an address before', () => {
    const internal = withNames(healthySite(), () => ({ ipv4: NO_NAME, ipv6: NO_NAME }));
    expect(outcome(internal)).toBe('works');
    const first = { at: 0, possible: ['http-01'] as const, accounts: [] };
    expect(outcome(withContext(internal, { first }))).toBe('fails');
  });

  it('is not a name with private addresses, which the site validates by DNS', () => {
    const site = withName(healthySite(), 2, () => ({ ipv4: records([]), ipv6: NO_DATA }));
    expect(forecast(site)).toMatchObject({ outcome: 'works', possible: ['dns-01'] });
    expect(forecast(site).checks[0]).toMatchObject({ state: 'depends', reason: 'no_public_address' });
  });

  it('does not matter if the CA has other methods, or if anything shows validation by DNS', () => {
    expect(outcome(gone(healthySite('example.com', { issuer: DIGICERT })))).toBe('works');
    expect(outcome(gone(healthySite('example.com', { renewals: [['dns-01']] })))).toBe('works');
    expect(outcome(gone(healthySite('example.com', { labels: ['*', 'www'] })))).toBe('works');
    const leftover = withName(healthySite(), 0, () => ({
      challenge: { outcome: 'records', records: ['token'], aliases: [], security: 'insecure' },
    }));
    expect(outcome(gone(leftover))).toBe('works');
  });
});

describe('forecasts', () => {
  it('do not promise a renewal that is late already', () => {
    const renewalWindow = { start: NOW - 20 * DAY_MS, end: NOW - 10 * DAY_MS };
    const late = forecast(withContext(healthySite(), { renewalWindow }));
    expect(late.outcome).toBe('not_known');
    expect(forecastMessage(late)).toBe(
      'We cannot know whether the next renewal will work: the renewal is late. It was expected on 11 November 2026, 12:00 UTC.',
    );
  });

  it('let a check pass if its fault concerns only methods that the site does not use', () => {
    const site = withHttp(healthySite('example.com', { labels: ['', '*'] }), {
      outcome: 'no_connection',
      why: 'timeout',
    });
    const { method, checks } = forecast(site);
    expect(method).toBe('dns-01');
    expect(checks.find(({ code }) => code === 'http')).toMatchObject({
      state: 'passes',
      reason: 'port_closed',
    });
  });

  it('keep what the first one saw', () => {
    const first = { at: 1, possible: ['dns-01'] as const, accounts: ['https://ca.example/1'] };
    expect(forecast(withContext(healthySite(), { first })).first).toEqual(first);
    const account = 'https://acme-v02.api.letsencrypt.org/acme/acct/1';
    const found = forecast(withCaa(healthySite(), [caa('issue', `letsencrypt.org; accounturi=${account}`)]));
    expect(found.first).toEqual({
      at: found.at,
      possible: ['http-01', 'tls-alpn-01', 'dns-01'],
      accounts: [account],
    });
  });

  it('put the worst checks first, and name at most ten names', () => {
    const site = withCaa(
      healthySite('example.com', { labels: Array.from({ length: 30 }, (_, at) => `n${at}`) }),
      [caa('issue', ';')],
    );
    const { checks } = forecast(withHttp(site, { ...ANSWERS_404, status: 503 }));
    expect(checks[0]).toMatchObject({ state: 'fails', values: { furtherNames: 20 } });
    expect(checks[0]?.names).toHaveLength(10);
    expect(checks.map(({ state }) => state)).toEqual([
      'fails',
      'not_known',
      ...checks.slice(2).map(() => 'passes'),
    ]);
  });

  it('do not let an allowed CA fail because records for others are added', () => {
    const others = ['issue', 'issuewild', 'iodef', 'issuemail', 'unknown'].flatMap((tag) =>
      [
        ';',
        '',
        'digicert.com',
        '%%%',
        'letsencrypt.org.',
        'letsencrypt.org; accounturi=https://acme-v02.api.letsencrypt.org/acme/acct/9',
      ].map((value) => caa(tag, value)),
    );
    const allowed = [caa('issue', 'letsencrypt.org'), caa('issuewild', 'letsencrypt.org')];
    for (const labels of [['', 'www'], ['*']])
      for (let from = 0; from < others.length; from++)
        expect(
          outcome(withCaa(healthySite('example.com', { labels }), [...others.slice(from), ...allowed])),
        ).toBe('works');
  });
});
