import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

import { describe, expect, it } from 'vitest';

import { loadTrustStore } from '../../server/probe/index.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';

const fingerprint = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

describe('The trust store', () => {
  it('is exactly the bundled Mozilla set', () => {
    const store = loadTrustStore(null);
    expect(store.anchors.map(({ certificate }) => certificate.fingerprint).toSorted()).toEqual(
      rootCertificates.map(fingerprint).toSorted(),
    );
  });

  it('includes the operator’s own anchors, which changes its hash', () => {
    const own = [mintAuthority(), mintAuthority()];
    const store = loadTrustStore(own.map(({ certificatePem }) => certificatePem).join('\n'));
    expect(store.anchors).toHaveLength(rootCertificates.length + 2);
    expect(own.every((authority) => store.has(authority.fingerprint))).toBe(true);
    expect(store.hash).not.toBe(loadTrustStore(null).hash);
  });

  it('is not loaded from incomplete PEM', () => {
    expect(() => loadTrustStore('-----BEGIN CERTIFICATE-----\nAAAA')).toThrow('PEM');
  });
});
