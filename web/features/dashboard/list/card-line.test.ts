import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { cardTrouble } from './card-line.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';

const finding = (code: string, severity: 'critical' | 'warning' | 'note', message = `Says ${code}.`) => ({
  code,
  severity,
  message,
  addresses: [],
});
const refused = {
  stage: 'connect',
  reason: 'refused',
  message: 'fjord.example refused the connection.',
  since: '2026-11-20T00:00:00Z',
};

const down: DomainWire['uptime'] = {
  state: 'down',
  checks: 'uudd',
  percent: 60,
  response_ms: null,
  down_since: '2026-11-18T12:00:00Z',
};

describe('cardTrouble', () => {
  it.each<[string, Partial<DomainWire>, string | null]>([
    ['healthy', {}, null],
    ['a note only', { findings: [finding('unknown_extension', 'note')] }, null],
    [
      'wrong name',
      { trusted: false, findings: [finding('name_mismatch', 'critical')] },
      'critical: Not valid for this name',
    ],
    [
      'self-signed',
      { trusted: false, findings: [finding('self_signed', 'critical')] },
      'critical: Not trusted: self-signed',
    ],
    [
      'old TLS',
      { findings: [finding('legacy_tls', 'warning')] },
      'warning: Only old TLS versions are offered',
    ],
    [
      'a finding without short words',
      { trusted: false, findings: [finding('newer', 'critical', 'Something newer.')] },
      'critical: Something newer.',
    ],
    [
      'expired only: the badge says it',
      { state: 'expired', trusted: false, findings: [finding('expired', 'critical')] },
      null,
    ],
    [
      'expired with a wrong name',
      {
        state: 'expired',
        trusted: false,
        findings: [finding('expired', 'critical'), finding('name_mismatch', 'critical')],
      },
      'critical: Not valid for this name',
    ],
    [
      'revoked only: the badge says it',
      { state: 'revoked', trusted: false, findings: [finding('revoked', 'critical')] },
      null,
    ],
    ['untrusted without a finding', { trusted: false }, 'critical: Not trusted'],
    [
      'unreachable, read before',
      { unreachable: refused, findings: [finding('legacy_tls', 'warning')] },
      'warning: The connection was refused',
    ],
    [
      'unreachable for a reason without short words',
      { unreachable: { ...refused, reason: 'newer' } },
      'warning: fjord.example refused the connection.',
    ],
    [
      'down, with the reason of the last check',
      { unreachable: refused, uptime: down },
      'critical: Down since 18 Nov · The connection was refused',
    ],
    [
      'down although a certificate was read',
      { uptime: down, findings: [finding('legacy_tls', 'warning')] },
      'critical: Down since 18 Nov',
    ],
    [
      'old at one address',
      {
        findings: [
          finding(
            'certificates_differ',
            'warning',
            '1 of 3 addresses still serves the old certificate, which expires on 10 December 2026.',
          ),
        ],
      },
      'warning: 1 of 3 addresses: old certificate',
    ],
    [
      'differing otherwise',
      { findings: [finding('certificates_differ', 'warning')] },
      'warning: Addresses serve different certificates',
    ],
    [
      'with an intermediate that ends first',
      { weakest_link: { name: 'R13', expiry_date: '2026-12-15T10:00:00.000Z' } },
      'quiet: Limited by R13: 15 December',
    ],
    [
      'with an intermediate that ends soon',
      { weakest_link: { name: 'R13', expiry_date: '2026-12-01T10:00:00.000Z' } },
      'warning: Limited by R13: 1 December',
    ],
    [
      'never read',
      { unreachable: refused, state: 'unread', fingerprint: null, trusted: null },
      'warning: The connection was refused',
    ],
    [
      'whose check was held back',
      { waiting: { reason: 'own_network', until: new Date(EXAMPLE_NOW - 1).toISOString() } },
      'quiet: Check held back',
    ],
  ])('%s', (_, differences, line) => {
    const domain = exampleDomain(differences);
    const trouble = cardTrouble(domain, EXAMPLE_NOW);
    expect(trouble && `${trouble.tone}: ${trouble.text}`).toBe(line);
  });
});
