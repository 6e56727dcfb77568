import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import {
  handshakeWith,
  intermediate,
  issue,
  NOW,
  observation,
  trustStore,
} from '../../../tests/kit/certificates/judging.ts';
import { SOUND_OBSERVATION, SOUND_VERDICT, soundWith } from '../../../tests/kit/certificates/sound.ts';
import { judge } from '../judge/judge.ts';
import type { Verdict } from '../verdict.ts';
import { onScheduleUntil } from '../judge/renewal.ts';
import { certificateProblem, problemOf } from './problems.ts';

const codeOf = (verdict: Verdict) => problemOf(verdict, SOUND_OBSERVATION.endpoint, NOW)?.code ?? null;
const overdue = { code: 'renewal_overdue', severity: 'warning' } as const;
const unreachable = { code: 'address_unreachable', severity: 'warning' } as const;

describe('the problem of a host', () => {
  it('is `overdue` only if no other finding asks for a fix', () => {
    expect(codeOf(SOUND_VERDICT)).toBeNull();
    expect(codeOf(soundWith({ ...unreachable, severity: 'note' }))).toBeNull();
    expect(codeOf(soundWith(overdue))).toBe('overdue');
    expect(codeOf(soundWith(overdue, unreachable))).toBe('flawed');
  });

  it('is an intermediate that expires within two weeks, which no finding reports', () => {
    const ending = (days: number): Verdict => ({
      ...SOUND_VERDICT,
      limiting: {
        fingerprint: 'f',
        notBefore: NOW - DAY_MS,
        notAfter: NOW + days * DAY_MS,
        role: 'intermediate',
        name: 'R13',
        renewalWindow: null,
      },
    });
    expect(codeOf(ending(15))).toBeNull();
    expect(problemOf(ending(14.9), SOUND_OBSERVATION.endpoint, NOW)).toEqual({
      code: 'flawed',
      message: expect.stringMatching(/^Its intermediate R13 expires first, on \d/) as string,
    });
  });
});

describe('the problem of a certificate', () => {
  it('is `refused` if some clients refuse it, `overdue` if its renewal is overdue, and `flawed` if its intermediate ends soon', () => {
    const issuer = { der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null };
    const leaf = issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] });
    const refused = judge(observation([handshakeWith([leaf])], { authorities: [issuer] }), NOW, trustStore);
    const problemIn = (verdict: Verdict) =>
      certificateProblem(verdict, verdict.leafFingerprint ?? '', SOUND_OBSERVATION.endpoint.protocol);
    expect(problemIn(refused)).toBe('refused');
    expect(problemIn(SOUND_VERDICT)).toBeNull();
    expect(problemIn(soundWith(overdue))).toBe('overdue');
    expect(problemIn(soundWith({ ...overdue, severity: 'note' }))).toBeNull();
    const limiting = {
      ...(SOUND_VERDICT.lastSeen?.expiring[0] ?? expect.fail()),
      role: 'intermediate' as const,
    };
    const ending = (fingerprint: string, days: number): Verdict => ({
      ...SOUND_VERDICT,
      limiting: { ...limiting, fingerprint, notAfter: NOW + days * DAY_MS },
    });
    const own = SOUND_VERDICT.path.at(-1)?.fingerprint ?? expect.fail();
    expect(problemIn(ending(own, 14.9))).toBe('flawed');
    expect(problemIn(ending(own, 15))).toBeNull();
    expect(problemIn(ending('of another chain', 14.9))).toBeNull();
  });
});

describe('onScheduleUntil', () => {
  const renewal = {
    from: NOW,
    to: NOW,
    source: 'lifetime',
    explanationUrl: null,
    overdueAt: NOW + 1,
  } as const;
  const lasting = (days: number) => ({ fingerprint: 'leaf', notBefore: NOW, notAfter: NOW + days * DAY_MS });
  const verdict = { ...SOUND_VERDICT, trusted: true, renewal, leafFingerprint: 'leaf' };

  it('is null unless the certificate is trusted and lives less than 30 days', () => {
    expect(onScheduleUntil(verdict, lasting(29))).toBe(NOW + 1);
    expect(onScheduleUntil({ ...verdict, trusted: false }, lasting(29))).toBeNull();
    expect(onScheduleUntil(verdict, lasting(30))).toBeNull();
    expect(onScheduleUntil({ ...verdict, renewal: null }, lasting(29))).toBeNull();
  });

  it('follows from the renewal window of the CA or the lifetime for certificates of other addresses, too', () => {
    const other = { ...lasting(10), fingerprint: 'other' };
    const seen = (renewalWindow: { start: number; end: number } | null): typeof verdict => ({
      ...verdict,
      lastSeen: {
        ...(SOUND_VERDICT.lastSeen ?? expect.fail()),
        expiring: [{ ...other, role: 'leaf', name: 'other', renewalWindow }],
      },
    });
    expect(onScheduleUntil(seen(null), other)).toBe(other.notAfter - 2.5 * DAY_MS);
    expect(onScheduleUntil(seen({ start: NOW, end: NOW + DAY_MS }), other)).toBe(NOW + DAY_MS);
    expect(onScheduleUntil(verdict, other)).toBeNull();
  });
});
