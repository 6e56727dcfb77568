import { describe, expect, it } from 'vitest';
import {
  caa,
  healthyName,
  healthySite,
  NO_DATA,
  noAnswer,
  NOW,
  records,
  withCaa,
} from '../../../../tests/kit/product/renewal-site.ts';
import type { CaIdentity } from '../ca-identifiers.ts';
import type { CaaProperty, CaaStep, FirstForecast } from '../evidence.ts';
import { accountsOf, checkCaa } from './caa-check.ts';

const CA1: CaIdentity = {
  name: 'CA 1',
  organizations: [],
  domains: ['ca1.example.net'],
  processesParameters: true,
};
const CA2: CaIdentity = { ...CA1, name: 'CA 2', domains: ['ca2.example.org'] };
const EXAMPLE_CA: CaIdentity = { ...CA1, name: 'Example CA', domains: ['example.net'] };
const CASE_SENSITIVE: CaIdentity = { ...CA1, isCaseSensitive: true };

interface Judged {
  ca?: CaIdentity | null;
  name?: string;
  steps?: CaaStep[];
  first?: FirstForecast | null;
  expectedAt?: number;
}

const input = (
  found: CaaProperty[],
  { ca = CA1, name = 'certs.example.com', steps, first = null, expectedAt = NOW }: Judged,
) => {
  const site = healthySite();
  const evidence = {
    ...site.evidence,
    names: [{ ...healthyName(name), caa: steps ?? [{ domain: 'example.com', answer: records(found) }] }],
  };
  return { evidence, context: { ...site.context, first }, ca, expectedAt };
};
/** Returns the states and reasons of the check: "fails others". */
const judge = (found: CaaProperty[], judged: Judged = {}) =>
  checkCaa(input(found, judged)).map(({ state, reason }) => `${state} ${reason}`);

const issue = (value: string) => caa('issue', value);

describe('the examples of RFC 8659', () => {
  it('allow the CAs that issue properties name (§4.2)', () => {
    const certs = [issue('ca1.example.net'), issue('ca2.example.org')];
    expect(judge(certs)).toEqual(['passes allowed']);
    expect(judge(certs, { ca: CA2 })).toEqual(['passes allowed']);
    expect(judge(certs, { ca: EXAMPLE_CA })).toEqual(['fails others']);
    expect(judge([issue('ca1.example.net; account=230123')])).toEqual(['passes allowed']);
  });

  it('allow no CA if the value is empty or malformed (§4.2)', () => {
    expect(judge([issue(';')])).toEqual(['fails nobody']);
    expect(judge([issue('%%%%%')])).toEqual(['fails nobody']);
    expect(judge([issue('ca1.example.net.')])).toEqual(['fails malformed']);
  });

  it.each([
    [[issue('ca1.example.net')], 'passes allowed', 'passes allowed', 'fails others'],
    [
      [issue('ca1.example.net'), caa('issuewild', 'ca2.example.org')],
      'passes allowed',
      'fails others',
      'passes allowed',
    ],
    [[issue('ca1.example.net'), caa('issuewild', ';')], 'passes allowed', 'fails nobody', 'fails nobody'],
    [[caa('issuewild', 'ca2.example.org'), issue(';')], 'fails nobody', 'fails others', 'passes allowed'],
    [[caa('issuewild', 'ca1.example.net')], 'passes unrestricted', 'passes allowed', 'fails others'],
  ])('use issuewild for wildcards only (§4.3): %j', (found, plain, wild, wildOfCa2) => {
    const wildcard = { name: '*.wild.example.com' };
    expect(judge(found)).toEqual([plain]);
    expect(judge(found, wildcard)).toEqual([wild]);
    expect(judge(found, { ...wildcard, ca: CA2 })).toEqual([wildOfCa2]);
  });

  it('allow no CA that does not know a critical property (§4.5)', () => {
    expect(judge([issue('ca1.example.net'), caa('tbs', 'Unknown', 128)])).toEqual(['fails critical']);
    expect(judge([issue('ca1.example.net'), caa('tbs', 'Unknown', 127)])).toEqual(['passes allowed']);
    expect(judge([caa('ISSUE', 'ca1.example.net', 128), caa('IODEF', 'mailto:a@example.com', 255)])).toEqual([
      'passes allowed',
    ]);
  });

  it('use the records of the closest parent that has any (§3)', () => {
    const steps = (found: CaaProperty[]): CaaStep[] => [
      { domain: 'x.y.example.com', answer: NO_DATA },
      { domain: 'y.example.com', answer: { ...NO_DATA, outcome: 'no_name' } },
      { domain: 'example.com', answer: records(found, ['example.org']) },
    ];
    expect(judge([], { steps: steps([issue('ca2.example.org')]) })).toEqual(['fails others']);
    expect(judge([], { steps: [{ domain: 'example.com', answer: records([]) }] })).toEqual(['passes none']);
    expect(judge([], { steps: [] })).toEqual(['not_known not_asked']);
  });
});

describe('the examples of RFC 8657', () => {
  const account = (id: number) => `accounturi=https://example.net/account/${id}`;
  const ca = { ca: EXAMPLE_CA };

  it('bind issuance to accounts', () => {
    const found = [issue(`example.net; ${account(1234)}`), issue(`example.net; ${account(2345)}`)];
    expect(judge(found, ca)).toEqual(['passes allowed']);
    expect(accountsOf(input(found, ca))).toEqual([
      'https://example.net/account/1234',
      'https://example.net/account/2345',
    ]);
    expect(judge([issue(`example.net; ${account(1)}; ${account(2)}`)], ca)).toEqual(['fails account']);
  });

  it.each([
    [[issue('example.net; validationmethods=dns-01,xyz-01')], ['http-01', 'tls-alpn-01', 'dns-persist-01']],
    [
      [issue('example.net; validationmethods=dns-01'), issue('example.net; validationmethods=xyz-01')],
      ['http-01', 'tls-alpn-01', 'dns-persist-01'],
    ],
    [
      [
        issue(`example.net; ${account(1234)}; validationmethods=dns-01`),
        issue(`example.net; ${account(2345)}; validationmethods=http-01`),
      ],
      ['tls-alpn-01', 'dns-persist-01'],
    ],
    [
      [issue('example.net; validationmethods=dns-01,ca-non-acme')],
      ['http-01', 'tls-alpn-01', 'dns-persist-01'],
    ],
    [[issue('example.net; validationmethods=ca-tbr-7,CA-TBR-20')], ['http-01', 'dns-persist-01']],
  ])('bind issuance to methods: %j', (found, methods) => {
    expect(checkCaa(input(found, ca))).toMatchObject([{ state: 'depends', reason: 'methods', methods }]);
  });

  it('cause only a warning before the CA has to process the parameters', () => {
    const later = { ca: { ...EXAMPLE_CA, processesParameters: undefined } as unknown as CaIdentity };
    const found = [issue('example.net; validationmethods=dns-01')];
    expect(judge(found, later)).toEqual(['warns methods_later']);
    expect(judge(found, { ...later, expectedAt: Date.parse('2027-03-15') })).toEqual(['depends methods']);
  });
});

describe('CAA', () => {
  it('does not take a failed lookup as permission or as prohibition', () => {
    expect(judge([], { steps: [{ domain: 'example.com', answer: noAnswer('bogus') }] })).toEqual([]);
    for (const why of ['servfail', 'timeout', 'refused'] as const)
      expect(judge([], { steps: [{ domain: 'example.com', answer: noAnswer(why) }] })).toEqual([
        'not_known no_answer',
      ]);
  });

  it('treats capitals, the flag value 1 and contactemail as a case-sensitive CA does', () => {
    expect(judge([issue('CA1.example.net')], { ca: CASE_SENSITIVE })).toEqual(['not_known capitals']);
    expect(judge([issue('CA1.example.net')])).toEqual(['passes allowed']);
    expect(judge([issue('ca1.example.net'), caa('tbs', 'Unknown', 1)], { ca: CASE_SENSITIVE })).toEqual([
      'fails critical',
    ]);
    expect(
      judge([issue('ca1.example.net'), caa('contactemail', 'a@example.com', 128)], { ca: CASE_SENSITIVE }),
    ).toEqual(['fails critical']);
  });

  it('is not known for a CA that we do not know, unless the records forbid all', () => {
    expect(judge([issue('ca1.example.net')], { ca: null })).toEqual(['not_known unknown_ca']);
    expect(judge([issue(';')], { ca: null })).toEqual(['fails nobody']);
    expect(judge([issue('old.example')], { ca: { ...CA1, unconfirmed: ['old.example'] } })).toEqual([
      'not_known perhaps',
    ]);
  });

  it('is not known if the records name another account than the first forecast saw', () => {
    const found = [issue('ca1.example.net; accounturi=https://ca1.example.net/2')];
    const first = (accounts: string[]) => ({ first: { at: 0, possible: [], accounts } });
    expect(judge(found, first(['https://ca1.example.net/1']))).toEqual(['not_known changed_account']);
    expect(judge(found, first([]))).toEqual(['not_known changed_account']);
    expect(judge(found, first(['https://ca1.example.net/2']))).toEqual(['passes allowed']);
  });

  it('groups names with the same verdict, and gives the record to add', () => {
    const site = withCaa(healthySite(), [issue('ca2.example.org')]);
    const checks = checkCaa({ evidence: site.evidence, context: site.context, ca: CA1, expectedAt: NOW });
    expect(checks).toMatchObject([
      { state: 'fails', names: ['example.com', 'www.example.com', 'api.example.com'] },
    ]);
    expect(checks[0]?.values).toEqual({
      domain: 'example.com',
      ca: 'CA 1',
      records: ['0 issue "ca2.example.org"'],
      others: ['ca2.example.org'],
      add: '0 issue "ca1.example.net"',
    });
  });

  it('never throws on hostile text', () => {
    const texts = [
      '\u0000\u0007',
      '"; issue "x',
      '\u202Eevil',
      ';'.repeat(3_000),
      '='.repeat(3_000),
      '\\'.repeat(3_000),
    ];
    for (const text of texts)
      for (const name of ['example.com', '*.example.com'])
        expect(judge([caa(text, text, 255), issue(text), caa('issuewild', text)], { name })).toHaveLength(1);
  });
});
