import { describe, expect, it } from 'vitest';
import {
  DAY,
  handshakeWith,
  HOST,
  intermediate,
  inWords,
  issue,
  judged,
  judgedAddresses,
  NOW,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import type { CertificateFacts } from '../facts.ts';
import { begunDeployment, conditionsOf, replacedCertificate, waitingAddresses } from './conditions.ts';
import { unreachedVerdict } from '../judge/previous-verdict.ts';
import type { HandshakeObservation, Http2Fault, Observation } from '../observation.ts';
import type { LastSeen, Verdict } from '../verdict.ts';
import { alternateChain, postureAt, UNASKED } from '../../../tests/kit/product/observation.ts';

const authorities = [{ der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null }];

it('the fix for an incomplete chain points to the domain’s details instead of an attached file', () => {
  const verdict = judgedAddresses([handshakeWith([issue()])], { authorities });
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
    return conditionsOf(judgedAddresses(answers, changes), null, HOST).filter(
      ({ problem }) => problem === 'chain_broken',
    );
  };

  it('needs an alert even if another address serves a complete chain that expires first', () => {
    const caIssuersUrls = ['http://ca.fjord.example/1.cer'];
    const late = handshakeWith([issue({ notAfter: NOW + 90 * DAY, caIssuersUrls })], {
      address: '192.0.2.2',
    });
    const found = chainConditions([handshakeWith(withChain(issue())), late], { authorities });
    expect(found.map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('needs no alert while its intermediates are still being fetched', () => {
    expect(chainConditions([handshakeWith([issue()])], { authoritiesPending: true })).toEqual([]);
  });

  it('needs no alert if the server sends it only to clients that ask for another key type', () => {
    const posture = postureAt(NOW, { alternates: [alternateChain('rsa', [issue().der])] });
    expect(chainConditions([handshakeWith(withChain(issue()))], { authorities, posture })).toEqual([]);
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

describe('a fault of HTTP/2', () => {
  const common = { address: '192.0.2.1', durationMs: 9 } as const;
  const answered = { ...common, outcome: 'answered', method: 'HEAD', status: 200 } as const;
  const failed = { ...common, outcome: 'failed', reason: 'closed' } as const;
  const conditionsWith = (http: typeof answered | typeof failed, fault: Http2Fault) => {
    const verdict = judged(issue(), { http: { ...http, http2Faults: [fault] } });
    return conditionsOf(verdict, null, HOST).map(({ problem }) => problem);
  };

  it('causes no alert about the chain if it is an outage', () => {
    expect(conditionsWith(failed, 'no_answer')).toEqual(['expiry']);
    expect(conditionsWith(failed, 'malformed_frame')).toEqual(['expiry']);
  });

  it('causes an alert about the chain if a browser fails and the site counts as up', () => {
    expect(conditionsWith(answered, 'invalid_frame_size')).toEqual(['expiry', 'chain_broken']);
    expect(conditionsWith(answered, 'malformed_frame')).toEqual(['expiry', 'chain_broken']);
    expect(conditionsWith(answered, 'late_settings')).toEqual(['expiry']);
  });
});

describe('a replaced certificate', () => {
  it('is not reported by the first check or if the leaf is unchanged', () => {
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

  it('is not reported if one of the last checks already saw the new leaf', () => {
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

describe('the deployment of a renewed certificate', () => {
  const facts = (change: Partial<CertificateFacts> = {}): CertificateFacts => ({
    fingerprint: 'aa',
    serialNumber: '01',
    issuer: 'R10',
    subject: '*.shop.example',
    notBefore: NOW - 60 * DAY,
    notAfter: NOW + 30 * DAY,
    authorityName: '',
    authorityFullDn: '',
    authorityUrl: null,
    sans: ['*.shop.example', 'shop.example'],
    ...change,
  });
  const renewed = { notBefore: NOW, notAfter: NOW + 90 * DAY };

  it('begins with a newer certificate for the same names, and must be complete within a day', () => {
    const begun = begunDeployment(facts(), facts({ ...renewed, fingerprint: 'bb' }), NOW);
    expect(begun).toMatchObject({
      certificate: { fingerprint: 'aa' },
      successor: { fingerprint: 'bb' },
      dueAt: NOW + DAY,
    });
    const short = begunDeployment(facts(), facts({ ...renewed, notAfter: NOW + 5 * DAY }), NOW);
    expect(short?.dueAt).toBe(NOW + DAY / 2);
  });

  it.each([
    ['an older certificate', { notBefore: NOW - 61 * DAY }],
    [
      'a certificate that was issued at the same time with another key',
      { notBefore: NOW - 60 * DAY + 60_000 },
    ],
    ['a certificate for other names', { ...renewed, sans: ['*.shop.example'] }],
  ])('does not begin with %s', (_, change) => {
    expect(begunDeployment(facts(), facts(change), NOW)).toBeNull();
  });
});

describe('the addresses where a certificate is missing', () => {
  const [former, fresh] = [issue({ notBefore: NOW - DAY }), issue({ notBefore: NOW - DAY + 60_000 })];
  const facts = ({ fingerprint }: { fingerprint: string }, notBefore: number) => ({
    fingerprint,
    notBefore,
    notAfter: NOW + DAY,
    role: 'leaf' as const,
    name: HOST,
  });
  const successor = facts(fresh, NOW - DAY + 60_000);
  const certificate = facts(former, NOW - DAY);
  const waiting = (
    deployment: Parameters<typeof waitingAddresses>[0],
    changes: Partial<Observation> = {},
  ) => {
    const answers = [handshakeWith([former]), handshakeWith([fresh], { address: '192.0.2.2' })];
    const seen = judgedAddresses(answers, changes);
    return waitingAddresses(deployment, seen).map(({ address }) => address);
  };

  it('are those that serve an earlier certificate, even one issued only a minute before the announced one', () => {
    expect(waiting({ certificate: null, successor })).toEqual(['192.0.2.1']);
  });

  it('do not include an address whose certificate was issued at the same time, perhaps for another key type', () => {
    expect(waiting({ certificate, successor })).toEqual([]);
    const posture = postureAt(NOW, { alternates: [alternateChain('rsa', [issue().der])] });
    expect(waiting({ certificate: null, successor }, { posture })).toEqual([]);
  });
});
