import { expect, it } from 'vitest';
import type { Finding } from '../finding.ts';
import { findingFix, isOfEachAddress, shortLine } from './describe-finding.ts';

it('findingFix says how to trust a self-signed certificate, on the site and in the shell', () => {
  const selfSigned = {
    code: 'self_signed',
    severity: 'critical',
    attachment: null,
    facts: { kind: 'no_path' },
  } as const;
  expect(findingFix(selfSigned, 'nas.example')).toMatch(/in your profile\. .*only if it is a CA/);
  expect(findingFix(selfSigned, 'nas.example', 'shell')).toMatch(
    /--ca FILE\. You can also pass the certificate itself/,
  );
});

it.each<[string, Pick<Finding, 'code' | 'facts'>, number, string | undefined]>([
  ['says what is wrong', { code: 'self_signed', facts: { kind: 'no_path' } }, 1, 'Not trusted: self-signed'],
  [
    'counts the addresses that serve the old certificate',
    differing('its_renewals'),
    1,
    '1 of 3 addresses: old certificate',
  ],
  ['says that addresses differ', differing('as_long'), 1, 'Addresses serve different certificates'],
  [
    'is missing if only the message says what is wrong',
    { code: 'wrong_order', facts: { kind: 'no_path' } },
    1,
    undefined,
  ],
])('the short line of a finding %s', (_, found, count, line) => {
  const addresses = Array.from({ length: count }, (_one, index) => `192.0.2.${index + 1}`);
  const rest = {
    severity: 'warning',
    addresses,
    fingerprint: null,
    keyType: null,
    attachment: null,
  } as const;
  expect(shortLine({ ...found, ...rest })).toBe(line);
});

function differing(others: 'its_renewals' | 'as_long'): Pick<Finding, 'code' | 'facts'> {
  return {
    code: 'certificates_differ',
    facts: { kind: 'addresses_differ', read: 3, certificates: 2, others, notAfter: 0, evidence: [] },
  };
}

it('isOfEachAddress is false for the certificate of another key type, and for a finding that names the addresses itself', () => {
  const selfSigned = { code: 'self_signed', fingerprint: 'ab', keyType: null } as const;
  expect(isOfEachAddress(selfSigned)).toBe(true);
  // Only one address was asked for a certificate with another type of key.
  expect(isOfEachAddress({ ...selfSigned, keyType: 'rsa' })).toBe(false);
  // The finding itself says how many addresses have which certificate.
  expect(isOfEachAddress({ ...selfSigned, code: 'certificates_differ' })).toBe(false);
});
