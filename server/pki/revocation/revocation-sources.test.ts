import { describe, expect, it } from 'vitest';

import { integer, nothing, octetString, sequence } from '../../../tests/kit/der-writer.ts';
import { mintAuthority } from '../../../tests/kit/mint.ts';
import type { CertificateOptions } from '../../../tests/kit/mint.ts';
import { parseCertificate } from '../certificate.ts';
import { hasNoRevocationInformation, subjectPublicKeyHash } from './revocation-sources.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const root = mintAuthority();
const read = (options: CertificateOptions) => parseCertificate(root.issue(options).der);
const noRevAvail = { oid: '2.5.29.56', value: nothing() };

describe('no revocation information', () => {
  const week = { notBefore: Date.now(), notAfter: Date.now() + 7 * DAY_MS };
  it.each<[string, CertificateOptions, boolean]>([
    ['a week without a source', week, true],
    ['a week with a source', { ...week, crlUrls: ['http://crl.example'] }, false],
    ['eight days', { ...week, notAfter: week.notAfter + DAY_MS }, false],
    ['noRevAvail', { extraExtensions: [noRevAvail] }, true],
    ['noRevAvail in a CA', { certificateAuthority: true, extraExtensions: [noRevAvail] }, false],
    ['an unreadable noRevAvail', { extraExtensions: [{ ...noRevAvail, value: integer(1n) }] }, false],
    ['a usual certificate', { ocspUrls: ['http://ocsp.example'] }, false],
  ])('%s: %s', (_, options, expected) => expect(hasNoRevocationInformation(read(options))).toBe(expected));
});

it.each<[string, number[], boolean]>([
  ['status_request', [5], true],
  ['status_request among others', [17, 5], true],
  ['status_request_v2', [17], false],
])('TLS feature %s', (_, features, mustStaple) => {
  const value = sequence(...features.map((one) => integer(BigInt(one))));
  for (const critical of [false, true]) {
    const extension = { oid: '1.3.6.1.5.5.7.1.24', critical, value };
    expect(read({ extraExtensions: [extension] }).mustStaple).toBe(mustStaple);
  }
});

describe('embedded timestamps', () => {
  const length = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  const timestamp = (at: bigint, version = 0): Buffer => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(at);
    return length(
      Buffer.concat([
        Buffer.from([version]),
        Buffer.alloc(32, 7),
        time,
        Buffer.from('00000403000101', 'hex'),
      ]),
    );
  };
  const list = (content: Buffer) =>
    read({ extraExtensions: [{ oid: '1.3.6.1.4.1.11129.2.4.2', value: octetString(content) }] });

  it('are read in their order, those of later versions passed over', () => {
    const found = list(
      length(Buffer.concat([timestamp(1_753_920_000_123n), timestamp(5n, 1), timestamp(9n)])),
    );
    expect(found.signedCertificateTimestamps).toEqual([1_753_920_000_123, 9]);
    expect(read({}).signedCertificateTimestamps).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['cut off', length(timestamp(9n)).subarray(0, -1)],
    ['more after the end', Buffer.concat([length(timestamp(9n)), Buffer.from([0])])],
    ['too short for a time', length(length(Buffer.alloc(20)))],
    ['a time beyond all time', length(timestamp(2n ** 64n - 1n))],
    ['empty', Buffer.alloc(0)],
  ])('%s: the extension counts as unreadable', (_, content) => {
    const { signedCertificateTimestamps, parseErrors } = list(content);
    expect(signedCertificateTimestamps).toEqual([]);
    expect(parseErrors).toMatchObject([{ extension: '1.3.6.1.4.1.11129.2.4.2' }]);
  });
});

it('the hash of a key is the same under every certificate', () => {
  const again = mintAuthority({ commonName: 'Renewed', key: root.key });
  expect(subjectPublicKeyHash(parseCertificate(root.der))).toBe(
    subjectPublicKeyHash(parseCertificate(again.der)),
  );
  expect(subjectPublicKeyHash(parseCertificate(root.der))).not.toBe(subjectPublicKeyHash(read({})));
});
