import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { EXAMPLE_NOW as NOW } from '../../../../tests/kit/pages/example-domain.ts';
import { horizonEntries, pinName } from './horizon-entries.ts';
import { DAY_MS, HOUR_MS } from '../../../../contract/durations.ts';
import type { DomainState } from '../../../../contract/words.ts';

type Problem = SummaryWire['problems'][number];

const expiry = (id: string, days: number, state: DomainState) => ({
  id,
  hostname: id,
  display_name: id,
  not_after: new Date(NOW + days * DAY_MS).toISOString(),
  valid_from: null,
  on_schedule: false,
  renewal_due_at: null,
  state,
  count: 1,
  certificate_count: 1,
  fingerprint: null,
});
const problem = (id: string, kind: Problem['kind']): Problem => ({
  id,
  hostname: id,
  display_name: id,
  state: 'ok',
  kind,
  message: 'Something is wrong.',
  fingerprint: null,
});
const marks = (expiries: SummaryWire['expiries'], problems: Problem[]) =>
  horizonEntries({ expiries, problems }, NOW, null).map(({ status, trouble }) => [status, trouble]);

describe('the marks of the horizon', () => {
  it('have the state of the expiry date if the domain has no other problem', () => {
    const expiries = [expiry('a', -1, 'expired'), expiry('b', 3, 'critical'), expiry('c', 60, 'ok')];
    expect(marks(expiries, [])).toEqual([
      ['expired', undefined],
      ['critical', undefined],
      ['ok', undefined],
    ]);
  });

  it.each<[Problem['kind'], string, string]>([
    ['untrusted', 'fault', 'not trusted'],
    ['down', 'fault', 'down'],
    ['refused', 'flaw', 'refused by some clients'],
    ['unreachable', 'flaw', 'certificate not read'],
    ['overdue', 'flaw', 'renewal overdue'],
    ['flawed', 'flaw', 'needs a fix'],
  ])('show that a host is %s with the status %s', (kind, status, trouble) => {
    expect(marks([expiry('a', 60, 'ok'), expiry('b', 10, 'soon')], [problem('a', kind)])).toEqual([
      [status, trouble],
      ['soon', undefined],
    ]);
  });

  it('show the more urgent of expiry state and problem, and always name the problem', () => {
    const expiries = [expiry('a', 2, 'critical'), expiry('b', 60, 'revoked')];
    expect(marks(expiries, [problem('a', 'down'), problem('b', 'down')])).toEqual([
      ['fault', 'down'],
      ['revoked', 'down'],
    ]);
  });

  it('show an untrusted certificate as a fault unless it has expired', () => {
    const expiries = [expiry('a', -1, 'expired'), expiry('b', 4, 'critical')];
    expect(marks(expiries, [problem('a', 'untrusted'), problem('b', 'untrusted')])).toEqual([
      ['expired', 'not trusted'],
      ['fault', 'not trusted'],
    ]);
  });

  it('show a short-lived certificate as fine while its renewal is on schedule', () => {
    const renewal_due_at = new Date(NOW + 30 * HOUR_MS).toISOString();
    const short = { ...expiry('a', 4, 'critical'), on_schedule: true, renewal_due_at };
    const [pin] = horizonEntries({ expiries: [short], problems: [] }, NOW, null);
    expect(pin).toMatchObject({ status: 'ok', schedule: 'renews on schedule, due in 30 hours' });
    expect(pin && pinName(pin, NOW)).toBe(
      'a, expires on 24 November 2026, renews on schedule, due in 30 hours',
    );
  });

  it('show the problem of domains that share a certificate, and how many domains have it', () => {
    const shared = { ...expiry('a', 60, 'ok'), count: 3, fingerprint: 'f' };
    const problems = [
      { ...problem('b', 'down'), fingerprint: 'f' },
      { ...problem('c', 'down'), fingerprint: 'f' },
      problem('a', 'untrusted'),
    ];
    expect(marks([shared], problems)).toEqual([['fault', 'down on 2 of 3 domains']]);
  });

  it('are dimmed if the filtered list has none of their domains; a merged day, if the list has no certificate of that day', () => {
    const merged = { ...expiry('c', 70, 'ok'), count: 12, certificate_count: 12 };
    const expiries = [expiry('a', 60, 'ok'), expiry('b', 60, 'ok'), merged, { ...merged, id: 'd' }];
    const dimmed = (ids: string[], days: string[]) =>
      horizonEntries({ expiries, problems: [] }, NOW, { ids: new Set(ids), days: new Set(days) })
        .filter(({ isDimmed }) => isDimmed)
        .map(({ id }) => id);
    expect(dimmed(['b', 'other'], [merged.not_after.slice(0, 10)])).toEqual(['a']);
    expect(dimmed(['d'], [])).toEqual(['a', 'b', 'c', 'd']);
  });
});
