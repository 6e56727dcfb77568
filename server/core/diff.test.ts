import { describe, expect, it } from 'vitest';
import { diff } from './diff.ts';
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
const expired = { code: 'expired', fingerprint: 'aa' } as const;
const mismatch = { code: 'name_mismatch', fingerprint: 'aa' } as const;

describe('diff', () => {
  it('finds nothing new in a first verdict or the same again', () => {
    expect(diff(null, verdict({ findings: [expired] }))).toEqual([]);
    expect(diff(verdict({ findings: [expired] }), verdict({ findings: [expired] }))).toEqual([]);
  });

  it('tells a replaced certificate and its findings that opened and closed', () => {
    const before = verdict({ findings: [expired, mismatch] });
    const after = verdict({
      leafFingerprint: 'bb',
      findings: [mismatch, { code: 'self_signed', fingerprint: 'bb' }],
    });
    expect(diff(before, after)).toEqual([
      { kind: 'certificate_replaced', from: 'aa', to: 'bb' },
      { kind: 'finding_opened', code: 'self_signed', fingerprint: 'bb' },
      { kind: 'finding_closed', ...expired },
    ]);
  });

  it('remembers through an outage: it closes nothing, and a replacement meanwhile is seen afterwards', () => {
    const before = verdict({ findings: [expired] });
    const outage = { ...verdict(null), ...unreachedVerdict(before) };
    const second = { ...verdict(null), ...unreachedVerdict(outage) };
    expect(diff(before, outage)).toEqual([{ kind: 'became_unreachable' }]);
    expect(diff(outage, second)).toEqual([]);
    expect(diff(second, verdict({ leafFingerprint: 'bb' }))).toEqual([
      { kind: 'became_reachable' },
      { kind: 'certificate_replaced', from: 'aa', to: 'bb' },
      { kind: 'finding_closed', ...expired },
    ]);
  });

  it('takes a certificate that comes back within a few checks for no replacement', () => {
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
    expect(diff(before, verdict({ leafFingerprint: 'aa' }))).toEqual([]);
    expect(diff(before, verdict({ leafFingerprint: 'cc' }))).toEqual([
      { kind: 'certificate_replaced', from: 'bb', to: 'cc' },
    ]);
  });
});
