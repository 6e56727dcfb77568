import { expect, it } from 'vitest';
import type { DomainWire } from '../../../contract/domain.ts';
import { reasonWords, revocationLine } from './revocation-line.ts';

const at = '2026-11-20T12:00:00.000Z';
const unknown = { state: 'unknown', source: null, checked_at: null, reason: null, revoked_at: null } as const;

it.each<[Partial<DomainWire['revocation']>, string]>([
  [{}, 'Not known yet'],
  [{ checked_at: at }, 'Not known yet'],
  [{ state: 'unavailable', checked_at: at }, 'Unknown: no source gave a valid answer'],
  [{ state: 'not_applicable' }, 'Not applicable: short-lived, or issued without revocation'],
  [{ state: 'good', source: 'crl', checked_at: at }, 'Not revoked (CRL, 20 November 2026)'],
  [{ state: 'revoked', source: 'ocsp', checked_at: at }, 'Revoked by its authority (OCSP, 20 November 2026)'],
  [
    {
      state: 'revoked',
      source: 'crl',
      checked_at: at,
      reason: 'keyCompromise',
      revoked_at: '2026-11-03T08:00:00.000Z',
    },
    'Revoked on 3 November 2026: key compromise (CRL, 20 November 2026)',
  ],
])('revocationLine describes %j as “%s”', (revocation, line) => {
  expect(revocationLine({ ...unknown, ...revocation })).toBe(line);
});

it.each([
  ['keyCompromise', 'key compromise'],
  ['cessationOfOperation', 'cessation of operation'],
  ['cACompromise', 'compromise of its CA'],
  ['superseded', 'superseded'],
  ['key\u202ECompromise', 'key\\u202ECompromise'],
])('the revocation reason %s is written as “%s”', (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});

it('revocationLine says why the state can never be known if the certificate names no source', () => {
  expect(revocationLine(unknown, false)).toBe('Unknown: no CRL or OCSP responder we can verify');
  const short = { ...unknown, state: 'not_applicable' } as const;
  expect(revocationLine(short, false)).toBe(revocationLine(short));
});
