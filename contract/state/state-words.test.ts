import { describe, expect, it } from 'vitest';
import { EXAMPLE_NOW, exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import { brokenStates } from './broken-states.ts';
import type { AttentionReason } from '../words.ts';
import { isVerifiedActive, overdueReason, revocationNote } from './state-words.ts';

const answer = (state: 'good' | 'unknown' | 'unavailable' | 'not_applicable') => ({
  revocation: { ...exampleDomain().revocation, state },
});
const since = new Date(EXAMPLE_NOW).toISOString();
const unreachable = { stage: 'dns', reason: 'name_not_found', message: 'No address.', since };

it('brokenStates names the most urgent state first, as the headline does; none while paused', () => {
  const uptime = { ...exampleDomain().uptime, state: 'down' as const };
  const overdue = { overdue_at: new Date(EXAMPLE_NOW - 1).toISOString(), is_short_lived: false };
  const states = (differences: object, ...more: AttentionReason[]) =>
    brokenStates({ ...exampleDomain(), ...differences }, EXAMPLE_NOW, more);
  expect(states({})).toEqual([]);
  expect(states({ uptime, unreachable, trusted: null })).toEqual(['down']);
  expect(states({ uptime, unreachable, state: 'unread', trusted: null })).toEqual(['down', 'unreachable']);
  expect(states({ unreachable, state: 'expired' })).toEqual(['expired', 'unreachable']);
  expect(states({ uptime, state: 'expired', attention: 'expired' })).toEqual(['expired', 'down']);
  expect(states({ uptime, trusted: false })).toEqual(['untrusted', 'down']);
  expect(states({ attention: 'flawed' })).toEqual(['flawed']);
  expect(states({ attention: 'soon', state: 'soon' }, 'flawed')).toEqual(['flawed']);
  expect(states({ state: 'expired', trusted: false }, 'untrusted')).toEqual(['expired', 'untrusted']);
  expect(states({ attention: 'soon', renewal: overdue })).toEqual(['overdue']);
  expect(states({ state: 'expired', renewal: overdue })).toEqual(['expired']);
  expect(states({ state: 'revoked', trusted: false })).toEqual([]);
  expect(states({ uptime, refused: true })).toEqual(['down', 'refused']);
  expect(states({ state: 'paused', uptime, unreachable, refused: true })).toEqual([]);
  expect(states({ refused: true, renewal: overdue })).toEqual(['refused', 'overdue']);
  expect(states({ state: 'critical', refused: true, renewal: overdue })).toEqual(['overdue', 'refused']);
});

it.each([
  ['ok', 'overdue'],
  ['soon', 'soon'],
  ['critical', 'critical'],
] as const)('an overdue renewal of a certificate in the state %s is as urgent as %s', (state, reason) =>
  expect(overdueReason(state)).toBe(reason),
);

describe('the badge Active', () => {
  it('has a tick only if a signed answer says that the certificate is not revoked, and nothing is broken', () => {
    const good = exampleDomain(answer('good'));
    expect(isVerifiedActive(good)).toBe(true);
    expect(isVerifiedActive({ ...good, refused: true })).toBe(true);
    for (const differences of [
      answer('unknown'),
      answer('unavailable'),
      answer('not_applicable'),
      { state: 'expired' as const },
      { trusted: false },
      { unreachable },
      { uptime: { ...good.uptime, state: 'down' as const } },
      { fingerprint: null },
      { state: 'paused' as const },
    ])
      expect(isVerifiedActive({ ...good, ...differences }), JSON.stringify(differences)).toBe(false);
  });

  it('has a note beside it that says what is not known', () => {
    expect(revocationNote(exampleDomain(answer('good')))).toBeNull();
    expect(revocationNote(exampleDomain(answer('unknown')))).toBe('revocation not known');
    expect(revocationNote(exampleDomain(answer('unavailable')))).toBe('revocation not known');
    expect(revocationNote(exampleDomain(answer('not_applicable')))).toBe('not revocable');
    expect(revocationNote(exampleDomain({ state: 'unread', fingerprint: null }))).toBe(
      'certificate not read',
    );
    expect(revocationNote(exampleDomain({ state: 'pending', fingerprint: null }))).toBeNull();
  });
});
