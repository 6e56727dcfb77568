import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCertificate } from '../../../server/pki/certificate.ts';
import { ocspRequest } from '../../../server/pki/revocation/ocsp-request.ts';
import { ocspStatus } from '../../../server/pki/revocation/ocsp-status.ts';
import { mintAuthority } from './mint.ts';
import { mintCrl } from './mint-crl.ts';
import { mintOcspResponse } from './mint-ocsp.ts';

const root = mintAuthority({ commonName: 'Root' });
const leaf = root.issue({ dnsNames: ['a.example'] });
const revoked = root.issue({ dnsNames: ['b.example'] });
const responder = root.issue({ commonName: 'Responder', extendedKeyUsage: ['ocspSigning'] });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mint-revocation-'));
  file('root.pem', root.certificatePem);
  file('root.key', root.keyPem);
  file('leaf.pem', leaf.certificatePem);
  file('revoked.pem', revoked.certificatePem);
  file('responder.pem', responder.certificatePem);
  file('responder.key', responder.keyPem);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content, { mode: 0o600 });
}

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('OpenSSL', () => {
  it('verifies and reads a minted CRL', () => {
    const url = 'http://crl.example/1.crl';
    const scope = { url, only: 'user', someReasons: true, indirect: true } as const;
    file('list.der', mintCrl(root, { ...scope, deltaOf: 3n, revoked: [{ ...revoked, reason: 1 }] }));
    const text = openssl(
      'crl',
      '-inform',
      'DER',
      '-in',
      'list.der',
      '-CAfile',
      'root.pem',
      '-noout',
      '-text',
    );
    expect(text).toContain(`URI:${url}`);
    for (const part of ['Only User Certificates', 'Only Some Reasons', 'Indirect CRL', 'Key Compromise']) {
      expect(text).toContain(part);
    }
    expect(text).toContain(revoked.serialNumber.toString(16).toUpperCase());
    expect(text).toMatch(/X509v3 Delta CRL Indicator: critical\s+3/i);
  });

  it.each([
    ['good', {}],
    ['good', { responder }],
    ['good', { responder, named: 'key', idHash: 'sha256' }],
    ['revoked', { status: 'revoked', reason: 1 }],
  ] as const)('verifies a minted OCSP response: %s', (state, options) => {
    file('response.der', mintOcspResponse(root, leaf, options));
    const hash = 'idHash' in options ? [`-${options.idHash}`] : [];
    const certificates = ['-issuer', 'root.pem', '-cert', 'leaf.pem', '-CAfile', 'root.pem'];
    const said = openssl('ocsp', '-respin', 'response.der', ...hash, ...certificates);
    expect(said).toContain(`leaf.pem: ${state}`);
  });
});

describe('The parser of OCSP responses', () => {
  it.each([
    ['the issuer', 'root'],
    ['a delegated responder', 'responder'],
  ])('accepts an OpenSSL response to our request, signed by %s', (_, signer) => {
    const line = (status: string, at: string, { serialNumber }: typeof leaf): string =>
      [status, '361231235959Z', at, serialNumber.toString(16).toUpperCase(), 'unknown', '/CN=x'].join('\t');
    file('index.txt', `${line('V', '', leaf)}\n${line('R', '260102030405Z,keyCompromise', revoked)}\n`);
    const ask = (certificate: typeof leaf) => {
      const question = { certificate: parseCertificate(certificate.der), issuer: parseCertificate(root.der) };
      file('request.der', ocspRequest(question));
      const answering = [
        '-rsigner',
        `${signer}.pem`,
        '-rkey',
        `${signer}.key`,
        '-CA',
        'root.pem',
        '-ndays',
        '1',
      ];
      openssl('ocsp', '-index', 'index.txt', '-reqin', 'request.der', '-respout', 'said.der', ...answering);
      const response = readFileSync(join(folder, 'said.der'));
      return ocspStatus({ response, ...question, isPublic: true, now: Date.now() });
    };
    expect(ask(leaf)).toMatchObject({ state: 'good' });
    expect(ask(revoked)).toMatchObject({
      state: 'revoked',
      reason: 'keyCompromise',
      revokedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
    expect(ask(root.issue({}))).toEqual({ state: 'none', why: 'responder_refused' });
  });
});
