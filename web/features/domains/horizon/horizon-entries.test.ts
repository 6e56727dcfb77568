import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { EXAMPLE_NOW as NOW } from '../example-domain.ts';
import { horizonEntries } from './horizon-entries.ts';
import { DAY_MS } from '../../../../contract/durations.ts';
import type { DomainState } from '../../../../contract/words.ts';

type Problem = SummaryWire['problems'][number];

const expiry = (id: string, days: number, state: DomainState) => ({
  id,
  hostname: id,
  display_name: id,
  not_after: new Date(NOW + days * DAY_MS).toISOString(),
  valid_from: null,
  on_schedule: false,
  state,
  count: 1,
});
const problem = (id: string, kind: Problem['kind']): Problem => ({
  id,
  hostname: id,
  display_name: id,
  state: 'ok',
  kind,
  message: 'Something is wrong.',
});
const marks = (expiries: SummaryWire['expiries'], problems: Problem[]) =>
  horizonEntries({ expiries, problems }, NOW).map(({ status, trouble }) => [status, trouble]);

describe('the marks of the horizon', () => {
  it('are by the date where nothing else is wrong', () => {
    const expiries = [expiry('a', -1, 'expired'), expiry('b', 3, 'critical'), expiry('c', 60, 'ok')];
    expect(marks(expiries, [])).toEqual([
      ['expired', undefined],
      ['critical', undefined],
      ['ok', undefined],
    ]);
  });

  it.each<[Problem['kind'], string]>([
    ['untrusted', 'not trusted'],
    ['down', 'down'],
    ['unreachable', 'could not be read'],
  ])('are not calm where a host is %s', (kind, trouble) => {
    expect(marks([expiry('a', 60, 'ok'), expiry('b', 10, 'soon')], [problem('a', kind)])).toEqual([
      ['fault', trouble],
      ['soon', undefined],
    ]);
  });

  it('stay what is more urgent, and tell the trouble beside it', () => {
    const expiries = [expiry('a', 2, 'critical'), expiry('b', 60, 'revoked')];
    expect(marks(expiries, [problem('a', 'untrusted'), problem('a', 'down'), problem('b', 'down')])).toEqual([
      ['critical', 'not trusted'],
      ['revoked', 'down'],
    ]);
  });
});
