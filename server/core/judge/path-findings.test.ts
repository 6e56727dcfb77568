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
import { parseCertificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { NO_TIMESTAMPS } from '../../pki/ct/timestamp-list.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import { exceededLifetimeCap } from '../findings/leaf.ts';
import { CHROME_TRUSTS_UNTIL, distrustedSince, judgePath } from './path-findings.ts';

const read = ({ der }: { der: Uint8Array }) => parseCertificate(der);
const trustStore = createTrustStore([root.der], { arePublic: true });
const SINCE = Date.UTC(2025, 6, 31, 23, 59, 59);

describe('roots that browsers trust until a date', () => {
  const bundled = getCACertificates('bundled').flatMap((pem) =>
    pemCertificates(pem).map((der) => parseCertificate(der)),
  );
  const leaf = { ...read(issue()), certificateTimestamps: NO_TIMESTAMPS };

  it.each(['HiPKI Root CA - G1', 'NetLock Arany'])('include %s, identified by its key', (name) => {
    const found = bundled.find(({ subject }) => subject.attribute('CN')?.startsWith(name));
    if (found === undefined) throw new Error('Node has taken it out of its set: so may we');
    expect(distrustedSince(found, leaf, CHROME_TRUSTS_UNTIL)).toBe(SINCE);
  });

  it('include at most one bundled root for each listed key, and no private root', () => {
    const constrained = bundled.filter((anchor) => CHROME_TRUSTS_UNTIL.has(subjectPublicKeyHash(anchor)));
    expect(constrained.length).toBeLessThanOrEqual(CHROME_TRUSTS_UNTIL.size);
    expect(distrustedSince(read(root), leaf, CHROME_TRUSTS_UNTIL)).toBeNull();
  });

  it('are distrusted if the leaf’s earliest log timestamp, or else its notBefore, is after that date', () => {
    const constraints = new Map([[subjectPublicKeyHash(read(root)), SINCE]]);
    const logged = (...timestamps: number[]) =>
      distrustedSince(read(root), read(issue({ timestamps })), constraints);
    expect(logged(SINCE + 1, SINCE)).toBeNull();
    expect(logged(SINCE + 1, SINCE + DAY)).toBe(SINCE);
    expect(distrustedSince(read(root), leaf, constraints)).toBe(SINCE);
    expect(distrustedSince(read(root), { ...leaf, notBefore: SINCE }, constraints)).toBeNull();
  });

  it('cause a critical finding, unless the leaf also leads to another root or the root is private', () => {
    const constraints = new Map([[subjectPublicKeyHash(read(root)), SINCE]]);
    const question = {
      leaf: read(issue()),
      sent: [read(intermediate)],
      fetchedIntermediates: [],
      protocol: 'https' as const,
      constraints,
      now: NOW,
      work: new WorkBudget(),
    };
    expect(judgePath({ ...question, trustStore }).findings).toMatchObject([
      {
        code: 'distrusted_root',
        severity: 'critical',
        facts: { root: 'Fjord Root', trustedUntil: SINCE },
      },
    ]);
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const cross = other.intermediate({ commonName: 'Fjord CA 1', key: intermediate.key, ...longValidity });
    const both = createTrustStore([root.der, other.der], { arePublic: true });
    const judged = judgePath({ ...question, sent: [...question.sent, read(cross)], trustStore: both });
    expect(judged.findings).toEqual([]);
    expect(judged.path?.at(-1)?.fingerprint).toBe(other.fingerprint);
    expect(judged.isPublic).toBe(true);
    expect(judgePath({ ...question, trustStore: createTrustStore([root.der]) }).findings).toEqual([]);
  });
});

describe('exceededLifetimeCap', () => {
  const cap = (from: number, days: number) =>
    exceededLifetimeCap({ notBefore: from, notAfter: from + days * DAY - 1000 });

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
    expect(exceededLifetimeCap({ notBefore: from, notAfter: from + 200 * DAY })).toBe(200);
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
