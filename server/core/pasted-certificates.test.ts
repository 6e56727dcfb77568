import { describe, expect, it } from 'vitest';
import { mintAuthority, selfSigned } from '../../tests/kit/certificates/mint.ts';
import { readAuthorities, readExpected } from './pasted-certificates.ts';

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
      'The certificate of shop.example is not a certificate authority. Add the certificate that issued it.',
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

describe('the certificate that hosts should serve', () => {
  const intermediate = root.intermediate({ commonName: 'Home CA' });
  const leaf = intermediate.issue({ dnsNames: ['shop.example'] });
  const found = (pem: string) => {
    const read = readExpected(pem, Date.now());
    return read.ok ? read.certificate.facts.fingerprint : read.message;
  };

  it('is the one that is no authority, wherever it is in the text', () => {
    const chain = [leaf.certificatePem, intermediate.certificatePem, root.certificatePem];
    for (const pem of [chain, chain.toReversed(), [...chain.slice(1), ...chain]])
      expect(found(pem.join(''))).toBe(leaf.fingerprint);
    expect(found(selfSigned({ dnsNames: ['nas.example'] }).certificatePem)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is never the issuer of another certificate in the text, even if no extension marks it as an authority', () => {
    const old = mintAuthority({ commonName: 'Old Root', basicConstraints: null, keyUsage: null });
    const issued = old.issue({ dnsNames: ['old.example'] });
    expect(found(old.certificatePem + issued.certificatePem)).toBe(issued.fingerprint);
  });

  it.each([
    ['only authorities', intermediate.certificatePem + root.certificatePem, 'only certificate authorities'],
    ['one self-signed authority', root.certificatePem, 'only certificate authorities'],
    [
      'one root of version 1',
      mintAuthority({ editFields: (fields) => fields.slice(1, -1) }).certificatePem,
      'only certificate authorities',
    ],
    [
      'one that may sign certificates, without basicConstraints',
      root.intermediate({ basicConstraints: null }).certificatePem,
      'only certificate authorities',
    ],
    [
      'two hosts',
      leaf.certificatePem + root.issue({ dnsNames: ['b.example'] }).certificatePem,
      'several certificates of hosts',
    ],
    ['an expired one', root.issue({ notAfter: Date.now() - 1_000 }).certificatePem, 'has expired'],
    ['a private key', leaf.certificatePem + leaf.keyPem, 'private key'],
    [
      'one that cannot be read',
      `${leaf.certificatePem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
      'cannot be read',
    ],
  ])('is refused with the reason from a text with %s', (_, pem, reason) => {
    expect(found(pem)).toContain(reason);
  });
});
