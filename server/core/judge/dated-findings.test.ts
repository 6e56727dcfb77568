import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  HOST,
  intermediate,
  longValidity,
  NOW,
  root,
} from '../../../tests/kit/certificates/judging.ts';
import { type CertificateOptions, mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import type { Client } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { type Certificate, parseCertificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import type { DatedRule } from '../rules/dated-rule.ts';
import { datedFindings, indexRules } from './dated-findings.ts';

const read = ({ der }: { der: Uint8Array }) => parseCertificate(der);
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const publicRoots = createTrustStore([root.der], { arePublic: true });
const PATH = [read(intermediate), read(root)];

interface Asked {
  path?: Certificate[];
  isPublic?: boolean;
  trustStore?: typeof publicRoots;
  protocol?: Protocol;
  sent?: Certificate[];
  now?: number;
  rules?: readonly DatedRule[];
}

function findingsOf(options: CertificateOptions, asked: Asked = {}) {
  const leaf = read(intermediate.issue({ ...currentOptions, ...options }));
  const { path = PATH, isPublic = true, rules } = asked;
  const question = {
    leaf,
    sent: [read(intermediate)],
    fetchedIntermediates: [],
    trustStore: publicRoots,
    protocol: 'https' as const,
    now: NOW,
    work: new WorkBudget(),
    ...asked,
  };
  return datedFindings(question, [leaf, ...path], isPublic, rules && indexRules(rules));
}

const about = {
  id: 'about_root',
  from: '2027-03-01',
  until: null,
  source: 'https://example.org/',
  reviewedOn: '2026-12-01',
  roots: { [subjectPublicKeyHash(read(root))]: 'Fjord Root' },
};
const removal = (...clients: Client[]): DatedRule => ({ ...about, kind: 'no_certificates', clients });
const distrust: DatedRule = {
  ...about,
  kind: 'no_new_certificates',
  issuedAt: 'log_time',
  clients: ['chromium'],
};
const untilMarch = { notBefore: at('2026-11-10'), timestamps: [at('2026-11-10')] };
const LAST_SECOND = at('2027-03-01') - 1000;

describe('a day from which a client refuses every certificate of a root', () => {
  it.each([
    ['the day before', LAST_SECOND, 0],
    ['that day', LAST_SECOND + 1000, 1],
    ['a later day', at('2027-05-01'), 1],
  ])('is reported for a certificate that is valid until %s', (_, notAfter, count) => {
    expect(findingsOf({ ...untilMarch, notAfter }, { rules: [removal('firefox')] })).toHaveLength(count);
  });

  it('is upcoming before it and leaves the finding to the refusal from then on', () => {
    const asked = (now: number) =>
      findingsOf({ ...untilMarch, notAfter: at('2027-05-01') }, { rules: [removal('firefox')], now });
    expect(asked(LAST_SECOND)).toMatchObject([
      {
        code: 'refused_from',
        severity: 'upcoming',
        clients: ['firefox'],
        facts: { rule: 'about_root', from: at('2027-03-01'), evidence: { root: 'Fjord Root' } },
      },
    ]);
    expect(asked(at('2027-03-01'))).toEqual([]);
  });

  it('is not reported to a mail server if only a browser refuses, nor for a root that somebody added', () => {
    const options = { ...untilMarch, notAfter: at('2027-05-01') };
    expect(findingsOf(options, { rules: [removal('firefox')], protocol: 'smtp' })).toEqual([]);
    expect(findingsOf(options, { rules: [removal('firefox', 'go')], protocol: 'smtp' })[0]?.clients).toEqual([
      'go',
    ]);
    const trustStore = createTrustStore([root.der]);
    expect(findingsOf(options, { rules: [removal('firefox')], isPublic: false, trustStore })).toEqual([]);
  });

  it('is not reported if the certificate also leads to another root', () => {
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const cross = other.intermediate({ commonName: 'Fjord CA 1', key: intermediate.key, ...longValidity });
    const trustStore = createTrustStore([root.der, other.der], { arePublic: true });
    const options = { ...untilMarch, notAfter: at('2027-05-01') };
    for (const rule of [removal('firefox'), distrust]) {
      const asked = { rules: [rule], trustStore };
      expect(findingsOf(options, { ...asked, sent: [read(intermediate), read(cross)] })).toEqual([]);
      expect(findingsOf(options, asked)).toHaveLength(1);
    }
  });
});

describe('a day from which a client distrusts new certificates of a root', () => {
  it.each([
    ['expires before it', { ...untilMarch, notAfter: LAST_SECOND }, 0],
    ['expires on it', { ...untilMarch, notAfter: LAST_SECOND + 1000 }, 1],
    ['was logged in the last second before it', { notAfter: at('2027-05-01'), timestamps: [LAST_SECOND] }, 1],
    ['was logged on it', { notAfter: at('2027-05-01'), timestamps: [LAST_SECOND + 1000] }, 0],
  ])('is about the renewal of a certificate that %s: %#', (_, options, count) => {
    expect(findingsOf(options, { rules: [distrust] })).toHaveLength(count);
  });

  it('is a note, whether the day is over or not', () => {
    for (const now of [NOW, at('2027-04-01')])
      expect(
        findingsOf({ ...untilMarch, notAfter: at('2027-05-01') }, { rules: [distrust], now }),
      ).toMatchObject([
        { code: 'renewal_changes', severity: 'note', facts: { rule: 'about_root', from: at('2027-03-01') } },
      ]);
  });
});

describe('a limit of new certificates', () => {
  const rulesIn = (options: CertificateOptions, asked: Asked = {}) =>
    findingsOf(options, asked).map(({ code, severity, facts }) => [code, severity, facts.rule]);
  const LIMIT = at('2027-03-15');

  it.each([
    ['101 days, on the day of the limit', { days: 101, end: LIMIT }, ['lifetime_100']],
    ['101 days, a second before', { days: 101, end: LIMIT - 1000 }, []],
    ['100 days, after the limit', { days: 100, end: LIMIT + DAY }, []],
  ])('changes the renewal of a certificate that is valid for %s', (_, { days, end }, rules) => {
    // Both ends of the validity count.
    const notBefore = end - days * DAY + 1000;
    const found = rulesIn({ notBefore, notAfter: end, timestamps: [notBefore] });
    expect(found).toEqual(rules.map((rule) => ['renewal_changes', 'note', rule]));
  });

  it('is only the last one that begins within the validity', () => {
    const notBefore = at('2026-03-10');
    expect(rulesIn({ notBefore, notAfter: at('2027-03-20'), timestamps: [notBefore] })).toEqual([
      ['renewal_changes', 'note', 'lifetime_100'],
    ]);
    expect(rulesIn({ notBefore, notAfter: at('2027-03-10'), timestamps: [notBefore] })).toEqual([
      ['renewal_changes', 'note', 'lifetime_200'],
    ]);
  });

  it('does not bind certificates below a root that somebody added', () => {
    const asked = { isPublic: false, trustStore: createTrustStore([root.der]) };
    expect(rulesIn({ notBefore: NOW - DAY, notAfter: NOW + 300 * DAY }, asked)).toEqual([]);
  });

  it.each([
    ['serverAuth', ['serverAuth'] as const, LIMIT, []],
    [
      'clientAuth, on the day of the limit',
      ['serverAuth', 'clientAuth'] as const,
      LIMIT,
      ['server_auth_only'],
    ],
    ['clientAuth, a second before', ['serverAuth', 'clientAuth'] as const, LIMIT - 1000, []],
  ])(
    'takes client authentication from the renewal of a certificate with %s',
    (_, purposes, notAfter, rules) => {
      const notBefore = at('2027-01-01');
      const options = { notBefore, notAfter, timestamps: [notBefore], extendedKeyUsage: [...purposes] };
      for (const protocol of ['https', 'smtp'] as const)
        expect(rulesIn(options, { protocol })).toEqual(
          rules.map((rule) => ['renewal_changes', 'note', rule]),
        );
    },
  );

  it('says nothing about a certificate that was issued after it', () => {
    const options = { notBefore: LIMIT, notAfter: LIMIT + 150 * DAY, timestamps: [LIMIT] };
    expect(rulesIn({ ...options, extendedKeyUsage: ['serverAuth', 'clientAuth'] })).toEqual([]);
  });
});

describe('a root that expires before the certificate', () => {
  const old = mintAuthority({ commonName: 'Old Root', ...longValidity, notAfter: NOW + 30 * DAY });
  const issuer = old.intermediate({ commonName: 'Old CA 1', ...longValidity });
  const leaf = read(issuer.issue({ ...currentOptions, dnsNames: [HOST] }));
  const ask = (trustStore: typeof publicRoots, changes: Asked = {}) =>
    datedFindings(
      {
        leaf,
        sent: [read(issuer)],
        fetchedIntermediates: [],
        trustStore,
        protocol: 'https',
        now: NOW,
        work: new WorkBudget(),
        ...changes,
      },
      [leaf, read(issuer), read(old)],
      true,
    );
  const store = createTrustStore([old.der], { arePublic: true });

  it('is refused from then on by the clients that check it', () => {
    const facts = { rule: 'root_expires', from: NOW + 30 * DAY + 1000, evidence: { root: 'Old Root' } };
    expect(ask(store)).toMatchObject([
      {
        code: 'refused_from',
        severity: 'upcoming',
        clients: ['firefox', 'apple', 'openssl', 'go', 'gnutls'],
        facts,
      },
    ]);
    expect(ask(createTrustStore([old.der]))[0]?.clients).toContain('chromium');
  });

  it('is not refused if the certificate leads to another root, or after the root has expired', () => {
    const cross = root.intermediate({ commonName: 'Old CA 1', key: issuer.key, ...longValidity });
    const both = createTrustStore([old.der, root.der], { arePublic: true });
    expect(ask(both, { sent: [read(issuer), read(cross)] })).toEqual([]);
    expect(ask(store, { now: NOW + 30 * DAY + 1000 })).toEqual([]);
    expect(ask(store, { now: NOW + 30 * DAY })).toHaveLength(1);
  });

  it('is refused from the end of the last of its roots if several expire before it', () => {
    const later = mintAuthority({
      commonName: 'Later Root',
      notBefore: longValidity.notBefore,
      notAfter: NOW + 35 * DAY,
    });
    const cross = later.intermediate({ commonName: 'Old CA 1', key: issuer.key, ...longValidity });
    const both = createTrustStore([old.der, later.der], { arePublic: true });
    const facts = { from: NOW + 35 * DAY + 1000, evidence: { root: 'Later Root' } };
    expect(ask(both, { sent: [read(issuer), read(cross)] })).toMatchObject([{ facts }]);
  });
});
