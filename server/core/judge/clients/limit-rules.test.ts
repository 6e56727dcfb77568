import { describe, expect, it } from 'vitest';
import { issue, root } from '../../../../tests/kit/certificates/judging.ts';
import { mintAuthority } from '../../../../tests/kit/certificates/mint.ts';
import type { Client } from '../../../../contract/check-words.ts';
import { type Certificate, parseCertificate } from '../../../pki/certificate.ts';
import type { GeneralName } from '../../../pki/names/general-name.ts';
import { buildPath } from '../../../pki/path.ts';
import { createTrustStore } from '../../../pki/trust-store.ts';
import { refusalsBy } from './client-rule.ts';
import { PATH_RULES, SIZE_RULES } from './limit-rules.ts';

const leaf = parseCertificate(issue().der);

/** Returns who refuses certificates of these sizes in bytes. */
function refusingSizes(
  sizes: readonly number[],
  { tlsVersion = 'TLSv1.3', staple = 0 }: { tlsVersion?: string; staple?: number } = {},
): Client[] {
  const presentedChain = sizes.map((size) => new Uint8Array(size));
  const sent = { tlsVersion, presentedChain, staple: staple === 0 ? null : new Uint8Array(staple) };
  return refusalsBy(SIZE_RULES, { ...sent, certificate: leaf }, 'leaf', 'https').flatMap(
    ({ clients = [] }) => clients,
  );
}

describe('the certificates that a server sends', () => {
  it.each([
    [10, []],
    [11, ['java']],
    [16, ['java']],
    [17, ['java', 'gnutls']],
    [150, ['java', 'gnutls']],
  ])('are too many for some clients if they are %i', (count, clients) => {
    expect(refusingSizes(Array.from({ length: count }, () => 200))).toEqual(clients);
  });

  it.each([
    ['TLSv1.3', 32_759, 32_760, ['java']],
    ['TLSv1.2', 32_762, 32_763, ['java']],
    ['TLSv1.3', 65_527, 65_528, ['go', 'java']],
    ['TLSv1.2', 65_530, 65_531, ['go', 'java']],
  ])(
    'have a maximum size in %s: some clients accept %i bytes, but not %i',
    (tlsVersion, most, more, clients) => {
      expect(refusingSizes([most], { tlsVersion })).toEqual(
        clients.filter((one) => more > 65_000 && one === 'java'),
      );
      expect(refusingSizes([more], { tlsVersion })).toEqual(clients);
    },
  );

  it('count together with the stapled OCSP response in TLS 1.3 only, where one message has both', () => {
    expect(refusingSizes([32_000], { staple: 751 })).toEqual([]);
    expect(refusingSizes([32_000], { staple: 752 })).toEqual(['java']);
    expect(refusingSizes([32_000], { staple: 2_000, tlsVersion: 'TLSv1.2' })).toEqual([]);
  });
});

const refusingPath = (path: readonly Certificate[]): Client[] =>
  refusalsBy(PATH_RULES, { certificate: leaf, path }, 'leaf', 'https').flatMap(({ clients = [] }) => clients);

describe('a path', () => {
  it.each([
    [6, []],
    [7, ['firefox']],
    [19, ['firefox']],
    [20, ['chromium', 'firefox']],
    [99, ['chromium', 'firefox']],
    [100, ['chromium', 'firefox', 'go']],
  ])('of %i intermediates is refused by the clients that accept fewer', (count, clients) => {
    expect(refusingPath(Array.from({ length: count + 2 }, () => leaf))).toEqual(clients);
  });

  it('with a certificate of more than 65,535 bytes is refused by Firefox, unless it is the root', () => {
    const sized = (bytes: number): Certificate => ({ ...leaf, der: new Uint8Array(bytes) });
    expect(refusingPath([leaf, sized(65_535), leaf])).toEqual([]);
    expect(refusingPath([leaf, sized(65_536), leaf])).toEqual(['firefox']);
    expect(refusingPath([sized(65_536), leaf])).toEqual(['firefox']);
    expect(refusingPath([leaf, leaf, sized(65_536)])).toEqual([]);
  });

  const names = (count: number, kind: 'dns' | 'uri' = 'dns'): GeneralName[] =>
    Array.from({ length: count }, (_, index) => ({ kind, value: `h${index}.b` }));
  const withNames = (all: readonly GeneralName[]): Certificate => ({
    ...parseCertificate(root.issue({ commonName: null }).der),
    subjectAltNames: { ...leaf.subjectAltNames, all },
  });
  const constrained = (permitted: readonly GeneralName[]): Certificate => ({
    ...leaf,
    nameConstraints: { permitted, excluded: [], writesMinimum: false },
  });

  it.each([
    [500, 500, []],
    [501, 500, ['go']],
    [600, 500, ['go']],
    [1_024, 1_024, ['go']],
    [1_025, 1_024, ['openssl', 'chromium', 'go', 'gnutls']],
  ])(
    'with %i names below %i constraints is refused by the clients that compare fewer',
    (count, constraints, clients) => {
      const found = refusingPath([withNames(names(count)), constrained(names(constraints)), leaf]);
      expect(found.toSorted()).toEqual(clients.toSorted());
    },
  );

  it('with many URIs is not refused by Chromium, which compares none', () => {
    const uris = names(1_025, 'uri');
    expect(refusingPath([withNames(uris), constrained(uris), leaf])).not.toContain('chromium');
  });

  it('with the 2,048 names and 4,097 constraints of the case nc-dos-1 of x509-limbo is valid, and refused by the clients that limit comparisons', () => {
    const hosts = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}.test`);
    const authority = mintAuthority({
      permitted: { dns: hosts('t', 2_049) },
      excluded: { dns: hosts('x', 2_048) },
    });
    const site = parseCertificate(authority.issue({ commonName: null, dnsNames: hosts('t', 2_048) }).der);
    const trustStore = createTrustStore([authority.der]);
    const found = buildPath({ leaf: site, intermediates: [], trustStore, now: Date.now() });
    if (!found.ok) throw new Error('the path is not valid');
    expect(refusingPath(found.path).toSorted()).toEqual(['chromium', 'gnutls', 'go', 'openssl']);
  });

  it('has its names and constraints counted once per certificate', () => {
    let reads = 0;
    const path = Array.from({ length: 50 }, (): Certificate => {
      const certificate = constrained(names(10));
      const { subjectAltNames } = certificate;
      return Object.defineProperty({ ...certificate }, 'subjectAltNames', {
        get: () => (reads++, subjectAltNames),
      });
    });
    refusingPath(path);
    expect(reads).toBe(path.length);
  });

  it('is not refused because of names in certificates above the constraints', () => {
    expect(refusingPath([leaf, constrained(names(2_000)), withNames(names(2_000))])).toEqual([]);
  });
});
