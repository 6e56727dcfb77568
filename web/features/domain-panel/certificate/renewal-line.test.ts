import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { renewalLines, renewFromLine } from './renewal-line.ts';
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
    ['are absent if only the rule of thumb applies, because the bar shows that', {}, []],
    ['are absent if there is no certificate', { renewal: null }, []],
    ['are absent for a revoked certificate', { ...ari(-4, -2), is_revoked: true, state: 'revoked' }, []],
    [
      'give the renewal window of the CA',
      ari(2, 4),
      ['Google Trust Services asks for renewal between 22 November 2026 and 24 November 2026'],
    ],
    [
      'give one date if the window is within a day',
      ari(2, 2.01),
      ['Google Trust Services asks for renewal on 22 November 2026'],
    ],
    [
      'say “Its CA” if the name of the CA is unknown',
      { ...ari(2, 2), authority_name: null },
      ['Its CA asks for renewal on 22 November 2026'],
    ],
    [
      'say after the window that the renewal is overdue',
      ari(-4, -2),
      ['Renewal overdue: Google Trust Services asked for renewal by 18 November 2026'],
    ],
    [
      'say after the window that the renewal is overdue, even after expiry',
      { ...ari(-4, -2), expiry_date: at(-1) },
      ['Renewal overdue: Google Trust Services asked for renewal by 18 November 2026'],
    ],
    [
      'are absent after the window if another address serves the renewed certificate',
      renewal(0, { ...ari(-4, -2).renewal, overdue_at: null }),
      [],
    ],
    ['say that the renewal is overdue by the age of the certificate', renewal(-1), ['Renewal overdue']],
    [
      'say that the renewal is overdue before the window of the CA ends',
      ari(2, 4, null, -1),
      ['Renewal overdue'],
    ],
    [
      'say that the CA wants a replacement now',
      ari(-1, 1, 'https://ca.example/incident'),
      [
        'Your CA asks you to replace this certificate now',
        'Google Trust Services asks for renewal between 19 November 2026 and 21 November 2026',
      ],
    ],
    [
      'say by when the CA wants a replacement that it does not explain',
      { ...ari(2, 4), ...finding('replacement_wanted') },
      [
        'Your CA asks you to replace this certificate by 24 November 2026',
        'Google Trust Services asks for renewal between 22 November 2026 and 24 November 2026',
      ],
    ],
    [
      'say that the renewal of a short-lived certificate is on schedule',
      { valid_from: at(-1), expiry_date: at(5), ...renewal(3, SHORT) },
      ['Valid for 6 days in all, renews on schedule, due in 3 days'],
    ],
    [
      'say only once that the renewal of a short-lived certificate is overdue',
      { valid_from: at(-5), expiry_date: at(1), ...renewal(-0.5, SHORT) },
      ['Valid for 6 days in all, renewal overdue'],
    ],
    [
      'give the renewal window of a short-lived certificate',
      { valid_from: at(-1), expiry_date: at(5), ...ari(2, 2) },
      ['Google Trust Services asks for renewal on 22 November 2026'],
    ],
  ])('%s', (_, differences, lines) => {
    expect(linesOf(differences)).toEqual(lines);
  });

  it("escape invisible characters in the CA's name", () =>
    expect(linesOf({ ...ari(2, 2), authority_name: 'Good\u202ECA' })[0]).toMatch(/^Good\\u202ECA asks/));
});

it.each([
  ['ok', 'overdue'],
  ['soon', 'soon'],
  ['critical', 'critical'],
] as const)(
  'the line of an overdue renewal has the mark of the card: in the state %s that of %s',
  (state, mark) => {
    const short = { valid_from: at(-5), expiry_date: at(1), ...renewal(-0.5, SHORT) };
    for (const overdue of [renewal(-1), ari(-4, -2), short]) {
      const lines = renewalLines(exampleDomain({ state, ...overdue }), EXAMPLE_NOW);
      expect(lines.map((line) => line.state)).toEqual([mark]);
      const paused = renewalLines(
        exampleDomain({ state: 'paused', paused: 'user', ...overdue }),
        EXAMPLE_NOW,
      );
      expect(paused.map((line) => line.state)).toEqual([null]);
    }
  },
);

it.each<[string, Partial<DomainWire>, string | null]>([
  ['from when to renew a certificate', renewal(9), 'Renew from 22 November 2026'],
  [
    'by when the renewal of a short-lived certificate on schedule is due',
    { expiry_date: at(5), ...renewal(3, SHORT) },
    'Renew from 22 November 2026, due by 23 November 2026',
  ],
  [
    'no more than the start once that renewal is overdue',
    { expiry_date: at(1), ...renewal(-0.5, SHORT) },
    'Renew from 22 November 2026',
  ],
  ['nothing without a certificate', { renewal: null }, null],
  ['nothing for a revoked certificate', { ...renewal(9), is_revoked: true, state: 'revoked' }, null],
])('the line below the lifetime bar says %s', (_, differences, line) =>
  expect(renewFromLine(exampleDomain(differences), EXAMPLE_NOW)).toBe(line),
);
