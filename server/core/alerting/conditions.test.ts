import { describe, expect, it } from 'vitest';
import {
  answer,
  DAY,
  HOST,
  intermediate,
  inWords,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/judging.ts';
import { createTrustStore } from '../../pki/index.ts';
import { judge } from '../judge/judge.ts';
import { conditionsOf, replacedCertificate } from './conditions.ts';
import { unreachedVerdict } from '../judge/previous-verdict.ts';
import type { HandshakeObservation, Observation } from '../observation.ts';
import type { LastSeen, Verdict } from '../verdict.ts';
import { UNASKED } from '../../../tests/kit/observation.ts';

const authorities = [{ der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null }];

it('the condition of an incomplete chain refers to the domain instead of a file to send', () => {
  const seen = observation([answer([issue()])], { authorities });
  const verdict = judge(seen, NOW, createTrustStore([root.der]));
  const [finding] = inWords(verdict).findings;
  expect(finding?.fix).toMatch(/^Send this file: /);
  const [condition] = conditionsOf(verdict, null, HOST).filter(({ problem }) => problem === 'chain_broken');
  expect(condition?.facts).toMatchObject({
    message: finding?.message,
    fix: expect.stringContaining('from this domain’s details'),
  });
});

describe('an incomplete chain', () => {
  const chainConditions = (answers: HandshakeObservation[], changes: Partial<Observation>) => {
    const verdict = judge(observation(answers, changes), NOW, createTrustStore([root.der]));
    return conditionsOf(verdict, null, HOST).filter(({ problem }) => problem === 'chain_broken');
  };

  it('is a condition although another address serves a complete one that expires first', () => {
    const late = answer([issue({ notAfter: NOW + 90 * DAY })], { address: '192.0.2.2' });
    const found = chainConditions([answer(withChain(issue())), late], { authorities });
    expect(found.map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('is no condition while its intermediates are still being fetched', () => {
    expect(chainConditions([answer([issue()])], { authoritiesPending: true })).toEqual([]);
  });

  it('is no condition of a certificate that only clients with other key types get', () => {
    const presentedChain = [new Uint8Array(issue().der)];
    const posture = {
      at: NOW,
      tlsVersions: [],
      postQuantum: { state: 'unknown' as const, group: null },
      caa: { outcome: 'none' as const },
      registration: { outcome: 'not_applicable' as const },
      alternates: [{ keyType: 'rsa' as const, address: '192.0.2.1', presentedChain }],
    };
    expect(chainConditions([answer(withChain(issue()))], { authorities, posture })).toEqual([]);
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
