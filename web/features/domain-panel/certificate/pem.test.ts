import { describe, expect, it } from 'vitest';
import { fingerprintText, pemFileName, pemOf, shortFingerprint } from './pem.ts';

describe('PEM files', () => {
  it('are named after the host', () => {
    expect(pemFileName('git.orchard.example', 0)).toBe('git.orchard.example.pem');
    expect(pemFileName('git.orchard.example', 1)).toBe('git.orchard.example-2.pem');
    expect(pemFileName('git.orchard.example', 'chain')).toBe('git.orchard.example-chain.pem');
    expect(pemFileName('git.orchard.example', 'fullchain')).toBe('git.orchard.example-fullchain.pem');
  });

  it('have names that every file system accepts', () => {
    expect(pemFileName('2001:db8::1', 0)).toBe('2001-db8--1.pem');
    expect(pemFileName('a'.repeat(253), 'chain').length).toBeLessThanOrEqual(255);
  });

  it('concatenate the certificates', () => {
    expect(pemOf([{ pem: 'LEAF' }, { pem: 'ISSUER\n' }])).toBe('LEAF\nISSUER\n');
  });
});

it('fingerprintText writes a fingerprint in pairs of digits', () =>
  expect(fingerprintText('0aff1')).toBe('0A:FF:1'));
it('shortFingerprint shortens a fingerprint to its first three bytes', () =>
  expect(shortFingerprint('0aff1234abcd')).toBe('0A:FF:12'));
