import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  mintKey,
  nameDer,
  selfSigned,
} from '../../tests/kit/certificates/mint.ts';
import { bitString, objectIdentifier, sequence } from '../../tests/kit/certificates/der-writer.ts';
import { parseCertificate } from './certificate.ts';
import { buildPath, type PathRequest } from './path.ts';
import { PkiError } from './pki-error.ts';
import { createTrustStore } from './trust-store.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const long = { notBefore: NOW - 1000 * DAY, notAfter: NOW + 1000 * DAY };
const fresh = { notBefore: NOW - DAY, notAfter: NOW + 89 * DAY, dnsNames: ['www.example.com'] };

const rootOf = (options: CertificateOptions = {}) =>
  mintAuthority({ commonName: 'Root', ...long, ...options });
const root = rootOf();
const issuing = root.intermediate({ commonName: 'Issuing', ...long });
const leaf = issuing.issue(fresh);

type Given = Partial<Omit<PathRequest, 'leaf' | 'intermediates' | 'trustStore'>> & {
  sent?: readonly MintedCertificate[];
  anchors?: readonly MintedCertificate[];
};

function judge(certificate: MintedCertificate, { sent = [issuing], anchors = [root], ...rest }: Given = {}) {
  return buildPath({
    leaf: parseCertificate(certificate.der),
    intermediates: sent.map(({ der }) => parseCertificate(der)),
    trustStore: createTrustStore(anchors.map(({ der }) => der)),
    now: NOW,
    reference: { kind: 'dns', name: 'www.example.com' },
    ...rest,
  });
}

/** Returns `role code` of every failure, or `ok` if the path is valid. */
function reasons(...given: Parameters<typeof judge>): string[] {
  const result = judge(...given);
  return result.ok ? ['ok'] : result.failures.map(({ role, code }) => `${role} ${code}`);
}

describe('a valid chain', () => {
  it('gives the path, leaf first, and the certificate on it that expires first', () => {
    const result = judge(leaf);
    expect(result).toMatchObject({ ok: true, weakest: { fingerprint: leaf.fingerprint } });
    expect(result.ok && result.path.map(({ fingerprint }) => fingerprint)).toEqual(
      [leaf, issuing, root].map(({ fingerprint }) => fingerprint),
    );
  });

  it('may be sent in any order, with unrelated certificates, duplicates and its root', () => {
    const stray = mintAuthority({ commonName: 'Stray', ...long });
    expect(reasons(leaf, { sent: [root, stray, issuing, leaf, issuing] })).toEqual(['ok']);
  });

  it('is limited by an intermediate that ends before the leaf', () => {
    const short = root.intermediate({ commonName: 'Short', ...long, notAfter: NOW + 10 * DAY });
    expect(judge(short.issue(fresh), { sent: [short] })).toMatchObject({
      ok: true,
      weakest: { fingerprint: short.fingerprint },
    });
  });

  it('may be signed with RSA, Ed25519 or P-384', () => {
    for (const key of ['RSA-2048', 'Ed25519', 'P-384'] as const) {
      const other = rootOf({ key });
      expect(reasons(other.issue({ ...fresh, hash: 'sha384' }), { anchors: [other] })).toEqual(['ok']);
    }
  });

  it('may be a single certificate that is an anchor, whether or not it is marked as a CA', () => {
    for (const certificateAuthority of [false, true]) {
      const own = selfSigned({ ...fresh, certificateAuthority });
      const result = judge(own, { anchors: [own] });
      expect(result.ok && result.path).toHaveLength(1);
    }
  });

  it('may be a leaf below an intermediate that is an anchor', () => {
    expect(reasons(leaf, { sent: [], anchors: [issuing] })).toEqual(['ok']);
  });
});

describe('the leaf of a path', () => {
  it('fails with all of its faults at once', () => {
    const bad = selfSigned({ notBefore: NOW - 9 * DAY, notAfter: NOW - DAY, dnsNames: ['other.example'] });
    expect(reasons(bad)).toEqual(['leaf expired', 'leaf name_mismatch', 'leaf self_signed']);
  });

  it('fails with exactly one fault if it has only one', () => {
    expect(reasons(issuing.issue({ ...fresh, notAfter: NOW - DAY }))).toEqual(['leaf expired']);
    expect(reasons(issuing.issue({ ...fresh, notBefore: NOW + DAY }))).toEqual(['leaf not_yet_valid']);
    expect(reasons(leaf, { reference: { kind: 'dns', name: 'example.org' } })).toEqual([
      'leaf name_mismatch',
    ]);
    expect(reasons(issuing.issue({ ...fresh, extendedKeyUsage: ['clientAuth'] }))).toEqual([
      'leaf extended_key_usage',
    ]);
    expect(reasons(issuing.issue({ ...fresh, keyUsage: ['keyCertSign'] }))).toEqual(['leaf key_usage']);
    expect(reasons(issuing.issue({ ...fresh, key: 'RSA-1024' }))).toEqual(['leaf weak_key']);
    expect(reasons(issuing.issue({ ...fresh, hash: 'sha1' }))).toEqual(['leaf weak_signature']);
  });

  it('can be judged without its validity or without a host name', () => {
    const old = issuing.issue({ ...fresh, notAfter: NOW - DAY });
    expect(reasons(old, { ignoreLeafValidity: true })).toEqual(['ok']);
    expect(reasons(leaf, { reference: undefined })).toEqual(['ok']);
  });

  it('is valid at both ends of its validity, in whole seconds', () => {
    const edge = issuing.issue({ ...fresh, notBefore: NOW, notAfter: NOW });
    expect(reasons(edge, { now: NOW + 999 })).toEqual(['ok']);
    expect(reasons(edge, { now: NOW + 1000 })).toEqual(['leaf expired']);
    expect(reasons(edge, { now: NOW - 1 })).toEqual(['leaf not_yet_valid']);
  });

  it('must be issued for the requested purpose', () => {
    const client = issuing.issue({ ...fresh, extendedKeyUsage: ['clientAuth'] });
    expect(reasons(client, { extendedKeyUsage: 'clientAuth' })).toEqual(['ok']);
    expect(reasons(issuing.issue({ ...fresh, extendedKeyUsage: ['any'] }))).toEqual(['ok']);
    expect(reasons(issuing.issue({ ...fresh, extendedKeyUsage: null }))).toEqual(['ok']);
  });

  it('fails with an unknown critical extension, but not with an uncritical one', () => {
    const unknown = { oid: '1.3.6.1.4.1.55555.1', value: Buffer.from([5, 0]) };
    expect(reasons(issuing.issue({ ...fresh, extraExtensions: [unknown] }))).toEqual(['ok']);
    expect(reasons(issuing.issue({ ...fresh, extraExtensions: [{ ...unknown, critical: true }] }))).toEqual([
      'leaf unknown_critical_extension',
    ]);
  });
});

describe('a missing issuer', () => {
  it('is reported as no_issuer, untrusted_root or bad_signature', () => {
    expect(reasons(leaf, { sent: [] })).toEqual(['leaf no_issuer']);
    expect(reasons(leaf, { anchors: [] })).toEqual(['intermediate no_issuer']);
    expect(reasons(leaf, { sent: [issuing, root], anchors: [] })).toEqual(['intermediate untrusted_root']);
    const impostor = rootOf();
    expect(reasons(leaf, { anchors: [impostor] })).toEqual(['intermediate bad_signature']);
    expect(reasons(issuing.issue({ ...fresh, corruptSignature: true }))).toEqual(['leaf bad_signature']);
  });

  it('is reported for issuers in a loop', () => {
    const [a, b] = [mintKey(), mintKey()];
    const named = (commonName: string) => ({
      ...long,
      issuerDer: nameDer({ commonName, organization: 'Loop' }),
    });
    const signer = (key: typeof a, commonName: string) =>
      mintAuthority({ key, commonName, organization: 'Loop', ...long });
    const byB = signer(b, 'B').intermediate({ ...named('B'), key: a, commonName: 'A', organization: 'Loop' });
    const byA = signer(a, 'A').intermediate({ ...named('A'), key: b, commonName: 'B', organization: 'Loop' });
    const looped = byB.issue(fresh);
    expect(reasons(looped, { sent: [byA, byB] })).toEqual(['intermediate no_issuer']);
  });

  it('is not reported if the server also sends a root with the same name and another key', () => {
    expect(reasons(leaf, { sent: [rootOf(), issuing] })).toEqual(['ok']);
  });
});

describe('an issuer whose signature cannot be verified', () => {
  const GOST = '1.2.643.7.1.1.3.2';
  it('is not reported as the wrong issuer', () => {
    expect(reasons(issuing.issue({ ...fresh, signatureOid: GOST }))).toEqual(['leaf unknown_signature']);
    const odd = root.intermediate({ commonName: 'Odd', ...long, signatureOid: GOST });
    expect(reasons(odd.issue(fresh), { sent: [odd] })).toEqual(['intermediate unknown_signature']);
  });

  it('is named if we do not know its key, or do not verify with it', () => {
    const withKey = (algorithm: Buffer) => (fields: Buffer[]) =>
      fields.with(6, sequence(algorithm, bitString(Buffer.alloc(64, 1))));
    const unknown = withKey(sequence(objectIdentifier('1.2.643.7.1.1.1.1')));
    const explicit = withKey(sequence(objectIdentifier('1.2.840.10045.2.1'), sequence()));
    for (const [editFields, code] of [
      [unknown, 'unknown_key'],
      [explicit, 'weak_key'],
    ] as const) {
      const odd = root.intermediate({ commonName: 'Odd', ...long, editFields });
      expect(reasons(odd.issue(fresh), { sent: [odd] })).toEqual([`intermediate ${code}`]);
      const anchor = rootOf({ commonName: 'Odd', editFields });
      expect(reasons(anchor.issue(fresh), { sent: [], anchors: [anchor] })).toEqual([`anchor ${code}`]);
    }
  });

  it('is no obstacle if another issuer of the same name made the signature', () => {
    const editFields = (fields: Buffer[]) =>
      fields.with(6, sequence(sequence(objectIdentifier('1.2.3')), bitString(Buffer.alloc(9, 1))));
    const odd = root.intermediate({ commonName: 'Issuing', ...long, editFields });
    expect(reasons(leaf, { sent: [odd, issuing] })).toEqual(['ok']);
  });
});

describe('post-quantum paths', () => {
  it.each(['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87', 'SLH-DSA-SHA2-128s'] as const)(
    'are verified: %s',
    (key) => {
      const anchor = rootOf({ key });
      const middle = anchor.intermediate({ commonName: 'Middle', ...long, key });
      const end = middle.issue({ ...fresh, key });
      expect(reasons(end, { sent: [middle], anchors: [anchor] })).toEqual(['ok']);
      const forged = middle.issue({ ...fresh, key, corruptSignature: true });
      expect(reasons(forged, { sent: [middle], anchors: [anchor] })).toEqual(['leaf bad_signature']);
    },
  );
});

describe('authorities', () => {
  const below = (authority: MintedAuthority, sent: MintedCertificate[] = [authority]) =>
    reasons(authority.issue(fresh), { sent });
  const authority = (options: CertificateOptions) =>
    root.intermediate({ commonName: 'Other', ...long, ...options });

  it.each([
    ['expired', { notAfter: NOW - DAY }],
    ['not_yet_valid', { notBefore: NOW + DAY }],
    ['not_a_ca', { basicConstraints: null }],
    ['not_a_ca', { certificateAuthority: false }],
    ['key_usage', { keyUsage: ['cRLSign'] }],
    ['extended_key_usage', { extendedKeyUsage: ['clientAuth'] }],
    ['weak_key', { key: 'RSA-1024' }],
    ['weak_signature', { hash: 'sha1' }],
    ['name_constraints', { permitted: { dns: ['example.org'] } }],
    ['name_constraints', { excluded: { dns: ['www.example.com'] } }],
  ] as const)('fail with %s: %j', (code, options) => {
    expect(below(authority(options))).toEqual([`intermediate ${code}`]);
  });

  it('that are anchors and cause a failure are reported with the best path in which only the anchor fails', () => {
    const old = rootOf({ notAfter: NOW - DAY });
    const narrow = rootOf({ key: old.key, permitted: { dns: ['example.org'] } });
    const middle = old.intermediate({ commonName: 'Middle', ...long });
    const end = middle.issue(fresh);
    const found = judge(end, { sent: [middle], anchors: [old, narrow] });
    expect(found).toMatchObject({
      ok: false,
      tolerable: {
        path: [end, middle, narrow].map(({ fingerprint }) => ({ fingerprint })),
        anchorFailures: [{ code: 'name_constraints', role: 'anchor', fingerprint: narrow.fingerprint }],
      },
    });
    // The second search is answered from the cache.
    expect(judge(end, { sent: [middle], anchors: [old, narrow] })).toEqual(found);
    expect(judge(middle.issue({ ...fresh, dnsNames: [] }), { sent: [middle], anchors: [old] })).toMatchObject(
      {
        ok: false,
        tolerable: null,
      },
    );
    expect(judge(end, { sent: [middle], anchors: [old, rootOf({ key: old.key })] }).ok).toBe(true);
  });

  it('must be valid as anchors, too', () => {
    const old = rootOf({ notAfter: NOW - DAY });
    expect(reasons(old.issue(fresh), { anchors: [old] })).toEqual(['anchor expired']);
    const limited = rootOf({ permitted: { dns: ['example.org'] } });
    expect(reasons(limited.issue(fresh), { anchors: [limited] })).toEqual(['anchor name_constraints']);
  });

  it('must still be valid when the same chain is judged again later', () => {
    const short = authority({ notAfter: NOW + DAY });
    const end = short.issue(fresh);
    expect(reasons(end, { sent: [short] })).toEqual(['ok']);
    expect(reasons(end, { sent: [short], now: NOW + 2 * DAY })).toEqual(['intermediate expired']);
  });

  it('obey path lengths, not counting self-issued certificates', () => {
    const none = authority({ pathLength: 0 });
    expect(below(none)).toEqual(['ok']);
    const further = none.intermediate({ commonName: 'Further', ...long });
    expect(below(further, [none, further])).toEqual(['intermediate path_length']);
    const renewed = none.intermediate({ commonName: 'Other', ...long });
    expect(below(renewed, [none, renewed])).toEqual(['ok']);
  });

  it('fail with path_length if the chain has more intermediates than maxDepth', () => {
    const second = issuing.intermediate({ commonName: 'Second', ...long });
    const end = second.issue(fresh);
    expect(reasons(end, { sent: [issuing, second], maxDepth: 2 })).toEqual(['ok']);
    expect(reasons(end, { sent: [issuing, second], maxDepth: 1 })).toEqual(['intermediate path_length']);
  });

  it('may be 100 intermediates, as OpenSSL allows, but not 101', () => {
    const chain = [issuing];
    for (let depth = 1; depth <= 100; depth++) {
      chain.push((chain.at(-1) ?? issuing).intermediate({ commonName: `Deep ${depth}`, ...long }));
    }
    expect(reasons((chain[99] ?? issuing).issue(fresh), { sent: chain })).toEqual(['ok']);
    expect(reasons((chain[100] ?? issuing).issue(fresh), { sent: chain })).toContain(
      'intermediate path_length',
    );
  });
});

describe('the search among several possible paths', () => {
  const key = mintKey();
  const shared = { commonName: 'Shared', key, ...long };
  const other = mintAuthority({ commonName: 'Other Root', ...long });
  const good = root.intermediate(shared);
  const end = good.issue(fresh);

  it.each([
    ['expired', other.intermediate({ ...shared, notAfter: NOW - DAY })],
    ['not a CA', other.intermediate({ ...shared, certificateAuthority: false })],
    ['constrained', other.intermediate({ ...shared, permitted: { dns: ['example.org'] } })],
  ])('finds the valid path beside a cross-sign that is %s', (_, bad) => {
    const anchors = [root, other];
    expect(reasons(end, { sent: [bad, good], anchors })).toEqual(['ok']);
    expect(reasons(end, { sent: [good, bad], anchors })).toEqual(['ok']);
  });

  it('finds the valid path beside a path to an unknown root', () => {
    expect(reasons(end, { sent: [other, other.intermediate(shared), good] })).toEqual(['ok']);
  });

  it('prefers the path that is valid the longest', () => {
    const shorter = other.intermediate({ ...shared, notAfter: NOW + 5 * DAY });
    for (const sent of [
      [shorter, good],
      [good, shorter],
    ]) {
      const result = judge(end, { sent, anchors: [root, other] });
      expect(result.ok && result.path[1]?.fingerprint).toBe(good.fingerprint);
      expect(result.ok && result.weakest.fingerprint).toBe(end.fingerprint);
    }
  });

  it('returns every failure if no path is valid', () => {
    const sent = [other.intermediate({ ...shared, notAfter: NOW - DAY }), good];
    expect(reasons(end, { sent, anchors: [other] })).toEqual([
      'intermediate expired',
      'intermediate no_issuer',
    ]);
  });

  it('stops when the work budget is exhausted', () => {
    const keys = Array.from({ length: 12 }, () => mintKey());
    const nodes = keys.map((own, index) => mintAuthority({ key: own, commonName: `Node ${index}`, ...long }));
    const maze = nodes.flatMap((from) =>
      nodes.map((to, index) => from.intermediate({ key: to.key, commonName: `Node ${index}`, ...long })),
    );
    const [entry] = nodes;
    const result = judge(entry?.issue(fresh) ?? leaf, { sent: maze });
    expect(result).toMatchObject({ ok: false, budgetExhausted: true });
  });
});

it('a chain with any flipped byte is not accepted', () => {
  const changed = (minted: MintedCertificate, at: number, flip: number): MintedCertificate => {
    const der = Buffer.from(minted.der);
    const index = at % der.length;
    der[index] = (der[index] ?? 0) ^ flip;
    return { ...minted, der };
  };
  fc.assert(
    fc.property(fc.nat(2_000), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, flip, inLeaf) => {
      try {
        const result = inLeaf
          ? judge(changed(leaf, at, flip))
          : judge(leaf, { sent: [changed(issuing, at, flip)] });
        expect(result.ok).toBe(false);
      } catch (error) {
        if (!(error instanceof PkiError)) throw error;
      }
    }),
    { numRuns: 300 },
  );
});
