import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { renewalLines } from './renewal-line.ts';
import { DAY_MS } from '../../../../contract/durations.ts';

const at = (days: number) => new Date(EXAMPLE_NOW + days * DAY_MS).toISOString();
const renewal = (
  overdueIn: number,
  change: Partial<NonNullable<DomainWire['renewal']>> = {},
): Pick<DomainWire, 'renewal'> => ({
  renewal: {
    from: at(2),
    to: at(32),
    overdue_at: at(overdueIn),
    is_short_lived: false,
    source: 'lifetime',
    explanation_url: null,
    ...change,
  },
});
const ari = (from: number, to: number, explanationUrl: string | null = null, overdueIn = to) =>
  renewal(overdueIn, { from: at(from), to: at(to), source: 'ari', explanation_url: explanationUrl });
const SHORT = { is_short_lived: true };
const finding = (code: string) => ({
  findings: [{ code, severity: 'warning' as const, message: '', addresses: [] }],
});
const linesOf = (differences: Partial<DomainWire>) =>
  renewalLines(exampleDomain(differences), EXAMPLE_NOW).map(({ text }) => text);

describe('the lines about the renewal', () => {
  it.each<[string, Partial<DomainWire>, string[]]>([
    ['by the rule of thumb: the bar says it', {}, []],
    ['no certificate', { renewal: null }, []],
    [
      'a window of the CA',
      ari(2, 4),
      ['Google Trust Services asks for renewal between 22 November 2026 and 24 November 2026'],
    ],
    ['a window of one day', ari(2, 2.01), ['Google Trust Services asks for renewal on 22 November 2026']],
    [
      'no name of a CA',
      { ...ari(2, 2), authority_name: null },
      ['Its CA asks for renewal on 22 November 2026'],
    ],
    [
      'past the window',
      ari(-4, -2),
      ['Renewal overdue: Google Trust Services asked for renewal by 18 November 2026'],
    ],
    [
      'expired after the window',
      { ...ari(-4, -2), expiry_date: at(-1) },
      ['Renewal overdue: Google Trust Services asked for renewal by 18 November 2026'],
    ],
    [
      'past the window, and renewed at another address',
      renewal(0, { ...ari(-4, -2).renewal, overdue_at: null }),
      [],
    ],
    ['overdue by its age', renewal(-1), ['Renewal overdue']],
    ['overdue before the window of the CA ends', ari(2, 4, null, -1), ['Renewal overdue']],
    [
      'to be replaced',
      ari(-1, 1, 'https://ca.example/incident'),
      [
        'Your CA asks you to replace this certificate now',
        'Google Trust Services asks for renewal between 19 November 2026 and 21 November 2026',
      ],
    ],
    [
      'to be replaced soon, unexplained',
      { ...ari(2, 4), ...finding('replacement_wanted') },
      [
        'Your CA asks you to replace this certificate by 24 November 2026',
        'Google Trust Services asks for renewal between 22 November 2026 and 24 November 2026',
      ],
    ],
    [
      'short-lived',
      { valid_from: at(-1), expiry_date: at(5), ...renewal(3, SHORT) },
      ['Valid for 6 days in all, renewal on schedule'],
    ],
    [
      'short-lived and late: said once',
      { valid_from: at(-5), expiry_date: at(1), ...renewal(-0.5, SHORT) },
      ['Valid for 6 days in all, renewal overdue'],
    ],
    [
      'short-lived with a window',
      { valid_from: at(-1), expiry_date: at(5), ...ari(2, 2) },
      ['Google Trust Services asks for renewal on 22 November 2026'],
    ],
  ])('%s', (_, differences, lines) => {
    expect(linesOf(differences)).toEqual(lines);
  });

  it("escapes invisible characters in the CA's name", () =>
    expect(linesOf({ ...ari(2, 2), authority_name: 'Good\u202ECA' })[0]).toMatch(/^Good\\u202ECA asks/));
});
