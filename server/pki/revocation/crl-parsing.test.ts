import { describe, expect, it } from 'vitest';
import { integer, sequence, time } from '../../../tests/kit/certificates/der-writer.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { type CrlOptions, mintCrl } from '../../../tests/kit/certificates/mint-crl.ts';
import { parseCertificate } from '../certificate.ts';
import { PkiError } from '../pki-error.ts';
import { parseCrl } from './crl.ts';

const URL = 'http://crl.example/1.crl';
const now = Date.now();
const root = mintAuthority({ commonName: 'Root' });
const leaf = root.issue({ dnsNames: ['a.example'], crlUrls: [URL] });

describe('parseCrl', () => {
  const der = mintCrl(root, { revoked: [leaf], url: URL });
  const tamper = (from: Buffer, to: Buffer): Buffer => {
    const at = der.indexOf(from);
    expect(at).toBeGreaterThan(0);
    return Buffer.concat([der.subarray(0, at), to, der.subarray(at + from.length)]);
  };
  it.each<[string, () => Buffer]>([
    ['no bytes', () => Buffer.alloc(0)],
    ['a certificate', () => leaf.der],
    ['PEM that is cut off', () => Buffer.from('-----BEGIN X509 CRL-----')],
    ['an entry without its time', () => tamper(time(now).subarray(0, 1), Buffer.from([0x05]))],
    ['33 MB', () => Buffer.alloc(33 * 1024 * 1024, 0x30)],
    ['bytes after the end', () => Buffer.concat([der, Buffer.from([0])])],
  ])('rejects %s', (_, make) => expect(() => parseCrl(make())).toThrow(PkiError));

  it('rejects extensions in version 1', () => {
    expect(() => parseCrl(mintCrl(root, { plain: true, revoked: [{ ...leaf, reason: 1 }] }))).toThrow(
      PkiError,
    );
  });
});

it('the search in a CRL finds each of 300 entries and no other serial number', () => {
  const revoked = Array.from({ length: 300 }, (_, index) => ({ serialNumber: BigInt(index + 1) }));
  const crl = parseCrl(mintCrl(root, { revoked }));
  const isFound = (serialNumber: bigint) =>
    crl.find(integer(serialNumber).subarray(2).toString('hex'), crl.issuer) !== null;
  expect(revoked.filter((one) => !isFound(one.serialNumber))).toEqual([]);
  expect([301n, 23n * 256n, -1n].filter(isFound)).toEqual([]);
});

it('a search in a CRL with 100,000 entries reads only the entries around the serial number', () => {
  const der = mintCrl(root, { fillers: 100_000, revoked: [leaf] });
  const crl = parseCrl(der);
  expect(crl.entryCount).toBe(100_001);
  expect(crl.byteLength).toBeGreaterThan(3_900_000);
  const { serialNumber } = parseCertificate(leaf.der);
  const at = der.indexOf(Buffer.from(serialNumber, 'hex'));
  // A search that reads one of these entries fails, because they are malformed now.
  der.fill(0, 1_000, Math.max(1_000, at - 4_000));
  der.fill(0, Math.min(at + 4_000, der.length), der.length);
  expect(crl.find(serialNumber, crl.issuer)).toMatchObject({ reason: null });
});

it.each<[string, CrlOptions]>([
  ['alone', { emptyList: true }],
  ['of version 1', { emptyList: true, plain: true }],
  ['in a delta CRL', { emptyList: true, deltaOf: 1n }],
])('A CRL with an empty list of revoked certificates is malformed: %s', (_, options) => {
  expect(() => parseCrl(mintCrl(root, options))).toThrow(PkiError);
});

it('A CRL whose IssuingDistributionPoint is empty is malformed', () => {
  const empty = { oid: '2.5.29.28', critical: true, value: sequence() };
  expect(() => parseCrl(mintCrl(root, { extraExtensions: [empty] }))).toThrow(PkiError);
});
