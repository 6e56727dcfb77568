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
  trustStore,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import {
  mintAuthority,
  type MintedCertificate,
  mintKey,
  selfSigned,
} from '../../../tests/kit/certificates/mint.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { describeFindings } from '../report/describe-finding.ts';
import { writeTarget } from '../target.ts';
import { judge } from './judge.ts';
import type { Verdict } from '../verdict.ts';

const strangerRoot = mintAuthority({ commonName: 'Stranger Root', ...longValidity });

function verdictOn(presented: readonly { der: Uint8Array }[], now = NOW): Verdict {
  return judge(observation([handshakeWith(presented)]), now, trustStore);
}
const codes = (verdict: Verdict) => verdict.findings.map(({ code }) => code);

describe('the verdict on a chain', () => {
  it('has no findings if the chain is good', () => {
    const leaf = issue();
    expect(verdictOn(withChain(leaf))).toMatchObject({
      reached: true,
      trusted: true,
      findings: [],
      failure: null,
      leafFingerprint: leaf.fingerprint,
      limiting: { fingerprint: leaf.fingerprint, role: 'leaf', name: HOST },
      revocation: { state: 'unknown' },
      trustStoreHash: trustStore.hash,
    });
  });

  it('calls an expired certificate of a trusted CA expired, not untrusted', () => {
    const leaf = issue({ notAfter: NOW - DAY });
    const verdict = verdictOn(withChain(leaf));
    expect(codes(verdict)).toEqual(['expired']);
    expect(inWords(verdict).findings[0]).toMatchObject({
      severity: 'critical',
      message: 'The certificate expired on 19 November 2026, 14:30 UTC.',
      fingerprint: leaf.fingerprint,
    });
    expect(verdict).toMatchObject({ reached: true, trusted: false });
  });

  it('includes the dates of an expired certificate', () => {
    const leaf = issue({ notAfter: NOW - 400 * DAY, notBefore: NOW - 490 * DAY });
    expect(verdictOn(withChain(leaf)).lastSeen?.expiring).toEqual([
      {
        fingerprint: leaf.fingerprint,
        notBefore: NOW - 490 * DAY,
        notAfter: NOW - 400 * DAY,
        role: 'leaf',
        name: HOST,
        renewalWindow: null,
      },
    ]);
  });

  it('lists expiry, wrong name and unknown root separately', () => {
    const leaf = strangerRoot.issue({
      ...currentOptions,
      dnsNames: ['www.other.example'],
      notAfter: NOW - DAY,
    });
    expect(codes(verdictOn([leaf, strangerRoot])).toSorted()).toEqual([
      'expired',
      'name_mismatch',
      'untrusted_root',
    ]);
  });

  it('names the hosts that the certificate covers, and ignores its common name', () => {
    const names = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
    expect(inWords(verdictOn(withChain(issue({ dnsNames: names })))).findings[0]?.message).toBe(
      'The certificate does not cover pay.fjord.example. It is for a.example, b.example, c.example and 2 more.',
    );
    const commonNameOnly = issue({ dnsNames: [], commonName: HOST });
    expect(codes(verdictOn(withChain(commonNameOnly)))).toEqual(['name_mismatch']);
  });

  it('names the expected host without its port and its target, because a certificate covers neither', () => {
    const target = writeTarget({ connect_to: '192.0.2.7' });
    const endpoint = { host: HOST, port: 8443, protocol: 'https', target } as const;
    const verdict = verdictOn(withChain(issue({ dnsNames: ['a.example'] })));
    expect(describeFindings(verdict, endpoint)[0]).toMatchObject({
      message: 'The certificate does not cover pay.fjord.example. It is for a.example.',
      fix: 'Get a certificate that covers pay.fjord.example, or configure the server to use the right one for this name.',
      evidence: [{ label: 'Expected name', value: HOST }, {}],
    });
  });

  it('compares IP addresses with iPAddress names only', () => {
    const endpoint = { host: '192.0.2.1', port: 443, protocol: 'https' } as const;
    const judgeFor = (leaf: MintedCertificate) =>
      codes(judge(observation([handshakeWith(withChain(leaf))], { endpoint }), NOW, trustStore));
    expect(judgeFor(issue({ dnsNames: [], commonName: 'x', ipAddresses: ['192.0.2.1'] }))).toEqual([]);
    expect(judgeFor(issue({ dnsNames: ['192.0.2.1'] }))).toEqual(['name_mismatch']);
  });

  it('distinguishes a self-signed certificate, an unknown root and an incomplete chain', () => {
    expect(codes(verdictOn([selfSigned(currentOptions)]))).toEqual(['self_signed']);
    const stranger = strangerRoot.issue(currentOptions);
    expect(codes(verdictOn([stranger, strangerRoot]))).toEqual(['untrusted_root']);
    expect(codes(verdictOn([stranger]))).toEqual(['untrusted_root']);
    expect(codes(verdictOn([issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] })]))).toEqual([
      'incomplete_chain',
    ]);
  });

  it('accepts a self-signed certificate that is an anchor itself', () => {
    const own = selfSigned(currentOptions);
    const verdict = judge(observation([handshakeWith([own])]), NOW, createTrustStore([own.der]));
    expect(verdict).toMatchObject({ trusted: true, findings: [] });
  });

  it('rejects weak keys, weak signatures and certificates that are not for servers', () => {
    expect(codes(verdictOn(withChain(issue({ key: 'RSA-1024' }))))).toEqual(['weak_key']);
    expect(codes(verdictOn(withChain(issue({ hash: 'sha1' }))))).toContain('weak_signature');
    expect(codes(verdictOn(withChain(issue({ extendedKeyUsage: ['clientAuth'] }))))).toEqual([
      'path_invalid',
    ]);
    expect(codes(verdictOn(withChain(issue({ corruptSignature: true }))))).toEqual(['path_invalid']);
  });

  it('reports bytes that are no certificate', () => {
    const rubbish = { der: Uint8Array.of(0x30, 3, 1, 2, 3) };
    const verdict = verdictOn([rubbish]);
    expect(verdict).toMatchObject({ reached: false, trusted: false, leafFingerprint: null, lastSeen: null });
    expect(inWords(verdict).failure?.message).toBe(
      'pay.fjord.example serves a certificate that cannot be read.',
    );
    expect(codes(verdict)).toEqual(['malformed_certificate']);
    const twice = { oid: '1.3.6.1.4.1.99999.1', value: Uint8Array.of(5, 0) };
    const odd = verdictOn([issue({ extraExtensions: [twice, twice] })]);
    expect(inWords(odd).findings[0]?.evidence).toEqual([
      { label: 'Subject, not verified', value: `CN=${HOST}` },
      { label: 'Issuer, not verified', value: 'CN=Fjord CA 1,O=Certlantern Tests' },
      { label: 'Valid from, not verified', value: expect.stringContaining('2026') },
      { label: 'Valid until, not verified', value: expect.stringContaining('2027') },
      { label: 'Names, not verified', value: HOST },
    ]);
    const beside = verdictOn([...withChain(issue()), rubbish]);
    expect(beside).toMatchObject({
      trusted: true,
      findings: [{ code: 'malformed_certificate', severity: 'warning' }],
    });
  });

  it('shows untrusted strings on one line', () => {
    const leaf = strangerRoot.issue({ ...currentOptions, commonName: 'x' });
    const evil = mintAuthority({
      commonName: `A\r\nBcc: x@y.example\u202e${'b'.repeat(500)}`,
      ...longValidity,
    });
    const issued = evil.issue(currentOptions);
    for (const { message } of [issued, leaf].flatMap((one) => inWords(verdictOn([one])).findings)) {
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(message.length).toBeLessThan(400);
    }
  });
});

describe('the validity of a chain', () => {
  const shortKey = mintKey();
  const short = { notBefore: NOW - 1000 * DAY, notAfter: NOW + 20 * DAY };
  const ending = root.intermediate({ commonName: 'Ending CA', key: shortKey, ...short });

  it('is limited by an intermediate that ends before the leaf', () => {
    const leaf = ending.issue(currentOptions);
    const verdict = verdictOn(withChain(leaf));
    expect(verdict).toMatchObject({
      trusted: true,
      leafFingerprint: leaf.fingerprint,
      limiting: {
        fingerprint: ending.fingerprint,
        role: 'intermediate',
        name: 'Ending CA',
        notAfter: short.notAfter,
      },
    });
    expect(verdict.lastSeen?.expiring.map(({ role }) => role)).toEqual(['leaf', 'intermediate']);
  });

  it('ends when either the intermediate or the leaf expires', () => {
    const leaf = ending.issue(currentOptions);
    const later = verdictOn(withChain(leaf), NOW + 21 * DAY);
    expect(later.findings).toMatchObject([
      { code: 'intermediate_expired', severity: 'critical', fingerprint: ending.fingerprint },
    ]);
    expect(later).toMatchObject({ trusted: false, limiting: { fingerprint: ending.fingerprint } });
    const expiredLeaf = issue({ notAfter: NOW - DAY });
    expect(codes(verdictOn(withChain(expiredLeaf)))).toEqual(['expired']);
  });

  it('has a finding for each expired certificate, even below an unknown root', () => {
    const leaf = ending.issue({ ...currentOptions, notAfter: NOW + 10 * DAY });
    expect(codes(verdictOn(withChain(leaf), NOW + 30 * DAY))).toEqual(['expired', 'intermediate_expired']);
    const strange = strangerRoot.intermediate({ commonName: 'Strange CA', ...short });
    const chain = [...withChain(strange.issue(currentOptions)), strangerRoot];
    expect(codes(verdictOn(chain, NOW + 30 * DAY))).toEqual(['intermediate_expired', 'untrusted_root']);
  });

  it('does not depend on an expired cross-sign or root that no path needs, which only GnuTLS refuses', () => {
    const oldRoot = mintAuthority({
      commonName: 'Old Root',
      notBefore: NOW - 5000 * DAY,
      notAfter: NOW - 10 * DAY,
    });
    const crossSign = oldRoot.intermediate({
      commonName: 'Fjord CA 1',
      key: intermediate.key,
      notBefore: NOW - 1000 * DAY,
      notAfter: NOW - 10 * DAY,
    });
    const leaf = issue();
    const verdict = verdictOn([leaf, crossSign, intermediate, oldRoot]);
    expect(verdict).toMatchObject({ trusted: true, limiting: { role: 'leaf' } });
    expect(verdict.findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['refused_by_clients', 'warning'],
      ['unused_certificate_expired', 'note'],
      ['unused_certificate_expired', 'note'],
    ]);
    expect(verdict.findings[0]).toMatchObject({ facts: { rule: 'first_issuer' }, clients: ['gnutls'] });
    expect(verdict.lastSeen?.expiring.map(({ role }) => role)).toEqual(['leaf']);
  });

  it('is not affected by a root that is sent along, which only causes a note', () => {
    expect(verdictOn([...withChain(issue()), root])).toMatchObject({
      trusted: true,
      findings: [{ code: 'extra_certificate', severity: 'note', fingerprint: root.fingerprint }],
    });
  });

  it('ends with an expired anchor if there is no other anchor', () => {
    const fading = mintAuthority({
      commonName: 'Fading Root',
      notBefore: NOW - 1000 * DAY,
      notAfter: NOW - DAY,
    });
    const seen = observation([handshakeWith([fading.issue(currentOptions)])]);
    expect(inWords(judge(seen, NOW, createTrustStore([fading.der]))).findings).toMatchObject([
      {
        code: 'path_invalid',
        message:
          'The certificate is not trusted: the certificate of its authority “Fading Root” expired on 19 November 2026, 14:30 UTC.',
        fix: expect.stringMatching(/^If this authority is your own, renew its certificate/),
      },
    ]);
  });

  it('is judged without the certificates beyond the limit, and a note says so', () => {
    const many = handshakeWith(withChain(issue()), { chainCut: true });
    expect(inWords(judge(observation([many]), NOW, trustStore))).toMatchObject({
      trusted: true,
      findings: [
        {
          code: 'chain_cut',
          severity: 'note',
          message: 'The server sends too many certificates. We checked the first 2 and ignored the others.',
          fix: expect.stringContaining('Send this file instead'),
        },
      ],
    });
  });

  it('is not affected by a wrong order, which only causes a note', () => {
    const second = intermediate.intermediate({ commonName: 'Fjord CA 2', ...longValidity });
    const leaf = second.issue(currentOptions);
    expect(codes(verdictOn([leaf, second, intermediate]))).toEqual([]);
    expect(verdictOn([leaf, intermediate, second]).findings).toMatchObject([
      { code: 'wrong_order', severity: 'note' },
    ]);
  });
});

it('judging the same evidence again gives the same verdict, which is plain JSON', () => {
  const seen = observation([handshakeWith(withChain(issue()))]);
  const first = judge(seen, NOW, trustStore);
  expect(judge(seen, NOW, trustStore)).toEqual(first);
  expect(JSON.parse(JSON.stringify(first))).toEqual(first);
  expect(codes(judge(seen, NOW + 61 * DAY, trustStore))).toEqual(['expired']);
  expect(codes(judge(seen, NOW, createTrustStore([strangerRoot.der])))).toEqual(['untrusted_root']);
});
