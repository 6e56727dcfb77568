import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { mintCrl } from '../../tests/kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../../tests/kit/certificates/mint-ocsp.ts';
import { parseCertificate } from './certificate.ts';
import { buildPath } from './path.ts';
import { crlStatus } from './revocation/crl-status.ts';
import { ocspStatus } from './revocation/ocsp-status.ts';
import { parseCrl } from './revocation/crl.ts';
import { createTrustStore } from './trust-store.ts';

const { createPublicKey } = crypto;
const replace = (load: typeof createPublicKey): void => {
  crypto.createPublicKey = load;
  syncBuiltinESMExports();
};

/* Makes Node refuse ML-DSA keys as it does with OpenSSL 3.4 or older, because every Node of nodejs.org has OpenSSL 3.5. */
beforeEach(() =>
  replace((input) => {
    const key = createPublicKey(input);
    if (key.asymmetricKeyType?.startsWith('ml-dsa') === true) throw new Error('unsupported');
    return key;
  }),
);
afterEach(() => replace(createPublicKey));

const now = Date.now();
const root = mintAuthority({ key: 'ML-DSA-65' });
const minted = root.issue({ dnsNames: ['a.example'], crlUrls: ['http://a.example/1.crl'] });
const certificate = parseCertificate(minted.der);
const issuer = parseCertificate(root.der);

it('with an OpenSSL that does not know ML-DSA, such a signature is unverifiable, not wrong', () => {
  const trustStore = createTrustStore([root.der]);
  expect(buildPath({ leaf: certificate, intermediates: [], trustStore, now })).toMatchObject({
    ok: false,
    failures: [{ code: 'unknown_signature', role: 'leaf' }],
  });
});

it('with an OpenSSL that does not know ML-DSA, CRLs and OCSP responses are unverifiable, not forged', () => {
  const unknown = { state: 'none', why: 'unknown_signature' };
  const crl = parseCrl(mintCrl(root, { revoked: [minted] }));
  expect(crlStatus({ crl, certificate, signers: [issuer], isPublic: false, url: null, now })).toEqual(
    unknown,
  );
  expect(
    ocspStatus({ response: mintOcspResponse(root, minted), certificate, issuer, isPublic: false, now }),
  ).toEqual(unknown);
});
