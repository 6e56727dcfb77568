import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../contract/domain.ts';
import {
  ATTENTION_REASONS,
  attentionReason,
  type AttentionReason,
  type DomainState,
} from '../../../contract/words.ts';
import { EXAMPLE_NOW as now } from '../../../tests/kit/pages/example-domain.ts';
import { dashboardSentence, urgencyWords } from './sentence.ts';
import { DAY_MS } from '../../../contract/durations.ts';

type Problem = SummaryWire['problems'][number];
/** `days` until the expiry; null if no certificate was read. */
interface Entry {
  host: string;
  state: DomainState;
  days: number | null;
  isOnSchedule?: boolean;
  problem?: { kind: Problem['kind']; message: string };
}

const at = (days: number) => new Date(now + days * DAY_MS).toISOString();

/** Returns the server's summary of domains. */
function summaryOf(entries: readonly Entry[]): SummaryWire {
  const counts = { pending: 0, unread: 0, expired: 0, critical: 0, soon: 0, ok: 0, revoked: 0, paused: 0 };
  for (const { state } of entries) counts[state] += 1;
  const named = (host: string) => ({ id: host, hostname: host, display_name: host });
  const urgent = entries.flatMap(({ host, state, days, isOnSchedule = false, problem }) => {
    const reason = attentionReason({
      state,
      isDown: problem?.kind === 'down',
      problem: problem && problem.kind !== 'down' ? problem.kind : null,
      isOnSchedule,
    });
    return reason ? [{ ...named(host), reason, not_after: days === null ? null : at(days) }] : [];
  });
  const byReason = Map.groupBy(urgent, ({ reason }) => reason);
  return {
    total: entries.length,
    counts,
    on_schedule: { critical: 0, soon: 0 },
    renewal_fails: 0,
    attention: {
      total: urgent.length,
      problems: 0,
      counts: Object.fromEntries(
        ATTENTION_REASONS.map((reason) => [reason, byReason.get(reason)?.length ?? 0]),
      ) as Record<AttentionReason, number>,
      first: ATTENTION_REASONS.flatMap((reason) => byReason.get(reason) ?? []).slice(0, 3),
    },
    tags: [],
    expiries: entries.flatMap(({ host, state, days, isOnSchedule = false }) =>
      days === null || state === 'paused'
        ? []
        : [
            {
              ...named(host),
              state,
              not_after: at(days),
              valid_from: null,
              on_schedule: isOnSchedule,
              renewal_due_at: isOnSchedule ? at(days - 2) : null,
              count: 1,
              certificate_count: 1,
              fingerprint: null,
            },
          ],
    ),
    problems: entries.flatMap(({ host, state, problem }) =>
      problem && state !== 'paused' ? [{ ...named(host), state, ...problem, fingerprint: null }] : [],
    ),
  };
}

function say(entries: readonly Entry[], limit: number | null = null): [headline: string, detail: string] {
  const { headline, detail } = dashboardSentence({ summary: summaryOf(entries), limit, now });
  const [text = '', ...details] = [headline, ...detail].map((phrases) =>
    phrases.map(({ text }) => text).join(''),
  );
  return [text, details.join(' ')];
}

const domain = (host: string, state: DomainState, days: number | null, more: Partial<Entry> = {}): Entry => ({
  host,
  state,
  days,
  ...more,
});
const fine = (count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => domain(`host-${index + 1}.example`, 'ok', 32.5 + index));
const several = (count: number, state: DomainState): Entry[] =>
  Array.from({ length: count }, (_, index) => domain(`${state}-${index + 1}.example`, state, null));
const down = (host: string, state: DomainState = 'ok', days: number | null = 60): Entry =>
  domain(host, state, days, { problem: { kind: 'down', message: `${host} answered with the error 503.` } });
const unread = (host: string): Entry =>
  domain(host, 'unread', null, {
    problem: { kind: 'unreachable', message: `${host} does not exist in DNS.` },
  });
const untrusted = (host: string, state: DomainState = 'ok', days = 40): Entry =>
  domain(host, state, days, {
    problem: { kind: 'untrusted', message: 'The certificate is not valid for this name.' },
  });
const refused = (host: string): Entry =>
  domain(host, 'ok', 40, {
    problem: {
      kind: 'refused',
      message: 'The server does not send “Fjord CA 1”, so some clients refuse it.',
    },
  });
const pay = domain('pay.example', 'critical', 2.5);
const git = domain('git.example', 'soon', 11.5);
const legacy = domain('legacy.example', 'expired', -3);
const cdn = domain('cdn.example', 'revoked', 41);

describe('the headline of the dashboard', () => {
  it.each<[string, Entry[], string, string]>([
    ['19 fine certificates', fine(19), 'All 19 are fine', 'Next: host-1.example expires in 32 days.'],
    ['three fine certificates', fine(3), 'All 3 are fine', 'Next: host-1.example expires in 32 days.'],
    ['two fine certificates', fine(2), 'Both are fine', 'Next: host-1.example expires in 32 days.'],
    ['one fine certificate', fine(1), 'host-1.example is fine', 'It expires in 32 days.'],
    [
      'a short-lived certificate on schedule',
      [domain('edge.example', 'critical', 5.5, { isOnSchedule: true }), ...fine(2)],
      'All 3 are fine',
      'Next: edge.example renews on schedule, due in 3 days.',
    ],
    [
      'a short-lived certificate on schedule and a critical one',
      [domain('edge.example', 'critical', 5.5, { isOnSchedule: true }), pay, ...fine(1)],
      'pay.example expires in 2 days',
      '',
    ],
    ['one critical certificate', [pay, ...fine(2)], 'pay.example expires in 2 days', ''],
    ['one day left', [domain('git.example', 'critical', 1)], 'git.example expires in 24 hours', ''],
    [
      'less than a day left',
      [domain('git.example', 'critical', 0.02)],
      'git.example expires in less than an hour',
      '',
    ],
    ['one certificate that expires soon', [git, ...fine(2)], 'git.example expires in 11 days', ''],
    ['one expired certificate', [legacy, ...fine(1)], 'legacy.example has expired', ''],
    ['one revoked certificate', [cdn], 'The certificate of cdn.example is revoked', ''],
    [
      'one host that is down',
      [down('host-2.example'), ...fine(1)],
      'host-2.example is down',
      'host-2.example answered with the error 503.',
    ],
    [
      'one host that was never read',
      [unread('gone.example'), ...fine(1)],
      'The certificate of gone.example was not read',
      'gone.example does not exist in DNS.',
    ],
    [
      'an untrusted certificate that expires in four days',
      [untrusted('shop.example', 'critical', 4.5), ...fine(2)],
      'The certificate of shop.example is not trusted',
      'The certificate of shop.example is not valid for this name.',
    ],
    [
      'one host that some clients refuse',
      [refused('docs.example'), ...fine(2)],
      'docs.example is refused by some clients',
      'docs.example: The server does not send “Fjord CA 1”, so some clients refuse it.',
    ],
    [
      'two hosts that some clients refuse',
      [refused('a.example'), refused('b.example'), ...fine(1)],
      '2 domains are refused by some clients',
      '',
    ],
    [
      'two expired certificates',
      [legacy, domain('b.example', 'expired', -1)],
      '2 certificates have expired',
      '',
    ],
    [
      'two untrusted certificates',
      [untrusted('a.example'), untrusted('b.example')],
      '2 certificates are not trusted',
      '',
    ],
    ['two hosts that are down', [down('a.example'), down('b.example'), ...fine(1)], '2 domains are down', ''],
    [
      'two hosts that were never read',
      [unread('a.example'), unread('b.example')],
      '2 certificates were not read',
      '',
    ],
    [
      'an expired and a revoked certificate',
      [legacy, cdn, ...fine(1)],
      '2 certificates need attention now',
      '',
    ],
    ['three problems this week', [legacy, pay, cdn], '3 certificates need attention this week', ''],
    [
      'two certificates that expire soon',
      [git, domain('api.example', 'soon', 12)],
      '2 certificates need attention within two weeks',
      '',
    ],
    [
      'problems at different times, one without a certificate',
      [legacy, pay, git, unread('gone.example'), ...fine(3)],
      '4 domains need attention, 3 this week',
      '',
    ],
    [
      'three fine certificates and an unchecked domain',
      [...fine(3), ...several(1, 'pending')],
      'So far, 3 certificates are fine',
      'Next: host-1.example expires in 32 days. 1 domain awaits its first check.',
    ],
    [
      'an urgent certificate and two unchecked domains',
      [pay, ...several(2, 'pending')],
      'pay.example expires in 2 days',
      '2 domains await their first check.',
    ],
    [
      'only one unchecked domain',
      several(1, 'pending'),
      'Reading the certificate of 1 domain',
      'The first check takes a few seconds.',
    ],
    [
      'only three unchecked domains',
      several(3, 'pending'),
      'Reading the certificates of 3 domains',
      'The first check takes a few seconds.',
    ],
    [
      'a first domain that the summary does not count yet',
      [],
      'Reading your certificates',
      'The first check takes a few seconds.',
    ],
    [
      'nine of 12 domains paused',
      [...fine(3), ...several(9, 'paused')],
      '3 certificates are fine, 9 domains are paused',
      'Next: host-1.example expires in 32 days.',
    ],
    ['all three domains paused', several(3, 'paused'), 'All 3 domains are paused', ''],
    ['the only domain paused', several(1, 'paused'), 'Your domain is paused', ''],
    [
      'one unchecked and two paused domains',
      [...several(2, 'paused'), ...several(1, 'pending')],
      '1 domain is being read, 2 domains are paused',
      'The first check takes a few seconds.',
    ],
    [
      'an urgent certificate and two paused domains',
      [pay, ...several(2, 'paused')],
      'pay.example expires in 2 days',
      '2 domains are paused.',
    ],
    [
      'an old problem of a paused domain',
      [...fine(1), { ...unread('gone.example'), state: 'paused' }],
      '1 certificate is fine, 1 domain is paused',
      'Next: host-1.example expires in 32 days.',
    ],
  ])('with %s reads: $2', (_, entries, headline, detail) => {
    expect(say(entries)).toEqual([headline, detail]);
  });

  it('is followed by the domain limit of the plan', () => {
    expect(say(fine(3), 3)[1]).toMatch(/You track 3 of 3 domains on Free\.$/);
    expect(say([...fine(3), ...several(9, 'paused')], 3)[1]).toContain(
      'Free checks up to 3 of your 12 domains.',
    );
  });

  it('says when a single short-lived certificate on schedule renews, instead of when it expires', () => {
    expect(say([domain('localhost', 'critical', 4, { isOnSchedule: true })])).toEqual([
      'localhost is fine',
      'It renews on schedule, due in 2 days.',
    ]);
  });

  it('marks its host, so that the page can cut a long name', () => {
    for (const entry of [legacy, cdn, pay, down('a'), unread('a'), untrusted('a'), ...fine(1)]) {
      const { headline } = dashboardSentence({ summary: summaryOf([entry]), limit: null, now });
      expect(headline.filter(({ isHost }) => isHost)).toEqual([{ text: entry.host, isHost: true }]);
    }
  });

  it('highlights hosts in the details', () => {
    const { detail } = dashboardSentence({ summary: summaryOf([untrusted('a.example')]), limit: null, now });
    expect(detail.flat().filter(({ isHost }) => isHost)).toEqual([{ text: 'a.example', isHost: true }]);
  });
});

it('urgencyWords says in a few words why a host needs attention', () => {
  const words = (entry: Entry) => summaryOf([entry]).attention.first.map((first) => urgencyWords(first, now));
  const entries = [pay, domain('a', 'critical', 1), domain('a', 'critical', 0.5), git, legacy, cdn];
  expect([...entries, untrusted('a'), down('a'), unread('a')].flatMap(words)).toEqual([
    '2 days',
    '24 hours',
    '12 hours',
    '11 days',
    'expired',
    'revoked',
    'not trusted',
    'down',
    'certificate not read',
  ]);
});
