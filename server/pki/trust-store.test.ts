import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { parseCertificate } from './certificate.ts';
import { createTrustStore, extendTrustStore } from './trust-store.ts';

const [one, two] = [mintAuthority({ commonName: 'One' }), mintAuthority({ commonName: 'Two' })];

describe('a trust store', () => {
  it('finds anchors by subject and by fingerprint', () => {
    const store = createTrustStore([one.der, two.der]);
    const { subject, fingerprint } = parseCertificate(two.der);
    expect(store.withSubject(subject).map((anchor) => anchor.certificate.fingerprint)).toEqual([
      two.fingerprint,
    ]);
    expect(store.has(fingerprint)).toBe(true);
    expect(store.has('')).toBe(false);
  });

  it('knows which of its anchors belong to a public root program', () => {
    const store = extendTrustStore(createTrustStore([one.der], { arePublic: true }), [two.der]);
    expect([one, two].map(({ fingerprint }) => store.isPublic(fingerprint))).toEqual([true, false]);
    expect(store.isPublic('')).toBe(false);
  });

  it('has a hash that depends on its anchors, but not on their order', () => {
    const { hash, anchors } = createTrustStore([one.der, two.der, one.der]);
    expect(anchors).toHaveLength(2);
    expect(createTrustStore([two.der, one.der]).hash).toBe(hash);
    expect(createTrustStore([one.der]).hash).not.toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same whether it was extended or created at once', () => {
    const base = createTrustStore([one.der]);
    const both = extendTrustStore(base, [two.der, one.der]);
    expect(both.hash).toBe(createTrustStore([one.der, two.der]).hash);
    expect(both.has(two.fingerprint)).toBe(true);
    expect(both.withSubject(parseCertificate(two.der).subject)).toHaveLength(1);
    expect(base.has(two.fingerprint)).toBe(false);
    expect(extendTrustStore(base, [one.der])).toBe(base);
    expect(() => extendTrustStore(base, [Buffer.from('x')])).toThrow(
      expect.objectContaining({ code: 'der_truncated' }),
    );
  });

  it('refuses bytes that are no certificate', () => {
    expect(() => createTrustStore([Buffer.from('x')])).toThrow(expect.objectContaining({ name: 'PkiError' }));
  });
});
