import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { parseCertificate } from '../certificate.ts';
import { matchesReference, referenceMatcher } from './reference-identifier.ts';

const root = mintAuthority();
const key = root.key;

function matches(
  presented: { dnsNames?: string[]; ipAddresses?: string[]; commonName?: string },
  name: string,
): boolean {
  const certificate = parseCertificate(root.issue({ key, ...presented }).der);
  return matchesReference(certificate, { kind: 'dns', name });
}

describe('matching a DNS reference', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['*.example.com', 'foo.example.com'],
    ['*.example.com', 'xn--bcher-kva.example.com'],
    ['foo_bar.example.com', 'foo_bar.example.com'],
    ['localhost', 'localhost'],
  ])('a certificate for %s matches the reference %s', (presented, name) =>
    expect(matches({ dnsNames: [presented] }, name)).toBe(true),
  );

  it.each([
    ['example.com', 'www.example.com'],
    ['www.example.com', 'example.com'],
    ['*.example.com', 'example.com'],
    ['*.example.com', 'a.b.example.com'],
    ['*.example.com', '.example.com'],
    ['*.com', 'example.com'],
    ['*', 'localhost'],
    ['*.', 'a.'],
    ['b*.example.com', 'bar.example.com'],
    ['*r.example.com', 'bar.example.com'],
    ['www.*.com', 'www.example.com'],
    ['*.*.example.com', 'a.b.example.com'],
    ['*.example..com', 'a.example..com'],
    ['example.com\u0000.evil.example', 'example.com'],
    ['example.com.', 'example.com'],
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
  ])('a certificate for %j does not match the reference %j', (presented, name) =>
    expect(matches({ dnsNames: [presented] }, name)).toBe(false),
  );

  it('a common name never matches a reference', () => {
    expect(matches({ commonName: 'example.com' }, 'example.com')).toBe(false);
    expect(matches({ commonName: 'example.com', dnsNames: ['other.example'] }, 'example.com')).toBe(false);
  });
});

describe('an IP address reference', () => {
  const certificate = parseCertificate(
    root.issue({ key, dnsNames: ['192.0.2.9'], ipAddresses: ['192.0.2.1', '2001:db8::1'] }).der,
  );
  it.each([
    ['192.0.2.1', true],
    ['2001:db8:0:0::1', true],
    ['192.0.2.2', false],
    ['192.0.2.9', false],
    ['::ffff:192.0.2.1', false],
    ['example.com', false],
  ])('to %s matches a certificate for 192.0.2.1 and 2001:db8::1: %s', (address, expected) => {
    expect(matchesReference(certificate, { kind: 'ip', address })).toBe(expected);
  });
});

it('A matcher for many references reads the names of the certificate once', () => {
  const { subjectAltNames } = parseCertificate(root.issue({ key, dnsNames: ['*.example.com'] }).der);
  let reads = 0;
  const matchesHost = referenceMatcher({
    get subjectAltNames() {
      reads += 1;
      return subjectAltNames;
    },
  });
  for (const name of ['a.example.com', 'b.example.com'])
    expect(matchesHost({ kind: 'dns', name })).toBe(true);
  expect(reads).toBe(1);
});
