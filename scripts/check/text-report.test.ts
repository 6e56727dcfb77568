import { describe, expect, it } from 'vitest';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import {
  DAY,
  failedAddress,
  handshakeWith,
  intermediate,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../tests/kit/certificates/judging.ts';
import { selfSigned } from '../../tests/kit/certificates/mint.ts';
import type { Checked } from './check-endpoint.ts';
import { textReport } from './text-report.ts';

const trustStore = createTrustStore([root.der], { arePublic: true });

function text(seen: Observation): string {
  const verdict = judge(seen, NOW, trustStore);
  const ders = seen.addresses.flatMap((one) => (one.outcome === 'handshake' ? one.presentedChain : []));
  const leaf = ders.map(parseCertificate).find((one) => one.fingerprint === verdict.leafFingerprint) ?? null;
  const endpoint = { ...seen.endpoint, kind: 'name' } as const;
  const checked: Checked = {
    endpoint,
    host: endpoint.host,
    observation: seen,
    verdict,
    leaf,
    chainToServe: null,
  };
  return textReport(checked, NOW, false);
}

describe('textReport', () => {
  it('says which clients trust an incomplete chain', () => {
    const authorities = [{ der: intermediate.der, source: 'fetched', url: null } as const];
    expect(text(observation([handshakeWith([issue()])], { authorities }))).toMatch(
      /^\S+ {2}trusted only by clients that fetch missing certificates, 60 days left\n/,
    );
  });

  it('says which addresses serve the described certificate', () => {
    const fresh = issue({ notAfter: NOW + 80 * DAY });
    const report = text(
      observation([
        handshakeWith(withChain(issue())),
        handshakeWith(withChain(fresh), { address: '192.0.2.2' }),
      ]),
    );
    expect(report).toContain(
      'This certificate is served at 192.0.2.1; the other address serves one that is valid until 8 February',
    );
    expect(report).toMatch(/192\.0\.2\.1 .* the certificate above\n/);
    expect(report).toMatch(/192\.0\.2\.2 .* another one, valid until 8 February 2027, 14:30 UTC\n/);
  });

  it('quotes the answer of a server that refused the check', () => {
    const refusal = { code: '450', text: 'Greylisted', isTemporary: true };
    const report = text(
      observation([failedAddress({ stage: 'starttls', reason: 'server_refused', refusal })]),
    );
    expect(report).toContain('not reached: pay.fjord.example refused us now: it answered 450.');
    expect(report).toContain('192.0.2.9  refused us now: 450 Greylisted\n');
  });

  it('names what was not tested', () => {
    const posture: Observation['posture'] = {
      at: NOW,
      tlsVersions: [{ version: 'TLSv1', offered: null }],
      postQuantum: { state: 'not_offered', group: 'X25519' },
      alternates: [],
      untestedKeyTypes: ['rsa'],
      caa: { outcome: 'none' },
      registration: { outcome: 'not_applicable' },
    };
    expect(text(observation([handshakeWith(withChain(issue()))], { posture }))).toMatch(
      / {2}not tested: certificates for RSA keys; TLS 1\.0\n/,
    );
    const limited = { ...posture, postponed: ['tls_versions' as const] };
    expect(text(observation([handshakeWith(withChain(issue()))], { posture: limited }))).toMatch(
      / {2}not tested, to keep failed handshakes few: certificates for RSA keys; TLS 1\.0\n/,
    );
  });

  it('does not call a certificate untrusted that it cannot verify', () => {
    const endpoint = { host: 'pay.fjord.example', port: 25, protocol: 'smtp' } as const;
    const seen = observation([handshakeWith(withChain(issue({ signatureOid: '1.2.3.4' })))], { endpoint });
    expect(text(seen)).toMatch(/^\S+ {2}could not be verified, 60 days left\n/);
  });

  it('shows a renewal date only if the certificate is not self-signed', () => {
    const own = selfSigned({ commonName: 'nas', notBefore: NOW - DAY, notAfter: NOW + 900 * DAY });
    expect(text(observation([handshakeWith([own])]))).not.toContain('Renewal');
    expect(text(observation([handshakeWith(withChain(issue()))]))).toContain('Renewal');
  });
});
