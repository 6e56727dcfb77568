import { describe, expect, it } from 'vitest';
import { mintAuthority, selfSigned } from '../../tests/kit/certificates/mint.ts';
import { readAuthorities } from './pasted-certificates.ts';

const root = mintAuthority({ commonName: 'Home Root', organization: 'Home' });
const other = mintAuthority({ commonName: 'Office Root' });

const messageOf = (pem: string) => {
  const read = readAuthorities(pem);
  return read.ok ? null : read.message;
};

describe('authorities from PEM text', () => {
  it('are read with their names, each once, whatever text surrounds them', () => {
    const text = `Our roots:\n${root.certificatePem}\n# and\n${other.certificatePem}${root.certificatePem}`;
    const read = readAuthorities(text);
    expect(read).toMatchObject({
      ok: true,
      authorities: [
        { facts: { fingerprint: root.fingerprint, subject: 'Home Root' } },
        { facts: { fingerprint: other.fingerprint, subject: 'Office Root' } },
      ],
    });
    expect(read.ok && read.authorities[0]?.facts.subjectFullDn).toContain('CN=Home Root');
  });

  it('are refused if one is a self-signed server certificate', () => {
    const own = selfSigned({ commonName: 'nas.example', dnsNames: ['nas.example'] });
    expect(messageOf(own.certificatePem)).toMatch(
      /^The certificate of nas\.example .* It is self-signed: have your own/,
    );
  });

  it('are refused if one is a server certificate', () => {
    const leaf = root.issue({ commonName: 'shop.example', dnsNames: ['shop.example'] });
    expect(messageOf(root.certificatePem + leaf.certificatePem)).toBe(
      'The certificate of shop.example is not a certificate authority. Paste the certificate that issued it.',
    );
    expect(messageOf(selfSigned({ dnsNames: ['nas.local'] }).certificatePem)).toContain(
      'not a certificate authority',
    );
  });

  it('are refused if the text contains a private key; the message does not repeat the key', () => {
    const { keyPem } = root.issue({ dnsNames: ['a.example'] });
    for (const text of [root.certificatePem + keyPem, keyPem]) {
      expect(messageOf(text)).toContain('private key');
      expect(messageOf(text)).not.toContain(keyPem.slice(40, 60));
    }
  });

  it.each([
    ['', 'There is no certificate'],
    ['hello', 'There is no certificate'],
    ['-----BEGIN X509 CRL-----\n-----END X509 CRL-----', 'no certificate in this text, but X509 CRL'],
    ['-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----', 'a request for a certificate'],
    ['-----BEGIN PKCS7-----\nMAsGCSqGSIb3DQEHAg==\n-----END PKCS7-----', 'PKCS#7 data'],
    [root.certificatePem.slice(0, 200), 'incomplete'],
    ['-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----', 'incomplete'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'cannot be read'],
  ])('are refused if the text is %j', (text, message) => {
    expect(messageOf(text)).toContain(message);
  });
});
