import { describe, expect, it } from 'vitest';
import { DAY, intermediate, issue, NOW, root } from '../../tests/kit/judging.ts';
import { mintKey } from '../../tests/kit/mint.ts';
import { parseCertificate } from '../pki/index.ts';
import { certificateDiff, replacedCertificate } from './diff.ts';
import { unreachedVerdict } from './judge/carry.ts';
import type { LastSeen, Verdict } from './verdict.ts';
import { UNASKED } from '../../tests/kit/observation.ts';

function verdict(lastSeen: Partial<LastSeen> | null): Verdict {
  return {
    judgedAt: 2,
    observedAt: 1,
    reached: lastSeen !== null,
    failure: null,
    addresses: [],
    leafFingerprint: lastSeen?.leafFingerprint ?? null,
    limiting: null,
    findings: [],
    trusted: false,
    path: [],
    chainToServe: null,
    hasOwnRoot: false,
    revocation: UNASKED,
    renewal: null,
    posture: null,
    trustStoreHash: '',
    lastSeen: lastSeen && {
      at: 1,
      leafFingerprint: 'aa',
      expiring: [],
      findings: [],
      revoked: [],
      turns: [],
      ...lastSeen,
    },
  };
}

describe('a replaced certificate', () => {
  it('is not found in a first verdict or while the leaf stays the same', () => {
    expect(replacedCertificate(null, verdict({}))).toBeNull();
    expect(replacedCertificate(verdict({}), verdict({}))).toBeNull();
  });

  it('is found when the leaf is another one', () => {
    expect(replacedCertificate(verdict({}), verdict({ leafFingerprint: 'bb' }))).toEqual({
      from: 'aa',
      to: 'bb',
    });
  });

  it('is found after an outage during which it was replaced', () => {
    const before = verdict({});
    const outage = { ...verdict(null), ...unreachedVerdict(before) };
    const second = { ...verdict(null), ...unreachedVerdict(outage) };
    expect(replacedCertificate(before, outage)).toBeNull();
    expect(replacedCertificate(outage, second)).toBeNull();
    expect(replacedCertificate(second, verdict({ leafFingerprint: 'bb' }))).toEqual({ from: 'aa', to: 'bb' });
  });

  it('is not found when a leaf comes back that one of the last checks saw', () => {
    const shown = (fingerprint: string) => ({
      certificate: {
        fingerprint,
        notBefore: 0,
        notAfter: 9,
        role: 'leaf' as const,
        name: '',
        renewalWindow: null,
      },
      at: 1,
      checks: 1,
    });
    const before = verdict({ leafFingerprint: 'bb', turns: [shown('aa'), shown('bb')] });
    expect(replacedCertificate(before, verdict({ leafFingerprint: 'aa' }))).toBeNull();
    expect(replacedCertificate(before, verdict({ leafFingerprint: 'cc' }))).toEqual({ from: 'bb', to: 'cc' });
  });
});

const read = ({ der }: { der: Uint8Array }) => parseCertificate(der);
const key = mintKey();

describe('certificateDiff', () => {
  it('finds nothing but the key in a plain renewal', () => {
    expect(certificateDiff(read(issue()), read(issue()))).toEqual({
      namesAdded: [],
      namesLost: [],
      issuer: null,
      subject: null,
      key: null,
      sameKey: false,
      lifetimeDays: null,
      signatureAlgorithm: null,
    });
    expect(certificateDiff(read(issue({ key })), read(issue({ key }))).sameKey).toBe(true);
  });

  it('names what was added and lost, and from what to what all else changed', () => {
    const before = issue({ dnsNames: ['a.example', 'b.example'], commonName: 'a.example', key });
    const after = root.issue({
      dnsNames: ['b.example', 'c.example'],
      commonName: 'b.example',
      key: 'RSA-2048',
      hash: 'sha384',
      notBefore: NOW,
      notAfter: NOW + 47 * DAY,
    });
    expect(certificateDiff(read(before), read(after))).toMatchObject({
      namesAdded: ['c.example'],
      namesLost: ['a.example'],
      issuer: { from: 'Fjord CA 1', to: 'Fjord Root' },
      subject: { from: 'a.example', to: 'b.example' },
      key: { from: 'ECDSA P-256', to: 'RSA 2048 bit' },
      sameKey: false,
      lifetimeDays: { from: 90, to: 47 },
      signatureAlgorithm: { from: read(before).signatureAlgorithm, to: read(after).signatureAlgorithm },
    });
    expect(certificateDiff(read(before), read(intermediate)).lifetimeDays?.to).toBe(4000);
  });
});
