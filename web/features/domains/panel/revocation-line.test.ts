import { expect, it } from 'vitest';
import { revocationLine } from './revocation-line.ts';

const at = '2026-11-20T12:00:00.000Z';

it.each([
  [{ state: 'unknown', source: null, checked_at: null } as const, 'Revocation could not be determined yet'],
  [{ state: 'unknown', source: null, checked_at: at } as const, 'Revocation could not be determined yet'],
  [
    { state: 'unavailable', source: null, checked_at: at } as const,
    'Revocation could not be determined: the authority did not answer',
  ],
  [
    { state: 'good', source: 'crl', checked_at: at } as const,
    'Not revoked, says its revocation list (CRL) of 20 November 2026',
  ],
  [
    { state: 'revoked', source: 'ocsp', checked_at: at } as const,
    'Revoked by the authority, says its answer (OCSP) of 20 November 2026',
  ],
])('%o', (revocation, line) => {
  expect(revocationLine(revocation)).toBe(line);
});
