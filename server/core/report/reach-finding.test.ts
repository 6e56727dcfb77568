import { describe, expect, it } from 'vitest';
import { HOST, NOW } from '../../../tests/kit/certificates/judging.ts';
import type { ReachFailure, ReachStage } from '../observation.ts';
import { failureSentence, reachFinding, type ReportUptime } from './reach-finding.ts';
import type { Protocol } from '../../../contract/protocols.ts';

const STAGES: Record<ReachFailure, ReachStage> = {
  name_not_found: 'dns',
  no_addresses: 'dns',
  no_ipv4_addresses: 'dns',
  no_ipv6_addresses: 'dns',
  dns_failed: 'dns',
  dns_timeout: 'dns',
  dns_refused: 'dns',
  resolver_silent: 'dns',
  address_refused: 'policy',
  refused: 'connect',
  reset: 'connect',
  timeout: 'connect',
  unroutable: 'connect',
  no_route_here: 'connect',
  not_tls: 'handshake',
  tls_alert: 'handshake',
  protocol_version: 'handshake',
  no_certificate: 'handshake',
  unreadable_certificate: 'handshake',
  too_large: 'handshake',
  closed: 'handshake',
  wrong_protocol: 'starttls',
  starttls_refused: 'starttls',
  starttls_injection: 'starttls',
  not_examined: 'examination',
  other: 'connect',
};
const UP: ReportUptime = { state: 'up', downSince: null, cause: null, percent: null, windowDays: null };
const DOWN: ReportUptime = {
  ...UP,
  state: 'down',
  downSince: NOW,
  cause: `${HOST} answered with the error 503.`,
};

function finding(
  reason: ReachFailure,
  {
    protocol = 'https',
    stage = STAGES[reason],
    uptime = DOWN,
    host = HOST,
  }: Partial<{
    protocol: Protocol;
    stage: ReachStage;
    uptime: ReportUptime;
    host: string;
  }> = {},
) {
  const detail = { kind: 'stored_words' as const, message: `${host}: ${reason}.` };
  const failure = { stage, reason, detail };
  return reachFinding(
    { host, port: protocol === 'https' ? 443 : 25, protocol },
    { failure, addresses: [] },
    uptime,
  );
}

describe('reachFinding', () => {
  it.each(Object.keys(STAGES) as ReachFailure[])('has a fix and a command for %s', (reason) => {
    const found = finding(reason);
    expect(found).toMatchObject({
      code: 'unreachable',
      severity: 'critical',
      message: `${HOST}: ${reason}.`,
    });
    expect(found?.fix).toMatch(/^[A-Z].*\.$/);
    expect(found?.command).toMatch(/^(?:dig|nc|curl|openssl) .*pay\.fjord\.example/);
    expect(found?.evidence).toContainEqual({ label: 'Down since', value: '20 November 2026, 14:30 UTC' });
  });

  it('has a command for the stage that failed', () => {
    expect(finding('name_not_found')?.command).toBe(`dig ${HOST} A; dig ${HOST} AAAA`);
    expect(finding('timeout')?.command).toBe(`curl -sSI --connect-timeout 10 https://${HOST}/`);
    expect(finding('timeout', { protocol: 'smtp' })?.command).toBe(`nc -vz -w 10 ${HOST} 25`);
    expect(finding('timeout', { stage: 'handshake' })?.command).toBe(
      `openssl s_client -connect ${HOST}:443 -servername ${HOST} -alpn h2,http/1.1 -showcerts </dev/null`,
    );
    expect(finding('starttls_refused', { protocol: 'smtp' })?.command).toContain('-starttls smtp');
    expect(finding('address_refused', { host: '192.0.2.1' })?.command).not.toContain('dig');
  });

  it.each([
    [112, `${HOST} ended the TLS handshake: it does not know this name (TLS alert 112).`],
    [116, `${HOST} ended the TLS handshake: it requires a client certificate (TLS alert 116).`],
    [255, `${HOST} ended the TLS handshake with an error (TLS alert 255).`],
  ])('explains the TLS alert %i', (alert, sentence) => {
    const failure = {
      stage: 'handshake',
      reason: 'tls_alert',
      detail: { kind: 'tls_alert', alert },
    } as const;
    expect(failureSentence(failure, HOST)).toBe(sentence);
  });

  it('names ALPN as the place of the fix if the server refuses all protocols that browsers offer', () => {
    const detail = { kind: 'tls_alert', alert: 120 } as const;
    const failure = { stage: 'handshake', reason: 'tls_alert', detail } as const;
    const endpoint = { host: HOST, port: 443, protocol: 'https' } as const;
    const found = reachFinding(endpoint, { failure, addresses: [] }, DOWN);
    expect(found?.message).toContain('it supports none of the application protocols that we offer');
    expect(found?.fix).toMatch(/^Have the server accept the protocols that clients offer by ALPN/);
  });

  it('is a warning until a second check confirms the failure', () => {
    expect(finding('timeout', { uptime: UP })?.severity).toBe('warning');
  });

  it('reports a host that is reached but down, and returns null for a host that is up', () => {
    const endpoint = { host: HOST, port: 8443, protocol: 'https' } as const;
    const reached = { failure: null, addresses: [] };
    expect(reachFinding(endpoint, reached, UP)).toBeNull();
    expect(reachFinding(endpoint, reached, DOWN)).toMatchObject({
      code: 'down',
      severity: 'critical',
      message: `${HOST} answered with the error 503.`,
      command: `curl -ksSI --max-time 20 https://${HOST}:8443/`,
    });
  });
});
