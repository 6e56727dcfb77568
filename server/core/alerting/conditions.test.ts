import { describe, expect, it } from 'vitest';
import {
  answer,
  HOST,
  intermediate,
  inWords,
  issue,
  NOW,
  observation,
  root,
} from '../../../tests/kit/judging.ts';
import { createTrustStore } from '../../pki/index.ts';
import { judge } from '../judge/judge.ts';
import { conditionsOf, replacedCertificate } from './conditions.ts';
import { unreachedVerdict } from '../judge/previous-verdict.ts';
import type { LastSeen, Verdict } from '../verdict.ts';
import { UNASKED } from '../../../tests/kit/observation.ts';

it('the condition of an incomplete chain refers to the domain instead of a file to send', () => {
  const authorities = [{ der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null }];
  const seen = observation([answer([issue()])], { authorities });
  const verdict = judge(seen, NOW, createTrustStore([root.der]));
  const [finding] = inWords(verdict).findings;
  expect(finding?.fix).toMatch(/^Send this file: /);
  const [condition] = conditionsOf(verdict, null, HOST).filter(({ problem }) => problem === 'chain_broken');
  expect(condition?.facts).toMatchObject({
    message: finding?.message,
    fix: expect.stringContaining('with the details of this domain'),
  });
});

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
  it('is not reported for a first verdict or an unchanged leaf', () => {
    expect(replacedCertificate(null, verdict({}))).toBeNull();
    expect(replacedCertificate(verdict({}), verdict({}))).toBeNull();
  });

  it('is reported when the leaf changes', () => {
    expect(replacedCertificate(verdict({}), verdict({ leafFingerprint: 'bb' }))).toEqual({
      from: 'aa',
      to: 'bb',
    });
  });

  it('is reported after an outage during which the leaf changed', () => {
    const before = verdict({});
    const outage = { ...verdict(null), ...unreachedVerdict(before) };
    const second = { ...verdict(null), ...unreachedVerdict(outage) };
    expect(replacedCertificate(before, outage)).toBeNull();
    expect(replacedCertificate(outage, second)).toBeNull();
    expect(replacedCertificate(second, verdict({ leafFingerprint: 'bb' }))).toEqual({ from: 'aa', to: 'bb' });
  });

  it('is not reported when a leaf returns that one of the last checks saw', () => {
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
