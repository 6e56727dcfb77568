import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../contract/domain.ts';
import { cardTrouble } from './card-line.ts';
import { exampleDomain } from './example-domain.ts';
import { problemOf } from './problem.ts';

const finding = (code: string, severity: 'critical' | 'warning' | 'note', message = `Says ${code}.`) => ({
  code,
  severity,
  message,
  addresses: [],
});
const refused = {
  stage: 'connect',
  reason: 'refused',
  message: 'The connection was refused.',
  since: '2026-11-20T00:00:00Z',
};

describe('cardTrouble and problemOf', () => {
  it.each<[string, Partial<DomainWire>, string | null, string | null]>([
    ['healthy', {}, null, null],
    ['a note only', { findings: [finding('unknown_extension', 'note')] }, null, null],
    [
      'wrong name',
      { trusted: false, findings: [finding('name_mismatch', 'critical')] },
      'critical: Not valid for this name',
      'untrusted: Says name_mismatch.',
    ],
    [
      'self-signed',
      { trusted: false, findings: [finding('self_signed', 'critical')] },
      'critical: Not trusted: self-signed',
      'untrusted: Says self_signed.',
    ],
    [
      'old TLS',
      { findings: [finding('legacy_tls', 'warning')] },
      'warning: Only old TLS versions are offered',
      null,
    ],
    [
      'a finding without short words',
      { trusted: false, findings: [finding('newer', 'critical', 'Something newer.')] },
      'critical: Something newer.',
      'untrusted: Something newer.',
    ],
    [
      'expired only: the badge says it',
      { state: 'expired', trusted: false, findings: [finding('expired', 'critical')] },
      null,
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
      null,
    ],
    [
      'untrusted without a finding',
      { trusted: false },
      'critical: Not trusted',
      'untrusted: The certificate is not trusted.',
    ],
    [
      'unreachable, read before',
      { unreachable: refused, findings: [finding('legacy_tls', 'warning')] },
      'warning: Not reached: The connection was refused.',
      'unreachable: The connection was refused.',
    ],
    [
      'never read',
      { unreachable: refused, state: 'unread', fingerprint: null, trusted: null },
      'warning: The connection was refused.',
      'unreachable: The connection was refused.',
    ],
  ])('%s', (_, differences, line, problem) => {
    const domain = exampleDomain(differences);
    const trouble = cardTrouble(domain);
    expect(trouble && `${trouble.tone}: ${trouble.text}`).toBe(line);
    const found = problemOf(domain);
    expect(found && `${found.kind}: ${found.message}`).toBe(problem);
  });
});
