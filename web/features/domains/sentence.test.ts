import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../contract/domain.ts';
import { EXAMPLE_NOW as now } from './example-domain.ts';
import { dashboardSentence } from './sentence.ts';
import type { DashboardSentence } from './sentence.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import type { DomainState } from '../../../contract/words.ts';

type Problem = SummaryWire['problems'][number];
type Entry = [host: string, state: DomainState, days: number, schedule?: 'on schedule'];

function summaryOf(entries: Entry[], extra: Partial<SummaryWire['counts']> = {}): SummaryWire {
  const counts = {
    pending: 0,
    unread: 0,
    expired: 0,
    critical: 0,
    soon: 0,
    ok: 0,
    revoked: 0,
    paused: 0,
    ...extra,
  };
  const on_schedule = { critical: 0, soon: 0 };
  for (const [, state, , schedule] of entries) {
    counts[state] += 1;
    if (schedule && (state === 'critical' || state === 'soon')) on_schedule[state] += 1;
  }
  return {
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    on_schedule,
    tags: [],
    expiries: entries.map(([host, state, days, schedule]) => ({
      id: host,
      hostname: host,
      display_name: host,
      state,
      not_after: new Date(now + days * DAY_MS).toISOString(),
      valid_from: null,
      on_schedule: schedule !== undefined,
      count: 1,
    })),
    problems: [],
  };
}

function problem(host: string, kind: Problem['kind'], message: string, state: DomainState = 'ok'): Problem {
  return { id: host, hostname: host, display_name: host, kind, message, state };
}

function textOf(detail: DashboardSentence['detail']): string {
  return detail.map((sentence) => sentence.map(({ text }) => text).join('')).join(' ');
}

function say(summary: SummaryWire, problems: Problem[] = [], limit: number | null = null) {
  const { headline, detail } = dashboardSentence({ summary: { ...summary, problems }, limit, now });
  return [headline, textOf(detail)];
}

const fine = (count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => [`host-${index + 1}.example`, 'ok', 32 + index]);
const paused = (count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => [`paused-${index + 1}.example`, 'paused', -index]);
const down = (host: string, state: DomainState = 'ok') =>
  problem(host, 'down', `${host} answered with the error 503.`, state);
const wrongName = problem('shop.example', 'untrusted', 'The certificate is not valid for this name.');

describe('dashboardSentence', () => {
  it.each<[string, SummaryWire, Problem[], string, string]>([
    [
      'one lives for days and is on schedule',
      summaryOf([['edge.example', 'critical', 5, 'on schedule'], ...fine(2)]),
      [],
      'All three certificates are fine',
      'Next to expire is edge.example on 25 November.',
    ],
    [
      'one lives for days and is overdue',
      summaryOf([['edge.example', 'critical', 1.2], ...fine(2)]),
      [],
      'One certificate needs attention in one day',
      'edge.example expires on 21 November.',
    ],
    [
      'one on schedule beside one that is not',
      summaryOf([['edge.example', 'critical', 5, 'on schedule'], ['pay.example', 'critical', 6], ...fine(1)]),
      [],
      'One certificate needs attention in six days',
      'pay.example expires on 26 November.',
    ],
    [
      'one that lives for days and that nobody trusts',
      summaryOf([['edge.example', 'critical', 5], ...fine(1)]),
      [problem('edge.example', 'untrusted', 'The certificate is self-signed.', 'critical')],
      'One certificate needs attention in five days',
      'The certificate of edge.example is self-signed. edge.example expires on 25 November.',
    ],
    [
      'one is down',
      summaryOf(fine(4)),
      [down('host-2.example')],
      'host-2.example is down',
      'host-2.example answered with the error 503. Next to expire is host-1.example on 22 December.',
    ],
    [
      'one is down that was never read',
      summaryOf(fine(1), { unread: 1 }),
      [down('gone.example', 'unread')],
      'gone.example is down',
      'gone.example answered with the error 503. Next to expire is host-1.example on 22 December.',
    ],
    [
      'two are down, and one ends this week',
      summaryOf([['pay.example', 'critical', 2], ...fine(2)]),
      [down('host-1.example'), down('host-2.example')],
      'One certificate needs attention in two days',
      'Two domains are down. pay.example expires on 22 November.',
    ],
    [
      'two are down',
      summaryOf([['git.example', 'soon', 11], ...fine(2)]),
      [down('host-1.example'), down('host-2.example')],
      'Two domains are down',
      'host-1.example answered with the error 503. git.example expires on 1 December.',
    ],
    [
      '12 fine',
      summaryOf(fine(12)),
      [],
      'All 12 certificates are fine',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      '3 fine',
      summaryOf(fine(3)),
      [],
      'All three certificates are fine',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      '2 fine',
      summaryOf(fine(2)),
      [],
      'Both certificates are fine',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      '1 fine',
      summaryOf(fine(1)),
      [],
      'Your certificate is fine',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      'one soon',
      summaryOf([['git.example', 'soon', 11], ...fine(2)]),
      [],
      'One certificate needs attention in 11 days',
      'git.example expires on 1 December.',
    ],
    [
      'one critical, days as words',
      summaryOf([['git.example', 'critical', 6.5], ...fine(2)]),
      [],
      'One certificate needs attention in six days',
      'git.example expires on 27 November.',
    ],
    [
      'one day',
      summaryOf([['git.example', 'critical', 1]]),
      [],
      'One certificate needs attention in one day',
      'git.example expires on 21 November.',
    ],
    [
      'within the day',
      summaryOf([['git.example', 'critical', 0.2]]),
      [],
      'One certificate needs attention within a day',
      'git.example expires on 20 November.',
    ],
    [
      'several soon',
      summaryOf([
        ['git.example', 'soon', 9],
        ['api.example', 'soon', 12],
      ]),
      [],
      'Two certificates need attention within two weeks',
      'git.example expires on 29 November.',
    ],
    [
      'several this week',
      summaryOf([
        ['legacy.example', 'expired', -3],
        ['pay.example', 'critical', 2],
        ['mail.example', 'critical', 6],
        ['git.example', 'soon', 11],
      ]),
      [],
      'Three certificates need attention this week',
      'legacy.example expired on 17 November. Next is pay.example on 22 November.',
    ],
    [
      'one expired',
      summaryOf([['legacy.example', 'expired', -3], ...fine(1)]),
      [],
      'legacy.example has expired',
      'legacy.example expired on 17 November. Next is host-1.example on 22 December.',
    ],
    [
      'all expired',
      summaryOf([
        ['a.example', 'expired', -3],
        ['b.example', 'expired', -1],
      ]),
      [],
      'Two certificates have expired',
      'a.example expired on 17 November.',
    ],
    [
      'one revoked',
      summaryOf([['cdn.example', 'revoked', 41]]),
      [],
      'The certificate of cdn.example is revoked',
      '',
    ],
    [
      'broken in different ways',
      summaryOf([
        ['old.example', 'expired', -400],
        ['cdn.example', 'revoked', 41],
      ]),
      [],
      'Two certificates need attention now',
      'old.example expired on 16 October 2025. cdn.example is revoked.',
    ],
    [
      'a wrong name is never fine',
      summaryOf([['shop.example', 'ok', 40], ...fine(2)]),
      [wrongName],
      'The certificate of shop.example is not trusted',
      'The certificate of shop.example is not valid for this name. Next to expire is shop.example on 30 December.',
    ],
    [
      'a wrong name beside a critical one',
      summaryOf([
        ['pay.example', 'critical', 2],
        ['shop.example', 'ok', 40],
      ]),
      [wrongName],
      'Two certificates need attention this week',
      'The certificate of shop.example is not valid for this name. pay.example expires on 22 November.',
    ],
    [
      'an untrusted one that is critical counts once',
      summaryOf([['shop.example', 'critical', 2]]),
      [{ ...wrongName, state: 'critical' }],
      'One certificate needs attention in two days',
      'The certificate of shop.example is not valid for this name. shop.example expires on 22 November.',
    ],
    [
      'never read',
      summaryOf(fine(2), { unread: 1 }),
      [problem('gone.example', 'unreachable', 'gone.example does not exist in DNS.', 'unread')],
      'gone.example could not be read',
      'gone.example does not exist in DNS. Next to expire is host-1.example on 22 December.',
    ],
    [
      'unreachable now',
      summaryOf(fine(3)),
      [
        problem('host-1.example', 'unreachable', 'The connection was refused.'),
        problem('host-2.example', 'unreachable', 'The connection was refused.'),
      ],
      'Two domains could not be read',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      'nothing checked yet',
      summaryOf([], { pending: 1 }),
      [],
      'Reading the certificate of one domain',
      'The first check takes a few seconds.',
    ],
    [
      'nothing checked yet, several',
      summaryOf([], { pending: 3 }),
      [],
      'Reading the certificates of three domains',
      'The first check takes a few seconds.',
    ],
    [
      'some checked',
      summaryOf(fine(3), { pending: 1 }),
      [],
      'So far, all three certificates are fine',
      'Next to expire is host-1.example on 22 December. One domain is being checked for the first time.',
    ],
    [
      'one of two checked',
      summaryOf(fine(1), { pending: 1 }),
      [],
      'So far, one certificate is fine',
      'Next to expire is host-1.example on 22 December. One domain is being checked for the first time.',
    ],
    [
      'nine of 12 paused',
      summaryOf([...fine(3), ...paused(9)]),
      [],
      'Three certificates are fine, nine domains are paused',
      'Next to expire is host-1.example on 22 December.',
    ],
    [
      'one of two paused',
      summaryOf([...fine(1), ...paused(1)]),
      [],
      'One certificate is fine, one domain is paused',
      'Next to expire is host-1.example on 22 December.',
    ],
    ['all paused', summaryOf(paused(3)), [], 'All three domains are paused', ''],
    ['the only one paused', summaryOf(paused(1)), [], 'Your domain is paused', ''],
    [
      'some checked, some paused',
      summaryOf([...fine(2), ...paused(1)], { pending: 1 }),
      [],
      'So far, two certificates are fine, one domain is paused',
      'Next to expire is host-1.example on 22 December. One domain is being checked for the first time.',
    ],
    [
      'none checked yet, some paused',
      summaryOf(paused(2), { pending: 1 }),
      [],
      'One domain is being read, two domains are paused',
      'The first check takes a few seconds.',
    ],
    [
      'paused ones beside an urgent one',
      summaryOf([['pay.example', 'critical', 2], ...paused(2)]),
      [],
      'One certificate needs attention in two days',
      'pay.example expires on 22 November. Two domains are paused.',
    ],
    [
      'what was wrong with a paused one is not said of now',
      summaryOf([...fine(1), ...paused(2)]),
      [
        problem('paused-1.example', 'unreachable', 'The connection was refused.', 'paused'),
        problem('paused-2.example', 'untrusted', 'The certificate is self-signed.', 'paused'),
      ],
      'One certificate is fine, two domains are paused',
      'Next to expire is host-1.example on 22 December.',
    ],
  ])('%s', (_, summary, problems, headline, detail) => {
    expect(say(summary, problems)).toEqual([headline, detail]);
  });

  it('tells what the plan checks of more than it holds', () => {
    const { detail } = dashboardSentence({ summary: summaryOf([...fine(3), ...paused(9)]), limit: 3, now });
    expect(textOf(detail)).toContain('Free checks up to three of your 12 domains.');
  });

  it('tells the plan and marks the hosts', () => {
    const summary = summaryOf([['git.example', 'soon', 11], ...fine(2)]);
    const { detail } = dashboardSentence({ summary, limit: 3, now });
    expect(textOf(detail)).toBe('git.example expires on 1 December. You track 3 of 3 domains on Free.');
    expect(detail.flat().filter(({ isHost }) => isHost)).toEqual([{ text: 'git.example', isHost: true }]);
  });
});
