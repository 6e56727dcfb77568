import { getCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  intermediate,
  issue,
  longValidity,
  NOW,
  root,
} from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { pemCertificates } from '../../pki/certificate-bundle.ts';
import type { Client } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { type Certificate, parseCertificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { NO_TIMESTAMPS } from '../../pki/ct/timestamp-list.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import { exceededLifetimeCap } from '../findings/leaf.ts';
import type { DatedRule } from '../rules/dated-rule.ts';
import { ROOT_RULES, rulesAbout, rulesByRoot } from '../rules/root-rules.ts';
import { judgePath } from './path-findings.ts';

const read = ({ der }: { der: Uint8Array }) => parseCertificate(der);
const trustStore = createTrustStore([root.der], { arePublic: true });
const SINCE = Date.UTC(2025, 6, 31, 23, 59, 59);

/** Returns a rule about the root of these tests that holds from 1 August 2025. */
const ruleOf = (issuedAt: 'log_time' | 'not_before', clients: Client[]): DatedRule => ({
  id: 'test',
  kind: 'no_new_certificates',
  issuedAt,
  clients,
  from: '2025-08-01',
  until: null,
  source: 'https://example.org/',
  reviewedOn: '2026-12-01',
  roots: { [subjectPublicKeyHash(read(root))]: 'Fjord Root' },
});
const question = (rules: DatedRule[], protocol: Protocol = 'https') => ({
  leaf: read(issue()),
  sent: [read(intermediate)],
  fetchedIntermediates: [],
  protocol,
  rootRules: rulesByRoot(rules),
  trustStore,
  now: NOW,
  work: new WorkBudget(),
});

describe('roots that browsers trust until a date', () => {
  const bundled = getCACertificates('bundled').flatMap((pem) =>
    pemCertificates(pem).map((der) => parseCertificate(der)),
  );

  it.each(['HiPKI Root CA - G1', 'NetLock Arany', 'DigiCert Global Root G2'])(
    'include %s, identified by its key',
    (name) => {
      const found = bundled.find(({ subject }) => subject.attribute('CN')?.startsWith(name));
      if (found === undefined) throw new Error('Node has taken it out of its set: so may we');
      expect(rulesAbout(found)).toMatchObject([{ clients: ['chromium'] }]);
    },
  );

  it('include at most one bundled root for each listed key, and no private root', () => {
    const constrained = bundled.filter((anchor) => rulesAbout(anchor).length > 0);
    expect(constrained.length).toBeLessThanOrEqual(ROOT_RULES.size);
    expect(rulesAbout(read(root))).toEqual([]);
  });

  it('are distrusted if the leaf’s earliest log timestamp, or else its notBefore, is after that date', () => {
    const refused = (leaf: Certificate) =>
      judgePath({ ...question([ruleOf('log_time', ['chromium'])]), leaf });
    const logged = (...timestamps: number[]) => refused(read(issue({ timestamps }))).findings.length;
    const leaf = { ...read(issue()), certificateTimestamps: NO_TIMESTAMPS };
    expect(logged(SINCE + 1, SINCE)).toBe(0);
    expect(logged(SINCE + 1, SINCE + DAY)).toBe(1);
    expect(refused(leaf).findings).toHaveLength(1);
    expect(refused({ ...leaf, notBefore: SINCE }).findings).toEqual([]);
  });

  it('are distrusted by Firefox if the leaf’s notBefore is after that date, whenever it was logged', () => {
    const judged = (notBefore: number, timestamp: number) =>
      judgePath({
        ...question([ruleOf('not_before', ['firefox'])]),
        leaf: { ...read(issue({ timestamps: [timestamp] })), notBefore },
      }).findings;
    expect(judged(SINCE, SINCE + DAY)).toEqual([]);
    expect(judged(SINCE + 1000, SINCE - DAY)).toMatchObject([
      { code: 'distrusted_root', clients: ['firefox'], facts: { trustedUntil: SINCE } },
    ]);
  });

  it('cause a critical finding, unless the leaf also leads to another root or the root is private', () => {
    const asked = question([ruleOf('log_time', ['chromium'])]);
    expect(judgePath(asked).findings).toMatchObject([
      {
        code: 'distrusted_root',
        severity: 'critical',
        facts: { root: 'Fjord Root', trustedUntil: SINCE },
      },
    ]);
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const cross = other.intermediate({ commonName: 'Fjord CA 1', key: intermediate.key, ...longValidity });
    const both = createTrustStore([root.der, other.der], { arePublic: true });
    const judged = judgePath({ ...asked, sent: [...asked.sent, read(cross)], trustStore: both });
    expect(judged.findings).toEqual([]);
    expect(judged.path?.at(-1)?.fingerprint).toBe(other.fingerprint);
    expect(judged.isPublic).toBe(true);
    expect(judgePath({ ...asked, trustStore: createTrustStore([root.der]) }).findings).toEqual([]);
  });

  it('are refused from the day on which a client removes them', () => {
    const { issuedAt: _, ...rule } = ruleOf('log_time', ['firefox']) as Extract<
      DatedRule,
      { issuedAt: unknown }
    >;
    const removed: DatedRule = { ...rule, kind: 'no_certificates', from: '2026-12-01' };
    const judged = (now: number) => judgePath({ ...question([removed]), now }).findings;
    const FROM = Date.UTC(2026, 11, 1);
    expect(judged(FROM - 1000)).toEqual([]);
    expect(judged(FROM)).toMatchObject([
      { code: 'distrusted_root', severity: 'critical', clients: ['firefox'], facts: { from: FROM } },
    ]);
  });

  it('cause no finding for a protocol that the browser does not speak', () => {
    expect(judgePath(question([ruleOf('log_time', ['chromium'])], 'smtp')).findings).toEqual([]);
  });
});

describe('exceededLifetimeCap', () => {
  const cap = (from: number, days: number) =>
    exceededLifetimeCap({ notBefore: from, notAfter: from + days * DAY - 1000 })?.maxDays ?? null;

  it.each([
    [Date.UTC(2018, 1, 28), 2000, null],
    [Date.UTC(2018, 2, 1), 825, null],
    [Date.UTC(2018, 2, 1), 826, 825],
    [Date.UTC(2020, 8, 1), 398, null],
    [Date.UTC(2020, 8, 1), 399, 398],
    [Date.UTC(2026, 2, 15) - 1000, 398, null],
    [Date.UTC(2026, 2, 15), 200, null],
    [Date.UTC(2026, 2, 15), 201, 200],
    [Date.UTC(2027, 2, 15), 101, 100],
    [Date.UTC(2029, 2, 15), 47, null],
    [Date.UTC(2029, 2, 15), 48, 47],
  ])('returns for a notBefore of %d and a lifetime of %d days: %s', (from, days, expected) => {
    expect(cap(from, days)).toBe(expected);
  });

  it('counts a started day as a whole day', () => {
    const from = Date.UTC(2026, 2, 15);
    expect(exceededLifetimeCap({ notBefore: from, notAfter: from + 200 * DAY })?.maxDays).toBe(200);
  });
});

describe('the limiting certificate', () => {
  it('is the first to expire on the path that stays valid the longest', () => {
    const key = intermediate.key;
    const short = root.intermediate({
      commonName: 'Fjord CA 1',
      key,
      ...longValidity,
      notAfter: NOW + 10 * DAY,
    });
    const leaf = intermediate.issue(currentOptions);
    const sent = [read(short), read(intermediate)];
    const question = {
      leaf: read(leaf),
      fetchedIntermediates: [],
      protocol: 'https' as const,
      trustStore,
      now: NOW,
      work: new WorkBudget(),
    };
    expect(judgePath({ ...question, sent }).weakest.fingerprint).toBe(leaf.fingerprint);
    expect(judgePath({ ...question, sent: [read(short)] }).weakest.fingerprint).toBe(short.fingerprint);
  });
});
