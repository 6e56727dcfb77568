import { describe, expect, it } from 'vitest';
import {
  handshakeWith,
  HOST,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { judge } from '../judge/judge.ts';
import type { Observation, ReachFailure, ReachStage } from '../observation.ts';
import type { AddressVerdict } from '../verdict.ts';
import { failureSentence, reachFinding, type ReportUptime } from './reach-finding.ts';
import { factsOf, type Protocol, PROTOCOL_NAMES } from '../../../contract/protocols.ts';

const STAGES: Record<ReachFailure, ReachStage> = {
  name_not_found: 'dns',
  no_addresses: 'dns',
  service_declined: 'dns',
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
  greeting_timeout: 'starttls',
  slow_answers: 'starttls',
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
  no_starttls: 'starttls',
  server_refused: 'starttls',
  client_blocked: 'starttls',
  expects_tls: 'starttls',
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
    { failure, addresses: [], findings: [] },
    uptime,
  );
}

interface Refused {
  refusedSince?: number | null;
  reason?: 'no_starttls' | 'server_refused' | 'client_blocked';
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

  it.each([
    [
      'smtp',
      'expects_tls',
      'smtps',
      'expects TLS from the start',
      'expects TLS',
      `-servername ${HOST} -showcerts`,
    ],
    ['tls', 'not_tls', 'smtp', 'starts in plain text', 'starts in plain text', '-starttls smtp '],
  ] as const)(
    'names the right scheme of a %s port that fails with %s',
    (protocol, reason, scheme, what, port, command) => {
      const failure = { stage: 'handshake', reason, detail: { kind: 'other_scheme', scheme } } as const;
      expect(
        reachFinding({ host: HOST, port: 2525, protocol }, { failure, addresses: [], findings: [] }, UP),
      ).toMatchObject({
        message: `${HOST}:2525 ${what}: use ${scheme}://.`,
        fix: `This port ${port}: use ${scheme}:// with the same host and port.`,
        command: expect.stringContaining(command),
      });
    },
  );

  it('has a command for the stage that failed', () => {
    expect(finding('name_not_found')?.command).toBe(`dig ${HOST} A; dig ${HOST} AAAA`);
    expect(finding('timeout')?.command).toBe(`curl -sSI --connect-timeout 10 https://${HOST}/`);
    expect(finding('timeout', { protocol: 'smtp' })?.command).toBe(`nc -vz -w 10 ${HOST} 25`);
    expect(finding('timeout', { stage: 'handshake' })?.command).toBe(
      `openssl s_client -connect ${HOST}:443 -servername ${HOST} -alpn h2,http/1.1 -showcerts </dev/null`,
    );
    expect(finding('no_starttls', { protocol: 'smtp' })?.command).toContain('-starttls smtp');
    expect(finding('address_refused', { host: '192.0.2.1' })?.command).not.toContain('dig');
  });

  it('names the time limit for greetings, which is the same for every protocol', () => {
    const failure = { stage: 'starttls', reason: 'greeting_timeout', detail: null } as const;
    const limits = PROTOCOL_NAMES.flatMap((name) => factsOf(name).startTls?.limits.greetingMs ?? []);
    for (const ms of limits)
      expect(failureSentence(failure, HOST)).toBe(
        `${HOST} accepted the connection but did not greet us within ${ms / 1_000} seconds.`,
      );
  });

  it('advises to start the server only if it accepts no connection', () => {
    expect(finding('timeout')?.fix).toContain('Start the server');
    for (const late of [
      finding('greeting_timeout'),
      finding('slow_answers'),
      finding('timeout', { stage: 'starttls' }),
      finding('timeout', { stage: 'handshake' }),
    ])
      expect(late?.fix).not.toContain('Start the server');
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

  describe('about a server that refused us', () => {
    const refused = (
      protocol: Protocol,
      code: string | null,
      { refusedSince = null, reason = 'server_refused' }: Refused = {},
    ) => {
      const detail = { kind: 'refusal', code, refusedSince } as const;
      const failure = { stage: 'starttls', reason, detail } as const;
      const reply = { code, text: 'Not you' };
      const at = { address: '192.0.2.1', failure: { stage: 'starttls', reason, reply } } as AddressVerdict;
      return reachFinding({ host: HOST, port: 25, protocol }, { failure, addresses: [at], findings: [] }, UP);
    };

    it('says the code, and gives the answer as evidence', () => {
      const found = refused('smtp', '554');
      expect(found?.message).toBe(`${HOST}:25 refused us now: it answered 554.`);
      expect(found?.fix).toContain('blocklist');
      expect(found?.fix).not.toContain('counts as down');
      expect(found?.evidence).toEqual([
        { label: 'Failed at', value: 'STARTTLS' },
        { label: 'Answer', value: '554 Not you' },
      ]);
    });

    it('leaves out a code that is withheld', () => {
      expect(refused('smtp', null)?.message).toBe(`${HOST}:25 refused us now.`);
    });

    it('does not say when the domain will count as down if it is down already', () => {
      const detail = { kind: 'refusal', code: '450', refusedSince: NOW } as const;
      const failure = { stage: 'starttls', reason: 'server_refused', detail } as const;
      const endpoint = { host: HOST, port: 25, protocol: 'smtp' } as const;
      const found = reachFinding(endpoint, { failure, addresses: [], findings: [] }, DOWN);
      expect(found?.severity).toBe('critical');
      expect(found?.fix).not.toContain('counts as down');
    });

    it('says since when a server has refused us temporarily, and when it counts as down', () => {
      const found = refused('smtp', '450', { refusedSince: NOW });
      expect(found?.fix).toContain(
        'The uptime is unknown until 20 November 2026, 15:30 UTC. If the server still refuses us then, the domain counts as down.',
      );
      expect(found?.evidence).toContainEqual({
        label: 'Refused since',
        value: '20 November 2026, 14:30 UTC',
      });
    });

    it.each([
      ['mysql', '1040', /max_connections/],
      ['mysql', '1130', /host part/],
      ['postgres', '53300', /max_connections/],
      ['xmpp', 'host-unknown', /for this domain/],
      ['xmpp-server', 'host-unknown', /for this domain/],
      ['xmpp', 'invalid-namespace', /use xmpp-server:\/\//],
      ['xmpp-server', 'invalid-namespace', /use xmpp:\/\//],
    ] as const)('knows what to do about the answer of %s %s', (protocol, code, advice) => {
      expect(refused(protocol, code)?.fix).toMatch(advice);
    });

    it('says that a MySQL server blocks our address, and how to unblock it', () => {
      const found = refused('mysql', null, { reason: 'client_blocked', refusedSince: NOW });
      expect(found?.message).toBe(
        `${HOST}:25 has blocked our address after too many connection errors: FLUSH HOSTS unblocks it.`,
      );
      expect(found?.fix).toContain('mysqladmin flush-hosts');
    });

    it('says that a server has no STARTTLS, with its answer if it gave one', () => {
      const found = refused('smtp', '502', { reason: 'no_starttls' });
      expect(found?.message).toBe(`${HOST}:25 does not offer STARTTLS.`);
      expect(found?.evidence).toContainEqual({ label: 'Answer', value: '502 Not you' });
    });

    it('still has a sentence for starttls_refused, which older versions stored', () => {
      const failure = { stage: 'starttls', reason: 'starttls_refused', detail: null } as const;
      expect(failureSentence(failure, HOST)).toBe(`${HOST} does not offer STARTTLS.`);
    });
  });

  it('advises to fix ALPN if the server refuses all protocols that browsers offer', () => {
    const detail = { kind: 'tls_alert', alert: 120 } as const;
    const failure = { stage: 'handshake', reason: 'tls_alert', detail } as const;
    const endpoint = { host: HOST, port: 443, protocol: 'https' } as const;
    const found = reachFinding(endpoint, { failure, addresses: [], findings: [] }, DOWN);
    expect(found?.message).toContain('it supports none of the application protocols that we offer');
    expect(found?.fix).toMatch(/^Have the server accept the protocols that clients offer by ALPN/);
  });

  it('does not blame the certificate for a connection that ends before STARTTLS', () => {
    expect(finding('closed', { stage: 'starttls' })?.fix).toMatch(
      /accepts the connection and then closes it/,
    );
    expect(finding('closed', { stage: 'handshake' })?.fix).toMatch(/^Set the certificate/);
  });

  it('is a warning until a second check confirms the failure', () => {
    expect(finding('timeout', { uptime: UP })?.severity).toBe('warning');
  });

  it('reports a host that is reached but down, and returns null for a host that is up', () => {
    const endpoint = { host: HOST, port: 8443, protocol: 'https' } as const;
    const reached = { failure: null, addresses: [], findings: [] };
    expect(reachFinding(endpoint, reached, UP)).toBeNull();
    expect(reachFinding(endpoint, reached, DOWN)).toMatchObject({
      code: 'down',
      severity: 'critical',
      message: `${HOST} answered with the error 503.`,
      command: `curl -ksSI --max-time 20 https://${HOST}:8443/`,
    });
  });

  it('advises to correct HTTP/2 if the host is down because of it, and to read the logs otherwise', () => {
    const endpoint = { host: HOST, port: 443, protocol: 'https' } as const;
    const http = { outcome: 'failed', address: '192.0.2.1', reason: 'closed', durationMs: 5 } as const;
    const fixAfter = (changes: Pick<Observation, 'http'>) => {
      const seen = observation([handshakeWith(withChain(issue()))], changes);
      return reachFinding(endpoint, judge(seen, NOW, createTrustStore([root.der])), DOWN)?.fix;
    };
    expect(fixAfter({ http: { ...http, http2Faults: ['no_answer'] } })).toMatch(/^Correct HTTP\/2/);
    expect(fixAfter({ http })).toMatch(/^Check the logs/);
    const answered = { ...http, outcome: 'answered', method: 'GET', status: 503 } as const;
    expect(fixAfter({ http: { ...answered, http2Faults: ['http1_required'] } })).toMatch(/^Check the logs/);
  });
});
