import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  derNull,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from '../../tests/kit/certificates/der-writer.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { type CertificateOptions, mintAuthority, selfSigned } from '../../tests/kit/certificates/mint.ts';
import {
  type Certificate,
  hasNoRevocationInformation,
  parseCertificate,
  subjectPublicKeyHash,
} from './certificate.ts';
import { PkiError } from './pki-error.ts';

const root = mintAuthority({ commonName: 'Root' });
const whole = root.issue({
  commonName: 'www.example.com',
  organization: 'Example',
  country: 'DE',
  dnsNames: ['www.example.com', '*.example.com'],
  ipAddresses: ['192.0.2.1', '2001:db8::1'],
  notBefore: Date.UTC(2026, 0, 1),
  notAfter: Date.UTC(2026, 2, 31, 23, 59, 59),
  serialNumber: 0x8765432100n,
  caIssuersUrls: ['http://ca.example/ca.cer', 'ldap://ca.example/'],
  ocspUrls: ['http://ocsp.example'],
  crlUrls: ['http://crl.example/1.crl'],
  cpsUrls: ['https://ca.example/cps'],
});

function outcome(der: Uint8Array): Certificate | PkiError {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof PkiError) return error;
    throw error;
  }
}

function codeOf(der: Uint8Array): string | null {
  const result = outcome(der);
  return result instanceof PkiError ? result.code : null;
}

describe('a certificate', () => {
  it('is parsed into its fields', () => {
    const certificate = parseCertificate(whole.der);
    expect(certificate).toMatchObject({
      fingerprint: whole.fingerprint,
      version: 3,
      serialNumber: '008765432100',
      notBefore: Date.UTC(2026, 0, 1),
      notAfter: Date.UTC(2026, 2, 31, 23, 59, 59),
      subjectAltNames: {
        dnsNames: ['www.example.com', '*.example.com'],
        ipAddresses: ['192.0.2.1', '2001:db8::1'],
      },
      key: { type: 'ec', bits: 256, curve: 'P-256' },
      signatureAlgorithm: 'ECDSA-SHA256',
      isCertificateAuthority: false,
      keyUsage: new Set(['digitalSignature']),
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'],
      caIssuersUrls: ['http://ca.example/ca.cer'],
      ocspUrls: ['http://ocsp.example'],
      crlUrls: ['http://crl.example/1.crl'],
      cpsUrls: ['https://ca.example/cps'],
      selfIssued: false,
      parseErrors: [],
    });
    expect(certificate.subject.attribute('CN')).toBe('www.example.com');
    expect(certificate.issuer.attribute('CN')).toBe('Root');
    const issuer = parseCertificate(root.der);
    expect(certificate.authorityKeyIdentifier?.keyIdentifier).toBe(issuer.subjectKeyIdentifier);
    expect(issuer).toMatchObject({ selfIssued: true, isCertificateAuthority: true });
  });

  it.each([
    ['RSA-2048', { type: 'rsa', bits: 2048, curve: null }, 'RSA-SHA256'],
    ['P-384', { type: 'ec', bits: 384, curve: 'P-384' }, 'ECDSA-SHA256'],
    ['Ed25519', { type: 'ed25519', bits: 256, curve: null }, 'Ed25519'],
  ] as const)('can have a key of %s', (key, expected, signatureAlgorithm) => {
    const certificate = parseCertificate(selfSigned({ commonName: 'a', key }).der);
    expect(certificate.key).toMatchObject(expected);
    expect(certificate.signatureAlgorithm).toBe(signatureAlgorithm);
  });

  it.each([
    ['a negative serial number', { serialNumber: -1n }, { serialNumber: 'ff' }],
    ['an empty subject', { commonName: null }, { subject: { isEmpty: true } }],
    ['the year 9999', { notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) }, { notAfter: 253402300799000 }],
    [
      'the last second of UTCTime',
      { notAfter: Date.UTC(2049, 11, 31, 23, 59, 59) },
      { timesAreEncodedAsRequired: true },
    ],
    ['GeneralizedTime from 2050', { notAfter: Date.UTC(2050, 0) }, { timesAreEncodedAsRequired: true }],
  ])('may have %s', (_, options, expected) => {
    expect(parseCertificate(root.issue({ dnsNames: ['a.example'], ...options }).der)).toMatchObject(expected);
  });

  it('keeps a NUL in its common name', () => {
    const certificate = parseCertificate(root.issue({ commonName: 'good.example\u0000.evil.example' }).der);
    expect(certificate.subject.attribute('CN')).toBe('good.example\u0000.evil.example');
  });

  it('records an unreadable extension as a parse error and still reads the other extensions', () => {
    const extraExtensions = [{ oid: '2.5.29.17', value: Buffer.from('example.com') }];
    const certificate = parseCertificate(root.issue({ extraExtensions }).der);
    expect(certificate.parseErrors).toEqual([{ extension: '2.5.29.17', code: expect.any(String) }]);
    expect(certificate.subjectAltNames.dnsNames).toEqual([]);
    expect(certificate.extendedKeyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });
});

describe('a hostile certificate', () => {
  const oneExtension = (oid: string, value: Uint8Array) =>
    root.issue({ extendedKeyUsage: null, extraExtensions: [{ oid, value }] }).der;

  it.each([
    ['an extension twice', oneExtension('2.5.29.19', sequence()), 'duplicate'],
    ['more than 100 kB', oneExtension('1.2.3', new Uint8Array(102_400)), 'too_large'],
    ['bytes after the end', Buffer.concat([whole.der, Buffer.of(0)]), 'der_trailing'],
    ['bytes that are not a certificate', Buffer.from('hello'), 'der_tag'],
    ['no bytes', new Uint8Array(), 'der_truncated'],
  ])('is refused in case of %s', (_, der, code) => expect(codeOf(der)).toBe(code));

  it('is read if it is just under the size limit', () => {
    expect(codeOf(oneExtension('1.2.3', new Uint8Array(101_000)))).toBeNull();
  });

  it('is read with a name of 60 kB', () => {
    const text = 'a'.repeat(60_000);
    const certificate = parseCertificate(root.issue({ commonName: text }).der);
    expect(certificate.subject.attribute('CN')).toHaveLength(60_000);
  });

  it('is read without descending into deeply nested values', () => {
    let nested: Uint8Array = sequence();
    for (let depth = 0; depth < 3_000; depth++) nested = sequence(nested);
    expect(codeOf(oneExtension('2.5.29.37', nested))).toBeNull();
    expect(codeOf(nested)).not.toBeNull();
  });

  it('is refused if its version is unknown or too old for its extensions', () => {
    const withVersion = (version: bigint) => {
      // The version is the first field of the signed part: A0 03 02 01 vv.
      const at = whole.der.indexOf(tagged(0, true, integer(2n)));
      const der = Buffer.from(whole.der);
      der[at + 4] = Number(version);
      return der;
    };
    expect(codeOf(withVersion(0n))).toBe('version');
    expect(codeOf(withVersion(1n))).toBe('version');
    expect(codeOf(withVersion(3n))).toBe('version');
  });

  it('is refused if its signature algorithms differ', () => {
    const oid = objectIdentifier('1.2.840.10045.4.3.2');
    const der = Buffer.from(whole.der);
    der[der.lastIndexOf(oid) + oid.length - 1] = 3;
    expect(codeOf(der)).toBe('algorithm_mismatch');
  });

  it('is refused with a malformed name', () => {
    const subjectDer = sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String('a'), utf8String('b'))));
    expect(codeOf(root.issue({ subjectDer }).der)).toBe('der_trailing');
  });

  it('causes no error but PkiError, wherever it is cut off and whichever byte is flipped', () => {
    const { length } = whole.der;
    for (let end = 0; end < length; end++) expect(codeOf(whole.der.subarray(0, end))).not.toBeNull();
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const der = Buffer.from(whole.der);
        der[at] = (der[at] ?? 0) ^ flip;
        outcome(der);
      }),
      { numRuns: 2_000 },
    );
  });
});

const read = (options: CertificateOptions) => parseCertificate(root.issue(options).der);
const noRevAvail = { oid: '2.5.29.56', value: derNull() };

describe('hasNoRevocationInformation', () => {
  const week = { notBefore: Date.now(), notAfter: Date.now() + 7 * DAY_MS };
  it.each<[string, CertificateOptions, boolean]>([
    ['a lifetime of a week without a CRL URL:', week, true],
    ['a lifetime of a week with a CRL URL:', { ...week, crlUrls: ['http://crl.example'] }, false],
    ['a lifetime of eight days:', { ...week, notAfter: week.notAfter + DAY_MS }, false],
    ['a certificate with noRevAvail:', { extraExtensions: [noRevAvail] }, true],
    [
      'a CA certificate with noRevAvail:',
      { certificateAuthority: true, extraExtensions: [noRevAvail] },
      false,
    ],
    [
      'a certificate with an unreadable noRevAvail:',
      { extraExtensions: [{ ...noRevAvail, value: integer(1n) }] },
      false,
    ],
    ['a certificate with an OCSP URL:', { ocspUrls: ['http://ocsp.example'] }, false],
  ])('returns for %s $2', (_, options, expected) =>
    expect(hasNoRevocationInformation(read(options))).toBe(expected),
  );
});

it.each<[string, number[], boolean]>([
  ['status_request', [5], true],
  ['status_request among others', [17, 5], true],
  ['status_request_v2', [17], false],
])('the TLS feature %s (%j) makes mustStaple %s', (_, features, mustStaple) => {
  const value = sequence(...features.map((one) => integer(BigInt(one))));
  for (const critical of [false, true]) {
    const extension = { oid: '1.3.6.1.5.5.7.1.24', critical, value };
    expect(read({ extraExtensions: [extension] }).mustStaple).toBe(mustStaple);
  }
});

describe('embedded certificate timestamps', () => {
  const oid = '1.3.6.1.4.1.11129.2.4.2';

  it('are read in order', () => {
    const { certificateTimestamps } = read({ timestamps: [1_753_920_000_123, 9] });
    expect(certificateTimestamps.timestamps.map(({ at }) => at)).toEqual([1_753_920_000_123, 9]);
    expect(read({}).certificateTimestamps).toEqual({ timestamps: [], unreadable: 0 });
  });

  it.each([
    ['malformed', '000100', 'value'],
    ['empty', '', 'empty'],
  ])('are an unreadable extension if their list is %s', (_, hex, code) => {
    const value = octetString(Buffer.from(hex, 'hex'));
    const { certificateTimestamps, parseErrors } = read({ extraExtensions: [{ oid, value }] });
    expect(certificateTimestamps).toEqual({ timestamps: [], unreadable: 0 });
    expect(parseErrors).toEqual([{ extension: oid, code }]);
  });
});

it('the hash of a public key is the same in every certificate with that key', () => {
  const again = mintAuthority({ commonName: 'Renewed', key: root.key });
  expect(subjectPublicKeyHash(parseCertificate(root.der))).toBe(
    subjectPublicKeyHash(parseCertificate(again.der)),
  );
  expect(subjectPublicKeyHash(parseCertificate(root.der))).not.toBe(subjectPublicKeyHash(read({})));
});
