import { describe, expect, it } from 'vitest';
import type { AddressWire } from '../../../../contract/domain-report.ts';
import { addressVerdict, oldCertificateLine, tlsName } from './address-verdict.ts';

const OLD = { fingerprint: 'aa', expiry_date: '2026-12-01T00:00:00.000Z' };
const NEW = { fingerprint: 'bb', expiry_date: '2027-02-01T00:00:00.000Z' };
const OTHER = { fingerprint: 'cc', expiry_date: '2027-01-01T00:00:00.000Z' };
const FAILED = { fingerprint: null, expiry_date: null, tls_version: null, failure: 'did not answer in time' };

const OURS = { ...FAILED, family: 6 as const, is_ours: true };

const seen = (...each: Partial<AddressWire>[]): AddressWire[] =>
  each.map((differences, index) => ({
    address: `192.0.2.${index + 1}`,
    family: 4,
    server: null,
    ...NEW,
    tls_version: 'TLSv1.3',
    group: 'X25519',
    alpn: 'h2',
    response_ms: 20,
    failure: null,
    is_ours: false,
    ...differences,
  }));

describe('the summary of the addresses', () => {
  it.each<[string, AddressWire[], string, boolean]>([
    ['no address', [], 'No addresses known', false],
    ['one address', seen({}), 'One address', false],
    ['one address that failed', seen(FAILED), 'The check of the only address failed', true],
    [
      'two addresses with the same certificate',
      seen({}, {}),
      'Both addresses serve the same certificate',
      false,
    ],
    [
      'six addresses with the same certificate',
      seen({}, {}, {}, {}, {}, {}),
      'All 6 addresses serve the same certificate',
      false,
    ],
    [
      'two of six addresses with the old certificate',
      seen(NEW, OLD, NEW, NEW, OLD, NEW),
      '2 of 6 addresses still serve the old certificate',
      true,
    ],
    [
      'two of three addresses with the old certificate',
      seen(NEW, OLD, OLD),
      '2 of 3 addresses still serve the old certificate',
      true,
    ],
    [
      'an old certificate and a failure',
      seen(NEW, OLD, FAILED),
      '1 of 3 addresses still serves the old certificate; 1 failed',
      true,
    ],
    [
      'three different certificates',
      seen(NEW, OLD, OTHER),
      '3 addresses serve 3 different certificates',
      true,
    ],
    [
      'two certificates that expire together',
      seen(NEW, { ...NEW, fingerprint: 'dd' }),
      '2 addresses serve 2 different certificates',
      true,
    ],
    ['one failure', seen({}, {}, FAILED), '2 of 3 addresses serve the certificate; 1 failed', true],
    [
      'an address that our server cannot reach over IPv6',
      seen({}, OURS),
      '1 of 2 addresses serves the certificate; 1 was not checked, because our server has no IPv6',
      false,
    ],
    [
      'an address that our server cannot reach over IPv4',
      seen({}, { ...OURS, family: 4 }),
      '1 of 2 addresses serves the certificate; 1 was not checked, because our server has no IPv4',
      false,
    ],
    [
      'a failure and two addresses that our server cannot reach',
      seen({}, FAILED, OURS, OURS),
      '1 of 4 addresses serves the certificate; 1 failed; 2 were not checked, because our server has no IPv6',
      true,
    ],
    [
      'only an address that our server cannot reach',
      seen(OURS),
      'The only address was not checked: our server has no IPv6',
      false,
    ],
    ['only failures', seen(FAILED, FAILED), 'The checks of all 2 addresses failed', true],
  ])('for %s reads: $2', (_, addresses, line, needsLook) => {
    expect(addressVerdict(addresses)).toMatchObject({ line, needsLook });
  });
});

it('addressVerdict marks addresses with an old certificate or a failure', () => {
  const { addresses } = addressVerdict(seen(OLD, NEW, FAILED));
  expect(addresses.map(({ mark }) => mark)).toEqual(['Old certificate', null, 'Failed']);
});

it('oldCertificateLine counts the addresses that still serve the old certificate', () => {
  expect(oldCertificateLine('aa', seen(OLD, NEW, NEW))).toBe(
    '1 of 3 addresses still serves this certificate; 2 others serve a newer one, valid until 1 February 2027',
  );
  expect(oldCertificateLine('aa', seen(OLD, OLD, NEW))).toBe(
    '2 of 3 addresses still serve this certificate; another serves a newer one, valid until 1 February 2027',
  );
  expect(oldCertificateLine('bb', seen(OLD, NEW))).toBeNull();
  expect(oldCertificateLine('aa', seen(OLD, OLD))).toBeNull();
  expect(oldCertificateLine(null, seen(FAILED))).toBeNull();
});

it.each([
  ['TLSv1', 'TLS 1.0'],
  ['TLSv1.3', 'TLS 1.3'],
])('tlsName returns for %s: %s', (version, name) => expect(tlsName(version)).toBe(name));
