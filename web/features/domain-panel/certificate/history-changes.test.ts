import { expect, it } from 'vitest';
import type { HistoryDiffWire } from '../../../../contract/domain-report.ts';
import { historyChanges } from './history-changes.ts';

const NOTHING: HistoryDiffWire = {
  names_added: [],
  names_lost: [],
  issuer: null,
  subject: null,
  key: null,
  same_key: false,
  lifetime_days: null,
  signature_algorithm: null,
};
const linesOf = (differences: Partial<HistoryDiffWire>) =>
  historyChanges({ ...NOTHING, ...differences }).map(({ term, lines }) => `${term}: ${lines.join(' ')}`);

it('historyChanges returns nothing for a plain renewal', () => expect(linesOf({})).toEqual([]));

it('historyChanges lists everything that changed', () =>
  expect(
    linesOf({
      names_added: ['ci.orchard.example'],
      names_lost: ['old.orchard.example', 'older.orchard.example'],
      issuer: { from: 'R12', to: 'R13' },
      key: { from: 'RSA 2048 bit', to: 'ECDSA P-256' },
      lifetime_days: { from: 90, to: 6.66 },
    }),
  ).toEqual([
    'Names added: ci.orchard.example',
    'Names removed: old.orchard.example older.orchard.example',
    'Issuer: R12 → R13',
    'Key: RSA 2048 bit → ECDSA P-256',
    'Lifetime: 90 days → 6.7 days',
  ]));

it('historyChanges reports a reused key pair', () =>
  expect(linesOf({ same_key: true })).toEqual(['Key: Same key pair as before']));

it('historyChanges limits the listed names and escapes invisible characters', () => {
  const [added] = historyChanges({
    ...NOTHING,
    names_added: Array.from({ length: 2000 }, (_, index) => `${index}\u202E.example`),
  });
  expect(added?.lines).toHaveLength(21);
  expect(added?.lines[0]).toBe('0\\u202E.example');
  expect(added?.lines.at(-1)).toBe('and 1980 more');
});
