import { describe, expect, it } from 'vitest';
import {
  DAY,
  failedAddress,
  handshakeWith,
  inWords,
  issue,
  judgedAddresses,
  NOW,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import type { MintedCertificate } from '../../../tests/kit/certificates/mint.ts';

describe('the verdict on several addresses', () => {
  const fresh = issue();
  const old = issue({ notAfter: NOW + 5 * DAY });
  const at = (address: string, leaf: MintedCertificate) => handshakeWith(withChain(leaf), { address });

  it('counts the addresses that still serve the old certificate, and tracks the expiry of the old and the new one', () => {
    const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
    const verdict = judgedAddresses(
      addresses.map((address, index) => at(address, index === 1 ? old : fresh)),
    );
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'certificates_differ',
        severity: 'warning',
        message:
          '1 of 3 addresses still serves the old certificate, which expires on 25 November 2026, 14:30 UTC.',
        fix: 'Install the new certificate on the server at 192.0.2.2 too, and reload it.',
        addresses: ['192.0.2.2'],
        fingerprint: old.fingerprint,
      },
    ]);
    expect(verdict).toMatchObject({ leafFingerprint: old.fingerprint, trusted: true });
    // No renewal is overdue: other addresses already show the new certificate.
    expect(verdict.renewal?.overdueAt).toBeNull();
    expect(verdict.lastSeen?.expiring.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
      [old.fingerprint, fresh.fingerprint].toSorted(),
    );
    expect(verdict.addresses.map(({ fingerprint }) => fingerprint)).toEqual([
      fresh.fingerprint,
      old.fingerprint,
      fresh.fingerprint,
    ]);
  });

  it.each([
    ['marks the certificate that was issued first, although the new one expires first', 30, 5, 'old'],
    ['marks an expired new certificate, because the old one is still valid', 30, -1, 'new'],
    ['marks the first of two expired certificates', -2, -1, 'old'],
  ])('%s', (_, oldDays, newDays, marked) => {
    const [before, after] = [
      issue({ notBefore: NOW - 40 * DAY, notAfter: NOW + oldDays * DAY }),
      issue({ notBefore: NOW - 10 * DAY, notAfter: NOW + newDays * DAY }),
    ];
    for (const leaves of [
      [before, after],
      [after, before],
    ]) {
      const verdict = judgedAddresses(leaves.map((leaf, index) => at(`192.0.2.${index + 1}`, leaf)));
      const found = inWords(verdict).findings.find(({ code }) => code === 'certificates_differ');
      expect(found).toMatchObject({
        fingerprint: (marked === 'old' ? before : after).fingerprint,
        message: expect.stringMatching(/^1 of 2 addresses still serves the old certificate/) as string,
      });
    }
  });

  it('keeps the schedule of a short-lived certificate beside an older one that expires later', () => {
    const long = issue({ notBefore: NOW - 40 * DAY, notAfter: NOW + 30 * DAY });
    const short = issue({ notBefore: NOW - DAY, notAfter: NOW + 5 * DAY });
    const verdict = judgedAddresses([at('192.0.2.1', long), at('192.0.2.2', short)]);
    expect(verdict).toMatchObject({ leafFingerprint: short.fingerprint });
    expect(verdict.renewal?.overdueAt).toBeGreaterThan(NOW);
  });

  it('is the same for any order of the answers', () => {
    const one = judgedAddresses([at('192.0.2.1', old), at('192.0.2.2', fresh)]);
    const other = judgedAddresses([at('192.0.2.1', fresh), at('192.0.2.2', old)]);
    expect(one.findings.map(({ code, fingerprint }) => [code, fingerprint])).toEqual(
      other.findings.map(({ code, fingerprint }) => [code, fingerprint]),
    );
    expect(one.leafFingerprint).toBe(other.leafFingerprint);
  });

  it('reports the same fault at two addresses once', () => {
    const expired = issue({ notAfter: NOW - DAY });
    const verdict = judgedAddresses([at('192.0.2.1', expired), at('192.0.2.2', expired)]);
    expect(verdict.findings).toMatchObject([{ code: 'expired', addresses: ['192.0.2.1', '192.0.2.2'] }]);
  });

  it('warns of an address that fails beside one that answers, unless the fault is ours', () => {
    const noIpv6 = failedAddress({ address: '2001:db8::1', family: 6, reason: 'no_route_here' });
    const unawaited = failedAddress({ address: '192.0.2.8', stage: 'starttls', reason: 'slow_answers' });
    const verdict = judgedAddresses([at('192.0.2.1', fresh), failedAddress(), noIpv6, unawaited]);
    expect(verdict).toMatchObject({ reached: true, trusted: true, failure: null });
    expect(verdict.findings).toMatchObject([{ code: 'address_unreachable', addresses: ['192.0.2.9'] }]);
    expect(verdict.addresses[1]?.failure).toEqual({ stage: 'connect', reason: 'timeout' });
  });

  it('notes that an FTP server agreed to AUTH TLS with another code than 234', () => {
    const seen = { ...at('192.0.2.1', fresh), startTlsCode: 334 };
    const verdict = judgedAddresses([seen]);
    expect(verdict.trusted).toBe(true);
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'start_tls_code',
        severity: 'note',
        message: 'The server answered AUTH TLS with the code 334 instead of 234, which RFC 4217 requires.',
        addresses: ['192.0.2.1'],
      },
    ]);
  });

  it('keeps the reply of a server with its address, and puts only the code into the sentence', () => {
    const refusal = { code: '554', text: '5.7.1 Blocked', isTemporary: false };
    const verdict = judgedAddresses([
      failedAddress({ stage: 'starttls', reason: 'server_refused', refusal }),
    ]);
    expect(verdict.failure?.detail).toEqual({ kind: 'refusal', code: '554', refusedSince: null });
    expect(verdict.addresses[0]?.failure?.reply).toEqual({ code: '554', text: '5.7.1 Blocked' });
    expect(JSON.stringify(inWords(verdict))).not.toContain('Blocked');
  });

  it.each([
    [1, 'One address was left out, because this server may not check it.'],
    [2, '2 addresses were left out, because this server may not check them.'],
  ])('notes how many addresses the policy refused: %i', (leftOut, message) => {
    const resolution = { ok: true as const, addresses: ['192.0.2.1'], leftOut };
    for (const seen of [at('192.0.2.1', fresh), failedAddress({ address: '192.0.2.1' })]) {
      const verdict = judgedAddresses([seen], { resolution });
      expect(inWords(verdict).findings).toMatchObject([
        { code: 'address_left_out', severity: 'note', message, addresses: [], evidence: [] },
      ]);
      expect(verdict.trusted).toBe(seen.outcome === 'handshake');
    }
  });

  it('lists the worst finding first', () => {
    const expired = issue({ notAfter: NOW - DAY });
    const legacy = handshakeWith(withChain(expired), { legacyTls: true, tlsVersion: 'TLSv1' });
    const verdict = judgedAddresses([legacy, failedAddress(), at('192.0.2.2', fresh)]);
    expect(verdict.findings.map(({ severity }) => severity)).toEqual([
      'critical',
      'critical',
      'warning',
      'warning',
    ]);
  });
});

describe('the verdict on an unreachable host', () => {
  it.each([
    [[failedAddress({ reason: 'refused' })], 'connect', 'pay.fjord.example refused the connection.'],
    [
      [failedAddress(), failedAddress({ stage: 'handshake', reason: 'tls_alert', tlsAlert: 112 })],
      'handshake',
      'pay.fjord.example ended the TLS handshake: it does not know this name (TLS alert 112).',
    ],
    [
      [failedAddress({ reason: 'no_route_here' }), failedAddress()],
      'connect',
      'pay.fjord.example did not answer in time.',
    ],
    [[], 'dns', 'pay.fjord.example has no address in DNS.'],
  ] as const)('has the most specific failure (case %#)', (addresses, stage, message) => {
    const verdict = judgedAddresses(addresses);
    expect(inWords(verdict)).toMatchObject({
      reached: false,
      trusted: false,
      lastSeen: null,
      failure: { stage, message },
    });
    expect(verdict.findings).toEqual([]);
  });

  it('says that a policy refused the address of the host, but does not contain the address', () => {
    const refused = { ok: false, stage: 'policy', reason: 'address_refused', detail: '10.0.0.7' } as const;
    const verdict = judgedAddresses([], { resolution: refused });
    expect(inWords(verdict).failure).toEqual({
      stage: 'policy',
      reason: 'address_refused',
      message: 'pay.fjord.example has an address that this server may not check.',
    });
    expect(JSON.stringify(verdict)).not.toContain('10.0.0.7');
  });
});
