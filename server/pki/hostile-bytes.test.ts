import { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged } from '../../tests/kit/certificates/damaged-bytes.ts';
import { octetString } from '../../tests/kit/certificates/der-writer.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { mintCrl } from '../../tests/kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../../tests/kit/certificates/mint-ocsp.ts';
import { parseCertificate, tryParseCertificate } from './certificate.ts';
import { readLeniently } from './lenient-certificate.ts';
import { crlStatus } from './revocation/crl-status.ts';
import { parseCrl } from './revocation/crl.ts';
import { ocspStatus } from './revocation/ocsp-status.ts';
import { PkiError } from './pki-error.ts';
import { parseRenewalInfo } from './renewal-info.ts';

const now = Date.now();
const url = 'http://crl.example/1.crl';
const root = mintAuthority({ commonName: 'Root' });
// SCT list with one entry: version, log id, time, no extensions, algorithm and a signature of one octet.
const timestamps = octetString(
  Buffer.from(`0032003000${'07'.repeat(32)}00000198d1d7c800000004030001ff`, 'hex'),
);
const leaf = root.issue({
  dnsNames: ['a.example'],
  crlUrls: [url],
  ocspUrls: ['http://ocsp.example'],
  extraExtensions: [
    { oid: '1.3.6.1.4.1.11129.2.4.2', value: timestamps },
    { oid: '1.3.6.1.5.5.7.1.24', value: Buffer.from('3003020105', 'hex') },
    { oid: '2.5.29.56', value: Buffer.from('0500', 'hex') },
  ],
});
const certificate = parseCertificate(leaf.der);
const issuer = parseCertificate(root.der);
const scope = { url, only: 'user' } as const;
const revoked = [
  { serialNumber: 5n, reason: 4 },
  { ...leaf, reason: 1 },
];
const responder = root.issue({ commonName: 'Responder', extendedKeyUsage: ['ocspSigning'] });

/**
 * Returns the longest CPU time of one `read` call in ms. Wall-clock time would also count the
 * other load of the machine.
 */
function slowest(whole: Uint8Array, read: (bytes: Uint8Array) => void, numRuns = 2_000): number {
  const timed = (bytes: Uint8Array): number => {
    const before = process.threadCpuUsage();
    read(bytes);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  let longest = 0;
  read(whole);
  assert(
    property(damaged(whole), (bytes) => {
      const ms = timed(bytes);
      // Garbage collection may slow down the first attempt.
      if (ms > longest) longest = Math.max(longest, Math.min(ms, timed(bytes)));
    }),
    { numRuns },
  );
  return longest;
}

describe('damaged bytes', () => {
  it('damaged bytes in a CRL take less than 100 ms and never make the status good', () => {
    const der = mintCrl(root, { ...scope, revoked });
    const answers = new Set<string>();
    const read = (bytes: Uint8Array): void => {
      try {
        const answer = crlStatus({
          crl: parseCrl(bytes),
          certificate,
          signers: [issuer],
          isPublic: true,
          url,
          now,
        });
        answers.add(answer.state);
      } catch (error) {
        if (!(error instanceof PkiError)) throw error;
      }
    };
    expect(slowest(der, read)).toBeLessThan(100);
    // The signature covers the whole list, so no change to it can make the status good.
    expect([...answers].toSorted()).toEqual(['none', 'revoked']);
  });

  it('damaged bytes in an OCSP response take less than 100 ms and never make the status good', () => {
    const response = mintOcspResponse(root, leaf, { responder, status: 'revoked', reason: 1 });
    const answers = new Set<string>();
    const read = (bytes: Uint8Array): void => {
      answers.add(ocspStatus({ response: bytes, certificate, issuer, isPublic: true, now }).state);
    };
    expect(slowest(response, read)).toBeLessThan(100);
    expect([...answers].toSorted()).toEqual(['none', 'revoked']);
  });

  it('damaged bytes in a certificate with timestamps and revocation extensions take less than 100 ms', () => {
    expect(certificate).toMatchObject({ mustStaple: true, hasNoRevAvail: true, parseErrors: [] });
    expect(certificate.certificateTimestamps.timestamps.map(({ at }) => at)).toEqual([
      Number('0x198d1d7c800'),
    ]);
    const read = (bytes: Uint8Array): void => {
      if (tryParseCertificate(bytes) === null) readLeniently(bytes);
    };
    expect(slowest(leaf.der, read, 10_000)).toBeLessThan(100);
  });

  it('damaged bytes in a renewal window take less than 100 ms', () => {
    const window = { start: '2026-01-02T04:00:00Z', end: '2026-01-03T04:00:00Z' };
    const body = Buffer.from(
      JSON.stringify({ suggestedWindow: window, explanationURL: 'https://ca.example' }),
    );
    expect(slowest(body, parseRenewalInfo)).toBeLessThan(100);
  });
});
