import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mintAuthority } from '../tests/kit/certificates/mint.ts';
import { mintOcspResponse } from '../tests/kit/certificates/mint-ocsp.ts';
import { type CrlOptions, mintCrl } from '../tests/kit/certificates/mint-crl.ts';
import { readVectorCases } from './vectors-cases.ts';
import { readBoringsslCases } from './vectors-boringssl.ts';
import { readPkitsCases } from './vectors-pkits.ts';
import { formatTally, runVectors } from './vectors-run.ts';

const now = Date.now();
const root = mintAuthority({ commonName: 'Root' });
const leaf = root.issue({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
const otherName = root.issue({ commonName: 'example.com', dnsNames: ['localhost'] }).certificatePem;
const crlPem = (options: CrlOptions) =>
  `-----BEGIN X509 CRL-----\n${mintCrl(root, options).toString('base64')}\n-----END X509 CRL-----\n`;
const base64 = (der: Uint8Array) => Buffer.from(der).toString('base64');

function limbo(change: Record<string, unknown>): string {
  const testCase = {
    id: 'webpki::example',
    validation_kind: 'SERVER',
    trusted_certs: [root.certificatePem],
    untrusted_intermediates: [],
    peer_certificate: leaf.certificatePem,
    validation_time: null,
    extended_key_usage: [],
    expected_result: 'SUCCESS',
    expected_peer_name: { kind: 'DNS', value: 'localhost' },
    expected_peer_names: [],
    max_chain_depth: null,
    ...change,
  };
  return JSON.stringify({ version: 1, testcases: [testCase] });
}

function betterTls(...testCases: Record<string, unknown>[]): string {
  const full = testCases.map((change, id) => ({
    id,
    suite: 'nameconstraints',
    certificates: [base64(leaf.der)],
    hostname: '127.0.0.1',
    requiredFeatures: [],
    expected: 'ACCEPT',
    failureIsWarning: false,
    ...change,
  }));
  return JSON.stringify({ trustRoot: base64(root.der), suites: { nameconstraints: { testCases: full } } });
}

const closing = (text: string) => formatTally(runVectors(readVectorCases(text), { now, profile: null }));

describe('x509-limbo cases', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a case that agrees', {}, '1 agree, 0 false accept, 0 false reject, 0 skipped'],
    ['a false accept', { expected_result: 'FAILURE' }, '0 agree, 1 false accept, 0 false reject, 0 skipped'],
    [
      'a false reject',
      { expected_peer_name: { kind: 'DNS', value: 'example.com' } },
      '0 agree, 0 false accept, 1 false reject, 0 skipped',
    ],
    ['no expected name', { expected_peer_name: null }, '1 agree, 0 false accept, 0 false reject, 0 skipped'],
    [
      'another validation time',
      { validation_time: '1999-01-01T00:00:00+00:00', expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'a required client certificate',
      { validation_kind: 'CLIENT', expected_peer_name: null, expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'an unreadable leaf',
      { peer_certificate: '', expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    ['a CRL without the leaf', { crls: [crlPem({})] }, '1 agree, 0 false accept, 0 false reject, 0 skipped'],
    [
      'a CRL with the leaf',
      { crls: [crlPem({ revoked: [leaf] })], expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'an expired CRL',
      { crls: [crlPem({ nextUpdate: now - 1000 })], expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'a skipped case',
      { id: 'webpki::san::public-suffix-private-namespace-wildcard-san' },
      '0 agree, 0 false accept, 0 false reject, 1 skipped',
    ],
    [
      'a common name that is no alternative name',
      { peer_certificate: otherName, id: 'webpki::cn::x', expected_result: 'FAILURE' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'a common name that is no alternative name, in another suite',
      { peer_certificate: otherName, id: 'webpki::san::x' },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
    [
      'a wildcard for a public suffix',
      {
        peer_certificate: root.issue({ dnsNames: ['*.co.uk'] }).certificatePem,
        expected_peer_name: { kind: 'DNS', value: 'a.co.uk' },
        expected_result: 'FAILURE',
      },
      '1 agree, 0 false accept, 0 false reject, 0 skipped',
    ],
  ])('are counted as agree, false accept, false reject or skipped: %s', (_, change, line) =>
    expect(closing(limbo(change))).toBe(line),
  );
});

describe('BetterTLS cases', () => {
  it('are judged by their host name, and skipped if their failure is only a warning', () => {
    const text = betterTls({}, { hostname: 'localhost' }, { failureIsWarning: true }, { expected: 'REJECT' });
    expect(closing(text)).toBe('2 agree, 1 false accept, 0 false reject, 1 skipped');
  });

  it('are listed with the expected and the actual verdict if the two differ', () => {
    const cases = readVectorCases(betterTls({ hostname: 'example.com' }));
    expect(runVectors(cases, { now, profile: null }).disagreements).toEqual([
      'nameconstraints::0: expected accept, got reject (leaf name_mismatch)',
    ]);
  });
});

it('readVectorCases refuses files of an unknown format', () => {
  expect(() => readVectorCases('{}')).toThrow('neither');
});

describe('NIST PKITS cases', () => {
  const intermediate = root.intermediate({ commonName: 'Intermediate' });
  const below = intermediate.issue({ dnsNames: ['localhost'] });

  function folderWith(change: Record<string, unknown>): string {
    const folder = mkdtempSync(join(tmpdir(), 'certlantern-pkits-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = {
      'certs/Root.crt': root.der,
      'certs/CA.crt': intermediate.der,
      'certs/EE.crt': below.der,
      'crls/Root.crl': mintCrl(root),
      'crls/RootRevokes.crl': mintCrl(root, { revoked: [intermediate] }),
      'crls/CA.crl': mintCrl(intermediate),
    };
    for (const name of ['certs', 'crls']) mkdirSync(join(folder, name));
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const certs = ['Root', 'CA', 'EE'];
    const one = {
      number: '4.1.1',
      title: 'Test1',
      certs,
      crls: ['Root', 'CA'],
      special: false,
      expected: true,
    };
    writeFileSync(join(folder, 'cases.json'), JSON.stringify([{ ...one, ...change }]));
    return folder;
  }

  it.each<[string, Record<string, unknown>, string]>([
    ['a case that agrees', {}, '1 agree, 0 false accept, 0 false reject, 0 skipped'],
    ['a false accept', { expected: false }, '0 agree, 1 false accept, 0 false reject, 0 skipped'],
    ['no CRL of the root', { crls: ['CA'] }, '0 agree, 0 false accept, 1 false reject, 0 skipped'],
    [
      'a revoked intermediate',
      { crls: ['RootRevokes', 'CA'] },
      '0 agree, 0 false accept, 1 false reject, 0 skipped',
    ],
    ['initial policies', { special: true }, '0 agree, 0 false accept, 0 false reject, 1 skipped'],
  ])('are counted as agree, false accept, false reject or skipped: %s', (_, change, line) => {
    const tally = runVectors(readPkitsCases(folderWith(change)), { now, profile: null });
    expect(formatTally(tally)).toBe(line);
  });
});

it('BoringSSL’s CRL and OCSP tests are counted as agree, false accept or false reject', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-boringssl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const block = (label: string, der: Uint8Array) =>
    `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
  const at = { notBefore: Date.UTC(2017, 0, 1), notAfter: Date.UTC(2018, 0, 1) };
  const authority = mintAuthority(at);
  const subject = authority.issue({ ...at, dnsNames: ['localhost'] });
  const certificates = block('CA CERTIFICATE', authority.der) + block('CERTIFICATE', subject.der);
  const times = { thisUpdate: Date.UTC(2017, 2, 4), nextUpdate: Date.UTC(2017, 3, 1) };
  const good = mintCrl(authority, times);
  const revoked = mintCrl(authority, { ...times, revoked: [subject] });
  const response = mintOcspResponse(authority, subject, { ...times, producedAt: times.thisUpdate });
  const files = {
    'testdata/crl_unittest/good.pem': certificates + block('CRL', good),
    'testdata/crl_unittest/good_but_revoked.pem': certificates + block('CRL', revoked),
    'testdata/crl_unittest/revoked_but_good.pem': certificates + block('CRL', good),
    'testdata/crl_unittest/invalid.pem': certificates + block('CRL', Buffer.from('0500', 'hex')),
    'testdata/ocsp_unittest/good_response.pem': certificates + block('OCSP RESPONSE', response),
    'ocsp_unittest.cc': '{"good_response.pem", OCSPRevocationStatus::GOOD,',
  };
  for (const name of ['crl_unittest', 'ocsp_unittest'])
    mkdirSync(join(folder, 'testdata', name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const tally = runVectors(readBoringsslCases(folder), { now, profile: null });
  expect(formatTally(tally)).toBe('3 agree, 1 false accept, 1 false reject, 0 skipped');
});
