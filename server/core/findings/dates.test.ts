import { describe, expect, it } from 'vitest';
import type { Client } from '../../../contract/check-words.ts';
import type { Finding } from '../finding.ts';
import { clientSentence } from '../report/report.ts';
import { describeFindings, findingFix, findingMessage } from '../report/describe-finding.ts';
import { ENDPOINT as endpoint } from '../../../tests/kit/certificates/judging.ts';

const FROM = Date.UTC(2027, 2, 15);
const EVIDENCE = { root: 'Fjord Root', days: 199 };

function finding(
  kind: 'refused_from' | 'renewal_changes',
  rule: string,
  clients: readonly Client[] = [],
): Finding {
  return {
    code: kind,
    severity: kind === 'refused_from' ? 'upcoming' : 'note',
    facts: { kind, rule, from: FROM, evidence: EVIDENCE },
    addresses: [],
    fingerprint: 'f',
    keyType: null,
    attachment: null,
    clients,
  };
}
const words = (one: Finding) => [findingMessage(one, 'fjord.example'), findingFix(one, 'fjord.example')];

describe('a finding about a day to come', () => {
  it('names the day, the clients and the reason of a refusal, and what to do before', () => {
    expect(words(finding('refused_from', 'root_expires', ['firefox', 'go']))).toEqual([
      'From 15 March 2027, 00:00 UTC on, Firefox and Go refuse this certificate: its root “Fjord Root” expires then, and it leads to no other.',
      'Before 15 March 2027, 00:00 UTC, install a certificate that leads to another root. If the authority is your own, renew its root and have it trusted everywhere.',
    ]);
    expect(words(finding('refused_from', 'rule_of_a_newer_version', ['chromium']))[0]).toBe(
      'From 15 March 2027, 00:00 UTC on, Chrome refuses this certificate.',
    );
  });

  it.each([
    [
      'server_auth_only',
      'This certificate also lets the server identify itself to other servers as their client. Public certificates issued from 15 March 2027, 00:00 UTC on cannot do that.',
    ],
    [
      'lifetime_100',
      'This certificate is valid for 199 days. Public certificates issued from 15 March 2027, 00:00 UTC on are valid for at most 100 days, and rely on a validation of the domain that is at most 100 days old.',
    ],
    [
      'chrome_roots_2027_09_15',
      'Chrome does not trust certificates of the root “Fjord Root” issued from 15 March 2027, 00:00 UTC on. This one stays trusted, but its renewal may not be.',
    ],
    [
      'rule_of_a_newer_version',
      'Certificates issued from 15 March 2027, 00:00 UTC on follow other rules than this one.',
    ],
  ])('says what the rule %s changes for the renewal', (rule, message) => {
    expect(words(finding('renewal_changes', rule))).toEqual([message, expect.stringMatching(/\.$/)]);
  });

  it('shows the source of the rule, and as of when it was read', () => {
    const shown = {
      findings: [finding('renewal_changes', 'lifetime_100')],
      addresses: [],
      hasOwnRoot: false,
    };
    expect(describeFindings(shown, endpoint)[0]?.evidence).toEqual([
      { label: 'Root', value: 'Fjord Root' },
      { label: 'Source', value: 'https://github.com/cabforum/servercert/blob/main/docs/BR.md' },
      { label: 'As of', value: '1 December 2026, 00:00 UTC' },
    ]);
  });

  it('says who connects today and who refuses from which day on', () => {
    const verdict = { reached: true, findings: [finding('refused_from', 'root_expires', ['firefox', 'go'])] };
    expect(clientSentence({ endpoint, verdict: verdict as never })).toBe(
      'Chrome, Firefox, Safari, OpenSSL, Go, Java, GnuTLS and Windows connect. From 15 March 2027, 00:00 UTC on, Firefox and Go refuse to connect.',
    );
  });
});
