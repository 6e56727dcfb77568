import { describe, expect, it } from 'vitest';
import { mintAuthority, selfSigned } from '../../tests/kit/certificates/mint.ts';
import { pemCertificates } from '../pki/certificate-bundle.ts';
import { parseCertificate } from '../pki/certificate.ts';
import { certificateFacts, readChain } from './facts.ts';

const NOT_BEFORE = Date.UTC(2026, 8, 2);
const NOT_AFTER = Date.UTC(2026, 11, 1);
const validity = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };

describe('certificateFacts', () => {
  it('returns names, validity, serial number, authority and its URL', () => {
    const authority = mintAuthority({ commonName: 'Fjord CA 1', organization: 'Fjord, Inc.', country: 'NO' });
    const leaf = authority.issue({
      ...validity,
      dnsNames: ['pay.fjord.example', 'www.fjord.example'],
      ipAddresses: ['192.0.2.1'],
      serialNumber: 0xabcdefn,
      caIssuersUrls: ['http://ca.fjord.example/1.cer'],
      cpsUrls: ['https://ca.fjord.example/cps'],
    });
    expect(certificateFacts(parseCertificate(leaf.der))).toEqual({
      fingerprint: leaf.fingerprint,
      serialNumber: '00abcdef',
      issuer: 'Fjord CA 1',
      subject: 'pay.fjord.example',
      ...validity,
      authorityName: 'Fjord, Inc.',
      authorityFullDn: 'CN=Fjord CA 1,O=Fjord\\, Inc.,C=NO',
      authorityUrl: 'http://ca.fjord.example/1.cer',
      sans: ['pay.fjord.example', 'www.fjord.example', '192.0.2.1'],
    });
  });

  it('falls back to other fields if a certificate has no common name', () => {
    const authority = mintAuthority({ commonName: null, organization: 'Fjord', organizationalUnit: 'Trust' });
    const leaf = authority.issue({
      ...validity,
      commonName: null,
      dnsNames: ['a.example'],
      cpsUrls: ['https://fjord.example/cps'],
    });
    expect(certificateFacts(parseCertificate(leaf.der))).toMatchObject({
      issuer: 'Trust',
      subject: 'a.example',
      authorityName: 'Fjord',
      authorityUrl: 'https://fjord.example/cps',
    });
    const bare = selfSigned({ ...validity, commonName: null });
    expect(certificateFacts(parseCertificate(bare.der))).toMatchObject({
      issuer: '',
      subject: '',
      authorityName: '',
      authorityUrl: null,
      sans: [],
    });
  });

  it('keeps at most 2,000 names', () => {
    const dnsNames = Array.from({ length: 2_500 }, (_, index) => `h${index}.example`);
    const leaf = selfSigned({ ...validity, dnsNames });
    expect(certificateFacts(parseCertificate(leaf.der)).sans).toHaveLength(2_000);
  });
});

describe('readChain', () => {
  const root = mintAuthority({ commonName: null, organization: 'Fjord', organizationalUnit: 'Trust' });
  const issuing = root.intermediate({ commonName: 'Fjord CA 1' });
  const leaf = issuing.issue({ commonName: 'pay.fjord.example', dnsNames: ['pay.fjord.example'] });

  it('returns certificates in the order in which the server sent them', () => {
    const chain = readChain([leaf.der, issuing.der, root.der]);
    expect(chain.map(({ role, subject, issuer }) => [role, subject, issuer])).toEqual([
      ['leaf', 'pay.fjord.example', 'Fjord CA 1'],
      ['intermediate', 'Fjord CA 1', 'Trust'],
      ['root', 'Trust', 'Trust'],
    ]);
    expect(chain[0]).toMatchObject({
      fingerprint: leaf.fingerprint,
      subjectFullDn: 'CN=pay.fjord.example',
      authorityFullDn: 'CN=Fjord CA 1,O=Certlantern Tests',
      publicKey: 'ECDSA P-256',
      sans: ['pay.fjord.example'],
    });
    expect(pemCertificates(chain.map(({ pem }) => pem).join('')).map((der) => Buffer.from(der))).toEqual([
      leaf.der,
      issuing.der,
      root.der,
    ]);
  });

  it('leaves out unreadable certificates without changing the roles of the others', () => {
    const broken = leaf.der.subarray(0, 100);
    expect(readChain([broken, issuing.der, broken, root.der]).map(({ role }) => role)).toEqual([
      'intermediate',
      'root',
    ]);
  });

  it('treats the first certificate as the leaf even if it issued itself', () => {
    expect(readChain([selfSigned({ dnsNames: ['nas.example'] }).der])).toMatchObject([{ role: 'leaf' }]);
  });
});
