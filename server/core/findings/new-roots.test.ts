import { rootCertificates } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseCertificate } from '../../pki/certificate.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { ENDPOINT, issue } from '../../../tests/kit/certificates/judging.ts';
import type { Finding } from '../finding.ts';
import { describeFindings } from '../report/describe-finding.ts';
import { newRootAmong } from './dates.ts';
import { pathFaults } from './path.ts';
import { incompleteFinding } from './sent-chain.ts';

/** The certificate that ISRG Root X2 signed for Root YE (letsencrypt.org/certs/gen-y/root-ye-by-x2.pem). */
const CROSS_SIGNED = `-----BEGIN CERTIFICATE-----
MIICkDCCAhWgAwIBAgIQb15g5pw6dGmQZhnVbk9JmjAKBggqhkjOPQQDAzBPMQsw
CQYDVQQGEwJVUzEpMCcGA1UEChMgSW50ZXJuZXQgU2VjdXJpdHkgUmVzZWFyY2gg
R3JvdXAxFTATBgNVBAMTDElTUkcgUm9vdCBYMjAeFw0yNTA5MDMwMDAwMDBaFw0z
MjA5MDIyMzU5NTlaMC4xCzAJBgNVBAYTAlVTMQ0wCwYDVQQKEwRJU1JHMRAwDgYD
VQQDEwdSb290IFlFMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEPBL/q+GtxWpxsGj7
CB0jd/Cf3HsM0kk5j+VM62LS+TC5E3ztGESFMfXsTtfIWNaw9iEg+3/DM6rFN3Zv
7hkk3L0gPThjLAX1TnNqwNXIZI0StU23Py5IaHmLNbzuPvsZo4HWMIHTMA4GA1Ud
DwEB/wQEAwIBBjAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSjyCZajqFM0DVj
/JsjyDquVvNPVjAfBgNVHSMEGDAWgBR8Qpau3ktIO/qS+J6Mz22LqXI3lTAyBggr
BgEFBQcBAQQmMCQwIgYIKwYBBQUHMAKGFmh0dHA6Ly94Mi5pLmxlbmNyLm9yZy8w
EwYDVR0gBAwwCjAIBgZngQwBAgEwJwYDVR0fBCAwHjAcoBqgGIYWaHR0cDovL3gy
LmMubGVuY3Iub3JnLzAKBggqhkjOPQQDAwNpADBmAjEAtJNzUQ7gxxDju/hamZnO
I89wPz0uiJO/LWUtP8/rDYlMR2Ow5U1hp5wLS1D+gs9yAjEAuqoD9ExL50yg1Wz2
HJfxqFCSyj39rUtm+bGw8GwaxAHVgdin+SAlO91BUhfFblsx
-----END CERTIFICATE-----`;
const bundled = rootCertificates.map((pem) => new X509Certificate(pem));
const newRoot = parseCertificate(new X509Certificate(CROSS_SIGNED).raw);
const ADVICE =
  'No client has “Root YE” among its roots yet (as of 1 December 2026, 00:00 UTC). Install the full chain that your authority delivers with the certificate: in it, a root that clients have has signed “Root YE”.';

const advice = (found: Pick<Finding, 'code' | 'severity' | 'facts' | 'fingerprint'>) =>
  describeFindings(
    {
      findings: [{ ...found, addresses: [], keyType: null, attachment: null }],
      addresses: [],
      hasOwnRoot: false,
    },
    ENDPOINT,
  )[0]?.fix;

it('a root of Let’s Encrypt that the roots of this Node.js lack is new, and an older root signed its certificate', () => {
  const older = bundled.find(({ subject }) => subject.endsWith('CN=ISRG Root X2'));
  expect(older && new X509Certificate(CROSS_SIGNED).verify(older.publicKey)).toBe(true);
  expect(bundled.some(({ subject }) => subject.includes('CN=Root YE'))).toBe(false);
  expect(newRootAmong([newRoot])).toEqual({ newRoot: { name: 'Root YE', rule: 'lets_encrypt_roots_2025' } });
  for (const { raw } of bundled) expect(newRootAmong([parseCertificate(raw)])).toEqual({});
});

it('a chain that ends in a new root, or lacks the certificate for it, is advised to send that certificate', () => {
  const leaf = parseCertificate(issue().der);
  const [untrusted] = pathFaults(
    [{ code: 'untrusted_root', role: 'anchor', rule: null, fingerprint: newRoot.fingerprint }],
    new Map([[newRoot.fingerprint, newRoot]]),
    'https',
    createTrustStore([]),
  );
  expect(untrusted && advice(untrusted)).toBe(ADVICE);
  const incomplete = incompleteFinding({ leaf, sent: [] }, [leaf, newRoot, leaf], null, true);
  expect(advice(incomplete)).toBe(ADVICE);
  expect(advice(incompleteFinding({ leaf, sent: [] }, [leaf, leaf, leaf], null, true))).toMatch(
    /^Install the full chain/,
  );
});
