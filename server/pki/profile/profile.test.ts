import { describe, expect, it } from 'vitest';
import {
  boolean,
  derNull,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from '../../../tests/kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, mintKey } from '../../../tests/kit/certificates/mint.ts';
import { type Certificate, parseCertificate } from '../certificate.ts';
import type { CertificateRole } from '../path-failure.ts';
import { issuanceFailures, type Profile, profileFailures } from './profile.ts';

const root = mintAuthority({ commonName: 'Root' });
const key = mintKey();
const good: CertificateOptions = { key, commonName: 'www.example.com', dnsNames: ['www.example.com'] };
const issue = (options: CertificateOptions): Certificate =>
  parseCertificate(root.issue({ ...good, ...options }).der);
const authority = (options: CertificateOptions): Certificate =>
  parseCertificate(root.intermediate({ key, ...options }).der);
const anchor = (options: CertificateOptions): Certificate =>
  parseCertificate(mintAuthority({ key, ...options }).der);

/** Returns the ids of the rules that a certificate violates, without their sections. */
function broken(certificate: Certificate, profile: Profile, role: CertificateRole = 'leaf'): string[] {
  const failures = profileFailures(certificate, role, { profile, purpose: 'serverAuth' });
  return failures.map(({ rule }) => rule?.split(' ')[0] ?? '');
}

const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY = '2.5.29.35';
const SUBJECT_KEY = '2.5.29.14';
const ALTERNATIVE_NAMES = '2.5.29.17';
const dnsName = (name: string) => tagged(2, false, Buffer.from(name));

describe('certificate profiles', () => {
  it('find no fault in certificates as CAs issue them', () => {
    for (const profile of ['tls-client', 'rfc5280', 'web-pki'] as const) {
      expect(broken(issue({}), profile)).toEqual([]);
      expect(broken(authority({ pathLength: 0 }), profile, 'intermediate')).toEqual([]);
      expect(broken(anchor({}), profile, 'anchor')).toEqual([]);
    }
  });

  it('have no additional rules for TLS clients', () => {
    expect(broken(issue({ commonName: 'other.example', keyIdentifiers: null }), 'tls-client')).toEqual([]);
  });

  it.each<[string, CertificateOptions]>([
    ['serial-number-positive', { serialNumber: 0n }],
    ['serial-number-positive', { serialNumber: -5n }],
    ['serial-number-within-20-octets', { serialNumber: 1n << 160n }],
    ['authority-key-identifier-present', { keyIdentifiers: null }],
    ['signature-key-usage', { key: 'ML-DSA-65', keyUsage: ['digitalSignature', 'keyEncipherment'] }],
    ['signature-key-usage', { key: 'Ed25519', keyUsage: ['keyAgreement'] }],
    [
      'key-usage-not-empty',
      { keyUsage: null, extraExtensions: [{ oid: KEY_USAGE, value: Buffer.from('03020700', 'hex') }] },
    ],
    ['key-cert-sign-only-in-authorities', { keyUsage: ['digitalSignature', 'keyCertSign'] }],
    ['path-length-only-where-certificates-are-signed', { pathLength: 0 }],
    ['name-constraints-only-in-authorities', { permitted: { dns: ['example.com'] } }],
    [
      'policy-limits-only-in-authorities',
      { extraExtensions: [{ oid: '2.5.29.54', critical: true, value: integer(0n) }] },
    ],
    [
      'authority-information-not-critical',
      { extraExtensions: [{ oid: '1.3.6.1.5.5.7.1.1', critical: true, value: derNull() }] },
    ],
    [
      'freshest-crl-not-critical',
      { extraExtensions: [{ oid: '2.5.29.46', critical: true, value: derNull() }] },
    ],
    ['subject-attributes-within-bounds', { organization: 'a'.repeat(65) }],
    ['alternative-dns-name-in-preferred-syntax', { dnsNames: ['www.example.com', 'foo_bar.example.com'] }],
    ['alternative-dns-name-in-preferred-syntax', { dnsNames: ['www.example.com', '-a.example.com'] }],
    ['alternative-dns-name-in-preferred-syntax', { dnsNames: ['www.example.com', 'a*.example.com'] }],
    [
      'alternative-name-critical-without-subject',
      {
        commonName: null,
        dnsNames: [],
        extraExtensions: [{ oid: ALTERNATIVE_NAMES, value: sequence(dnsName('a.example')) }],
      },
    ],
  ])('certificate profiles of RFC 5280 and the Baseline Requirements have the rule %s', (rule, options) => {
    const certificate = issue(options);
    expect(broken(certificate, 'rfc5280')).toContain(rule);
    expect(broken(certificate, 'web-pki')).toContain(rule);
  });

  it.each<[string, CertificateOptions]>([
    ['common-name-is-an-alternative-name', { commonName: 'WWW.example.com' }],
    [
      'common-name-is-an-alternative-name',
      { commonName: '2001:DB8::1', dnsNames: [], ipAddresses: ['2001:db8::1'] },
    ],
    ['subscriber-extended-key-usage', { extendedKeyUsage: null }],
    ['subscriber-extended-key-usage', { extendedKeyUsage: ['serverAuth', 'any'] }],
    ['subscriber-is-no-authority', { certificateAuthority: true }],
    ['subscriber-key-usage', { keyUsage: ['digitalSignature', 'cRLSign'] }],
    ['subscriber-key-usage', { keyUsage: ['keyAgreement'] }],
    ['key-permitted', { key: 'Ed25519' }],
    ['alternative-dns-name-labels', { dnsNames: ['www.example.com', 'ab--c.example.com'] }],
    ['alternative-dns-name-labels', { dnsNames: ['www.example.com', 'xn--99999999.example.com'] }],
    [
      'server-has-alternative-names-of-hosts-only',
      {
        dnsNames: [],
        commonName: null,
        extraExtensions: [
          {
            oid: ALTERNATIVE_NAMES,
            critical: true,
            value: sequence(tagged(1, false, Buffer.from('a@b.example'))),
          },
        ],
      },
    ],
    [
      'alternative-name-not-critical-with-subject',
      {
        dnsNames: [],
        extraExtensions: [
          { oid: ALTERNATIVE_NAMES, critical: true, value: sequence(dnsName('www.example.com')) },
        ],
      },
    ],
    [
      'one-attribute-per-relative-name',
      {
        subjectDer: sequence(
          set(
            sequence(objectIdentifier('2.5.4.10'), utf8String('a')),
            sequence(objectIdentifier('2.5.4.11'), utf8String('b')),
          ),
        ),
      },
    ],
  ])('certificate profiles of the Baseline Requirements alone have the rule %s', (rule, options) => {
    const certificate = issue(options);
    expect(broken(certificate, 'web-pki')).toContain(rule);
    expect(broken(certificate, 'rfc5280')).not.toContain(rule);
  });

  it.each<[string, CertificateOptions]>([
    ['authority-subject-not-empty', { commonName: null, organization: null }],
    ['subject-key-identifier-present', { keyIdentifiers: null }],
    [
      'subject-key-identifier-not-critical',
      {
        keyIdentifiers: null,
        extraExtensions: [{ oid: SUBJECT_KEY, critical: true, value: octetString(Buffer.of(1)) }],
      },
    ],
    ['authority-key-usage-present', { keyUsage: null }],
    [
      'authority-basic-constraints-critical',
      {
        basicConstraints: null,
        extraExtensions: [{ oid: BASIC_CONSTRAINTS, value: sequence(boolean(true)) }],
      },
    ],
    [
      'policy-constraints-critical',
      { extraExtensions: [{ oid: '2.5.29.36', value: sequence(tagged(0, false, Buffer.of(0))) }] },
    ],
    ['name-constraints-without-leading-dot', { permitted: { dns: ['.example.com'] } }],
  ])('have the rule %s for authorities', (rule, options) => {
    expect(broken(authority(options), 'rfc5280', 'intermediate')).toContain(rule);
    expect(broken(authority(options), 'web-pki', 'intermediate')).toContain(rule);
  });

  it('let only a self-signed anchor leave out its authority key identifier', () => {
    const own = anchor({
      keyIdentifiers: null,
      extraExtensions: [{ oid: SUBJECT_KEY, value: octetString(Buffer.of(1)) }],
    });
    expect(broken(own, 'rfc5280', 'anchor')).toEqual([]);
    expect(broken(own, 'web-pki', 'anchor')).toEqual([]);
    expect(broken(own, 'rfc5280', 'intermediate')).toEqual(['authority-key-identifier-present']);
  });

  it('require that the authority key identifier of a root names the root itself', () => {
    const other = { oid: AUTHORITY_KEY, value: sequence(tagged(0, false, Buffer.of(9))) };
    const certificate = anchor({
      keyIdentifiers: null,
      extraExtensions: [{ oid: SUBJECT_KEY, value: octetString(Buffer.of(1)) }, other],
    });
    expect(broken(certificate, 'web-pki', 'anchor')).toEqual(['root-authority-key-identifier-is-its-own']);
  });

  it('require that the authority key identifier and issuer name of a leaf match its issuer', () => {
    const issuer = parseCertificate(root.der);
    expect(issuanceFailures(issue({}), issuer, 'leaf', 'web-pki')).toEqual([]);
    const stranger = parseCertificate(mintAuthority({ commonName: 'ROOT' }).der);
    const rules = (profile: Profile) =>
      issuanceFailures(issue({}), stranger, 'leaf', profile).map(({ rule }) => rule?.split(' ')[0]);
    expect(rules('tls-client')).toEqual([]);
    expect(rules('rfc5280')).toEqual(['authority-key-identifier-is-the-issuers']);
    expect(rules('web-pki')).toHaveLength(2);
  });
});
