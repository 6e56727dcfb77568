import type { DomainWire } from '../../../contract/domain.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** The time that tests of pages use as now, in ms UTC. */
export const EXAMPLE_NOW = Date.UTC(2026, 10, 20, 14, 30);

/** Returns a healthy domain for tests, 58 days into a certificate of 90 days, changed by `differences`. */
export function exampleDomain(differences: Partial<DomainWire> = {}): DomainWire {
  const hostname = differences.hostname ?? 'fjord.example';
  const at = (days: number) => new Date(EXAMPLE_NOW + days * DAY_MS).toISOString();
  return {
    id: hostname,
    hostname,
    port: 443,
    protocol: 'https',
    target: null,
    display_name: hostname,
    state: 'ok',
    issuer: 'WE1',
    subject: hostname,
    valid_from: at(-58),
    expiry_date: at(32),
    last_checked_at: at(-0.01),
    authority_name: 'Google Trust Services',
    authority_full_dn: 'CN=WE1,O=Google Trust Services,C=US',
    authority_url: 'http://i.pki.goog/we1.crt',
    fingerprint: 'ab'.repeat(32),
    renewal_from: at(2),
    is_revoked: false,
    revocation: { state: 'unknown', source: null, checked_at: null, reason: null, revoked_at: null },
    renewal: {
      from: at(2),
      to: at(32),
      overdue_at: at(9.5),
      is_short_lived: false,
      source: 'lifetime',
      explanation_url: null,
    },
    next_renewal: null,
    weakest_link: null,
    uptime: {
      state: 'up',
      checks: 'u'.repeat(90),
      percent: 100,
      response_ms: 120,
      cause: null,
      down_since: null,
    },
    trusted: true,
    refused: false,
    attention: null,
    findings: [],
    unreachable: null,
    checking: false,
    waiting: null,
    paused: null,
    notes: '',
    tags: [],
    favicon: null,
    check_every_minutes: 1440,
    next_check_at: at(1),
    created_at: at(-100),
    ...differences,
  };
}
