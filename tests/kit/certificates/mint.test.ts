import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mintAuthority, mintKey, selfSigned } from './mint.ts';

describe('The certificate mint', () => {
  it('issues a chain that OpenSSL parses and verifies', () => {
    const root = mintAuthority({ commonName: 'Root', country: 'CH' });
    const intermediate = root.intermediate({ pathLength: 0 });
    const leaf = intermediate.issue({
      dnsNames: ['a.example', '*.b.example'],
      ipAddresses: ['127.0.0.1', '2001:db8::1', '::ffff:1.2.3.4'],
      caIssuersUrls: ['http://ca.example/i.cer'],
      ocspUrls: ['http://ocsp.example'],
      crlUrls: ['http://crl.example/1.crl'],
      cpsUrls: ['http://cps.example'],
    });
    const parsed = new X509Certificate(leaf.certificatePem);
    expect(parsed.checkHost('x.b.example')).toBe('*.b.example');
    expect(parsed.subjectAltName).toContain('IP Address:2001:DB8:0:0:0:0:0:1');
    expect(parsed.infoAccess).toContain('CA Issuers - URI:http://ca.example/i.cer');
    expect(parsed.verify(intermediate.key.publicKey)).toBe(true);
    expect(parsed.checkIssued(new X509Certificate(intermediate.der))).toBe(true);
    expect(new X509Certificate(intermediate.der).verify(root.key.publicKey)).toBe(true);
    expect(new X509Certificate(root.der).ca).toBe(true);
    expect(leaf.chainPem).toBe(intermediate.certificatePem);
    expect(parsed.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(leaf.fingerprint);
  });

  it.each([
    [-5n, '-05'],
    [-128n, '-80'],
    [-129n, '-81'],
    [127n, '7F'],
    [128n, '80'],
    [2n ** 64n, '010000000000000000'],
  ])('writes the serial number %s into the certificate as %s', (serialNumber, text) => {
    expect(new X509Certificate(selfSigned({ serialNumber }).der).serialNumber).toBe(text);
  });

  it('encodes dates from 1950 to the year 9999', () => {
    const at = (notBefore: number, notAfter: number): X509Certificate =>
      new X509Certificate(selfSigned({ notBefore, notAfter }).der);
    const far = at(Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(9999, 11, 31, 23, 59, 59));
    expect(far.validFrom).toBe('Dec 31 23:59:59 2049 GMT');
    expect(far.validTo).toBe('Dec 31 23:59:59 9999 GMT');
    expect(at(Date.UTC(1950, 0, 1), Date.UTC(2050, 0, 1)).validTo).toBe('Jan  1 00:00:00 2050 GMT');
  });

  it('writes hostile strings into the subject unchanged', () => {
    const commonName = 'evil\0.example\r\nBcc: x@y';
    const organization = '<script>alert(1)</script>';
    const { subject } = new X509Certificate(selfSigned({ commonName, organization }).der).toLegacyObject();
    expect(subject).toMatchObject({ CN: commonName, O: organization });
  });

  it.each(['P-384', 'P-521', 'RSA-2048', 'Ed25519'] as const)('signs with %s', (choice) => {
    const root = mintAuthority({ key: choice });
    const leaf = new X509Certificate(root.issue({ dnsNames: ['a.example'] }).der);
    expect(leaf.verify(root.key.publicKey)).toBe(true);
  });

  it('cross-signs an existing key and can corrupt a signature', () => {
    const key = mintKey();
    const first = mintAuthority({ key, commonName: 'Twice' });
    const second = mintAuthority();
    const cross = second.intermediate({ key, subjectDer: first.subjectDer });
    const leaf = new X509Certificate(cross.issue({}).der);
    expect(leaf.verify(first.key.publicKey)).toBe(true);
    const spoilt = second.issue({ corruptSignature: true });
    expect(new X509Certificate(spoilt.der).verify(second.key.publicKey)).toBe(false);
  });
});
