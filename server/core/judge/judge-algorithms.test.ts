import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  handshakeWith,
  HOST,
  intermediate,
  inWords,
  issue,
  longValidity,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { bitString, objectIdentifier, sequence } from '../../../tests/kit/certificates/der-writer.ts';
import { mintAuthority, type MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import { alternateChain, postureAt } from '../../../tests/kit/product/observation.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { reportMarkdown } from '../report/report.ts';
import { connectingClients } from './clients/refusals.ts';
import { judge } from './judge.ts';

const pqRoot = mintAuthority({ commonName: 'Post-Quantum Root', ...longValidity, key: 'ML-DSA-65' });
const trustStore = createTrustStore([root.der, pqRoot.der]);
const GOST = '1.2.643.7.1.1.3.2';

function verdictOn(leaf: MintedCertificate, protocol: Protocol = 'https') {
  const seen = observation([handshakeWith(withChain(leaf))], {
    endpoint: { host: HOST, port: 443, protocol },
  });
  return judge(seen, NOW, trustStore);
}

const refusing = (leaf: MintedCertificate, protocol: Protocol = 'https') =>
  connectingClients(verdictOn(leaf, protocol), protocol).flatMap(({ client, connects }) =>
    connects ? [] : [client],
  );

describe('a certificate with an ML-DSA key', () => {
  const leaf = pqRoot.issue({ ...currentOptions, key: 'ML-DSA-65' });

  it('has a verified path and names the clients that refuse it, with their versions', () => {
    const verdict = verdictOn(leaf);
    expect(verdict.path.map(({ role }) => role)).toEqual(['leaf', 'anchor']);
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'refused_by_clients',
        severity: 'critical',
        message:
          'Firefox, Safari, OpenSSL before 3.5, Go before 1.27, Java and GnuTLS refuse this certificate: it or its root has an ML-DSA key.',
      },
    ]);
  });

  it('is at most a warning for protocols that browsers do not speak, because current OpenSSL accepts it', () => {
    expect(verdictOn(leaf, 'smtp')).toMatchObject({ trusted: true, findings: [{ severity: 'warning' }] });
  });

  it('is refused by the same clients if only its root has such a key', () => {
    expect(refusing(pqRoot.issue(currentOptions))).toEqual(['firefox', 'apple', 'java', 'gnutls']);
  });

  it('is refused by every browser if it is SLH-DSA', () => {
    const slhRoot = mintAuthority({ ...longValidity, key: 'SLH-DSA-SHA2-128s' });
    const verdict = judge(
      observation([handshakeWith([slhRoot.issue(currentOptions)])]),
      NOW,
      createTrustStore([slhRoot.der]),
    );
    expect(verdict.findings).toMatchObject([
      {
        facts: { rule: 'slh_dsa_key' },
        clients: ['chromium', 'firefox', 'apple', 'openssl', 'go', 'java', 'gnutls'],
      },
    ]);
  });

  it('is reported as not signed by its issuer if the signature is wrong', () => {
    const forged = pqRoot.issue({ ...currentOptions, key: 'ML-DSA-65', corruptSignature: true });
    expect(verdictOn(forged).findings).toMatchObject([
      { code: 'path_invalid', facts: { fault: 'bad_signature' } },
    ]);
  });
});

describe('a second certificate with an ML-DSA key', () => {
  const second = pqRoot.issue({ ...currentOptions, key: 'ML-DSA-65', notAfter: NOW - DAY });
  const verdict = judge(
    observation([handshakeWith(withChain(issue()))], {
      revocation: [
        {
          fingerprint: second.fingerprint,
          source: 'staple',
          url: null,
          at: NOW,
          answer: { state: 'none', why: 'stale' },
        },
      ],
      posture: postureAt(NOW, {
        alternates: [alternateChain('ml-dsa-65', [second.der], { staple: new Uint8Array(1) })],
      }),
    }),
    NOW,
    trustStore,
  );

  it('is judged with its staple, and its key causes no finding, because the clients that get it accept it', () => {
    expect(verdict.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning expired',
      'warning staple_invalid',
    ]);
  });

  it('names the clients that get it', () => {
    const [expired] = inWords(verdict).findings;
    expect(expired?.message).toMatch(
      /^Clients that accept ML-DSA-65 signatures may get a different certificate\. The certificate expired /,
    );
    expect(expired?.command).toContain(' -sigalgs mldsa65 ');
  });
});

describe('a certificate whose signature cannot be verified', () => {
  const leaf = issue({ signatureOid: GOST });

  it('causes a finding that names its algorithm and does not call it wrong', () => {
    expect(inWords(verdictOn(leaf)).findings).toMatchObject([
      {
        code: 'unverifiable',
        message: `We cannot verify the certificate: we do not know the algorithm of its signature (OID ${GOST}).`,
        evidence: expect.arrayContaining([{ label: 'Algorithm', value: `OID ${GOST}` }]),
      },
    ]);
  });

  it('is critical over https, because browsers are known to refuse the algorithm', () => {
    expect(verdictOn(leaf)).toMatchObject({ trusted: false, findings: [{ severity: 'critical' }] });
    expect(refusing(leaf)).toEqual(['chromium', 'firefox', 'apple', 'go', 'java']);
  });

  it('is a warning and not trusted if no client is known to refuse its algorithm', () => {
    const verdict = verdictOn(leaf, 'smtp');
    expect(verdict).toMatchObject({ trusted: false, findings: [{ severity: 'warning' }] });
    const report = reportMarkdown({
      endpoint: { host: HOST, port: 25, protocol: 'smtp' },
      verdict,
      facts: null,
      chainPem: null,
      uptime: { state: null, downSince: null, cause: null, percent: null, windowDays: null },
      now: NOW,
    });
    expect(report).toContain('We could not verify pay.fjord.example:25. We cannot verify the certificate');
  });

  it('still has every other finding', () => {
    const expired = issue({ signatureOid: GOST, notAfter: NOW - DAY });
    expect(verdictOn(expired).findings.map(({ code }) => code)).toEqual(['expired', 'unverifiable']);
  });

  it('names the intermediate whose key is of an unknown type', () => {
    const editFields = (fields: Buffer[]) =>
      fields.with(6, sequence(sequence(objectIdentifier('1.2.3.4')), bitString(Buffer.alloc(64, 1))));
    const odd = intermediate.intermediate({ commonName: 'Composite CA', ...longValidity, editFields });
    expect(inWords(verdictOn(odd.issue(currentOptions))).findings).toMatchObject([
      {
        code: 'unverifiable',
        message:
          'The certificate “Composite CA” has a key of a type that we do not know (OID 1.2.3.4), so we cannot verify what it signs.',
      },
    ]);
  });
});
