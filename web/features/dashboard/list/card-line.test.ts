import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { cardTrouble, edgeReason } from './card-line.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';

const finding = (
  code: string,
  severity: 'critical' | 'warning' | 'note',
  { message = `Says ${code}.`, short }: { message?: string; short?: string } = {},
) => ({ code, severity, message, short, addresses: [] });
const wrongName = finding('name_mismatch', 'critical', { short: 'Not trusted: wrong name' });
const refused = {
  stage: 'connect',
  reason: 'refused',
  message: 'fjord.example refused the connection.',
  since: '2026-11-20T00:00:00Z',
};

const shortLived = (overdue_at: string): NonNullable<DomainWire['renewal']> => ({
  from: '2026-11-21T00:00:00Z',
  to: '2026-11-24T14:30:00Z',
  overdue_at,
  is_short_lived: true,
  source: 'lifetime',
  explanation_url: null,
});

const down: DomainWire['uptime'] = {
  state: 'down',
  checks: 'uudd',
  percent: 60,
  response_ms: null,
  cause: 'fjord.example answered with the error 503.',
  down_since: '2026-11-18T12:00:00Z',
};

const failing: DomainWire['next_renewal'] = {
  outcome: 'fails',
  line: 'Next renewal will fail: CAA forbids Let’s Encrypt',
  expected_at: '2026-12-02T00:00:00Z',
};

describe('cardTrouble', () => {
  it.each<[string, Partial<DomainWire>, string | null]>([
    ['returns null for a healthy domain', {}, null],
    [
      'returns null if the only finding is a note',
      { findings: [finding('unknown_extension', 'note')] },
      null,
    ],
    [
      'reports a certificate for another name',
      { trusted: false, attention: 'untrusted', findings: [wrongName] },
      'untrusted: Not trusted: wrong name',
    ],
    [
      'shows the message of a finding that has no short words',
      {
        trusted: false,
        attention: 'untrusted',
        findings: [finding('newer', 'critical', { message: 'Something newer.' })],
      },
      'untrusted: Not trusted · Something newer.',
    ],
    [
      'reports that another certificate has expired than the one of the badge',
      { attention: 'flawed', findings: [finding('expired', 'warning', { short: 'Its RSA certificate' })] },
      'flawed: Needs a fix · Its RSA certificate',
    ],
    [
      'names the state of an incomplete chain as the certificates list and the status page do',
      {
        refused: true,
        attention: 'refused',
        findings: [finding('incomplete_chain', 'warning', { short: 'The chain is incomplete' })],
      },
      'refused: Refused by some clients · The chain is incomplete',
    ],
    [
      'names a state only once if two lines have it',
      {
        attention: 'flawed',
        findings: [finding('certificates_differ', 'warning')],
        weakest_link: { name: 'R13', expiry_date: '2026-12-01T10:00:00.000Z' },
      },
      'flawed: Needs a fix · Says certificates_differ. · Limited by R13: 1 Dec',
    ],
    [
      'shows a finding without a colour until the server counts it',
      { findings: [finding('certificates_differ', 'warning')] },
      'null: Says certificates_differ.',
    ],
    [
      'says when a certificate expired',
      { state: 'expired', trusted: false, findings: [finding('expired', 'critical')] },
      'expired: Expired on 22 Dec',
    ],
    [
      'reports the wrong name of an expired certificate after the expiry',
      {
        state: 'expired',
        trusted: false,
        attention: 'expired',
        findings: [finding('expired', 'critical'), wrongName],
      },
      'expired: Expired on 22 Dec · Not trusted: wrong name',
    ],
    [
      'says that a certificate has expired before a warning',
      {
        state: 'expired',
        trusted: false,
        attention: 'expired',
        findings: [finding('expired', 'critical'), finding('certificates_differ', 'warning')],
      },
      'expired: Expired on 22 Dec · Needs a fix · Says certificates_differ.',
    ],
    [
      'says that a certificate is revoked',
      { state: 'revoked', trusted: false, findings: [finding('revoked', 'critical')] },
      'revoked: Revoked',
    ],
    ['reports an untrusted certificate even without a finding', { trusted: false }, 'untrusted: Not trusted'],
    [
      'reports a refused connection before the findings of an earlier check',
      { unreachable: refused, findings: [finding('legacy_tls', 'warning')] },
      'unreachable: Certificate not read · The connection was refused',
    ],
    [
      'shows the message of a failure that has no short words',
      { unreachable: { ...refused, reason: 'newer' } },
      'unreachable: Certificate not read · fjord.example refused the connection.',
    ],
    [
      'reports an outage with the reason of the last check',
      { unreachable: refused, uptime: down },
      'down: Down since 18 Nov · The connection was refused',
    ],
    [
      'reports an outage with its cause even if a certificate was read',
      { uptime: down, findings: [finding('legacy_tls', 'warning')] },
      'down: Down since 18 Nov · Answered with the error 503',
    ],
    [
      'reports an outage after the expiry, as the headline does',
      { uptime: down, state: 'expired', attention: 'expired', unreachable: refused },
      'expired: Expired on 22 Dec · Down since 18 Nov · The connection was refused',
    ],
    [
      'says how many addresses have the problem',
      {
        trusted: false,
        attention: 'untrusted',
        findings: [{ ...wrongName, addresses: ['192.0.2.1'], of_addresses: 2 }],
      },
      'untrusted: Not trusted: wrong name · 1 of 2 addresses',
    ],
    ...([2, 3] as const).map((all): [string, Partial<DomainWire>, string] => [
      `counts the addresses of all certificates with the problem, 2 of ${all}`,
      {
        trusted: false,
        attention: 'untrusted',
        findings: ['192.0.2.1', '192.0.2.2'].map((at) => ({
          ...wrongName,
          addresses: [at],
          of_addresses: all,
        })),
      },
      `untrusted: Not trusted: wrong name${all === 2 ? '' : ' · 2 of 3 addresses'}`,
    ]),
    [
      'says how many addresses serve an expired certificate',
      {
        state: 'expired',
        trusted: false,
        attention: 'expired',
        findings: [{ ...finding('expired', 'critical'), addresses: ['192.0.2.1'], of_addresses: 2 }],
      },
      'expired: Expired on 22 Dec · 1 of 2 addresses',
    ],
    [
      'mentions an intermediate that expires first',
      { weakest_link: { name: 'R13', expiry_date: '2026-12-15T10:00:00.000Z' } },
      'null: Limited by R13: 15 Dec',
    ],
    [
      'warns of an intermediate that expires soon, once the server counts that',
      { attention: 'flawed', weakest_link: { name: 'R13', expiry_date: '2026-12-01T10:00:00.000Z' } },
      'flawed: Needs a fix · Limited by R13: 1 Dec',
    ],
    [
      'reports a refused connection if no certificate was ever read',
      { unreachable: refused, state: 'unread', fingerprint: null, trusted: null },
      'unreachable: The connection was refused',
    ],
    [
      'says why the red badge of a short-lived certificate is fine',
      { state: 'critical', expiry_date: '2026-11-24T14:30:00Z', renewal: shortLived('2026-11-22T16:00:00Z') },
      'null: Renews on schedule, due in 2 days',
    ],
    [
      'reports that the renewal of a short-lived certificate is overdue',
      {
        state: 'critical',
        attention: 'critical',
        expiry_date: '2026-11-21T14:30:00Z',
        renewal: shortLived('2026-11-20T14:00:00Z'),
      },
      'critical: Renewal overdue',
    ],
    [
      'shows an overdue renewal in the colour of the near expiry, also beside an outage',
      {
        state: 'critical',
        attention: 'down',
        uptime: down,
        expiry_date: '2026-11-21T14:30:00Z',
        renewal: shortLived('2026-11-20T14:00:00Z'),
      },
      'down: Down since 18 Nov · Answered with the error 503 · Renewal overdue',
    ],
    [
      'leaves out an overdue renewal of a revoked certificate',
      {
        state: 'revoked',
        attention: 'revoked',
        findings: [finding('renewal_overdue', 'warning', { short: 'Renewal overdue' })],
        renewal: shortLived('2026-11-20T14:00:00Z'),
      },
      'revoked: Revoked',
    ],
    [
      'reports an overdue renewal beside the badge that counts the days, in the colour of the badge',
      {
        state: 'soon',
        attention: 'soon',
        findings: [finding('renewal_overdue', 'warning', { short: 'Renewal overdue' })],
        renewal: { ...shortLived('2026-11-20T14:00:00Z'), is_short_lived: false },
      },
      'soon: Renewal overdue',
    ],
    [
      'reports an overdue renewal by itself',
      {
        attention: 'overdue',
        findings: [finding('renewal_overdue', 'warning', { short: 'Renewal overdue' })],
        renewal: { ...shortLived('2026-11-20T14:00:00Z'), is_short_lived: false },
      },
      'overdue: Renewal overdue',
    ],
    [
      'returns null for a paused domain, whose problem may be fixed by now',
      { paused: 'user', state: 'paused', trusted: false, findings: [wrongName] },
      null,
    ],
    [
      'says that a check was held back',
      { waiting: { reason: 'own_network', until: new Date(EXAMPLE_NOW - 1).toISOString() } },
      'null: Check held back',
    ],
    [
      'says that the next renewal will fail, without a colour',
      { next_renewal: failing },
      'null: Next renewal will fail:\u00A0CAA forbids Let’s Encrypt',
    ],
    [
      'puts the failing renewal after the problem of today',
      { trusted: false, attention: 'untrusted', findings: [wrongName], next_renewal: failing },
      'untrusted: Not trusted: wrong name · Next renewal will fail:\u00A0CAA forbids Let’s Encrypt',
    ],
    [
      'says nothing about a renewal that will work',
      { next_renewal: { ...failing, outcome: 'works', line: null } },
      null,
    ],
  ])('%s', (_, differences, line) => {
    const domain = exampleDomain(differences);
    const trouble = cardTrouble(domain, EXAMPLE_NOW);
    expect(trouble && `${trouble.state}: ${[trouble.text, trouble.more].filter(Boolean).join(' · ')}`).toBe(
      line,
    );
  });

  it('begins the title, which is also printed, with the name of the state', () => {
    const title = (differences: Partial<DomainWire>) =>
      cardTrouble(exampleDomain(differences), EXAMPLE_NOW)?.title;
    expect(
      title({ refused: true, attention: 'refused', findings: [finding('incomplete_chain', 'warning')] }),
    ).toBe('Refused by some clients. Says incomplete_chain.');
    expect(title({ trusted: false, attention: 'untrusted', findings: [wrongName] })).toBe(
      'Not trusted. Says name_mismatch.',
    );
    expect(title({ unreachable: refused })).toBe(
      'Certificate not read. fjord.example refused the connection.',
    );
  });
});

describe('edgeReason', () => {
  const edge = (differences: Partial<DomainWire>) => edgeReason(exampleDomain(differences), EXAMPLE_NOW);
  const fix = finding('certificates_differ', 'warning');

  it('returns a near expiry, which the badge names, before a smaller problem, which the first line names', () => {
    expect(edge({ state: 'critical', attention: 'critical', findings: [fix] })).toBe('critical');
  });

  it('returns the problem of the first line if that is the more urgent one', () => {
    expect(edge({ state: 'critical', attention: 'down', uptime: down })).toBe('down');
    expect(edge({ state: 'expired', attention: 'down', uptime: down })).toBe('expired');
  });

  it('returns null for healthy and paused domains', () => {
    expect(edge({})).toBe(null);
    expect(edge({ paused: 'user', state: 'paused', findings: [fix] })).toBe(null);
  });
});
