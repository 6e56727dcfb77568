import { describe, expect, it } from 'vitest';
import { HANDSHAKES_ONLY, MODERN_TLS } from '../../../tests/kit/product/observation.ts';
import type { FailedObservation, HttpObservation, Observation, Resolution } from '../observation.ts';
import { assessUptime } from './uptime.ts';

const NOW = Date.UTC(2026, 0, 15);

const shook = {
  ...MODERN_TLS,
  address: '192.0.2.1',
  family: 4 as const,
  presentedChain: [new Uint8Array([0])],
  durationMs: 40,
};
const failed = (reason: FailedObservation['reason'], change: Partial<FailedObservation> = {}) => ({
  address: '192.0.2.2',
  family: 4 as const,
  outcome: 'failed' as const,
  stage: 'connect' as const,
  reason,
  tlsAlert: null,
  detail: null,
  durationMs: 5,
  ...change,
});
const answered = (status: number): HttpObservation => ({
  outcome: 'answered',
  address: shook.address,
  method: 'HEAD',
  status,
  durationMs: 25,
});
const unanswered = (reason: Extract<HttpObservation, { outcome: 'failed' }>['reason']): HttpObservation => ({
  outcome: 'failed',
  address: shook.address,
  reason,
  durationMs: 9,
});

const seen = (change: Partial<Observation>): Observation => ({
  ...HANDSHAKES_ONLY,
  endpoint: { host: 'shop.example', port: 443, protocol: 'https' },
  observedAt: NOW,
  durationMs: 70,
  resolution: { ok: true, addresses: ['192.0.2.1'] },
  addresses: [shook],
  ...change,
});
const unresolved = (resolution: Resolution & { ok: false }) => seen({ resolution, addresses: [] });

describe('assessUptime', () => {
  it.each([200, 204, 301, 401, 403, 404, 429, 499, 600, 999])('is up for the status %i', (status) => {
    expect(assessUptime(seen({ http: answered(status) }))).toEqual({
      state: 'up',
      responseMs: 65,
      cause: null,
    });
  });

  it.each([500, 502, 503, 599])('is down for the status %i', (status) => {
    expect(assessUptime(seen({ http: answered(status) }))).toEqual({
      state: 'down',
      responseMs: 65,
      cause: { code: 'server_error', message: `shop.example answered with the error ${status}.` },
    });
  });

  it('is up for an expected status only, if the endpoint expects any', () => {
    const { endpoint } = seen({});
    const expecting = (http: Observation['http']) =>
      assessUptime(seen({ http, endpoint: { ...endpoint, target: '{"expected_status":"200-399,503"}' } }));
    expect(expecting(answered(503))).toMatchObject({ state: 'up', cause: null });
    expect(expecting(answered(404))).toMatchObject({
      state: 'down',
      responseMs: 65,
      cause: {
        code: 'unexpected_status',
        message: 'shop.example (status 200-399,503) answered with the status 404 instead of 200-399,503.',
      },
    });
    expect(expecting(unanswered('not_http'))).toMatchObject({ state: 'down', cause: { code: 'no_status' } });
    expect(expecting(null)).toEqual({
      state: 'down',
      responseMs: null,
      cause: {
        code: 'no_status',
        message:
          'shop.example (status 200-399,503) sent no HTTP status, as servers do that demand a client certificate.',
      },
    });
  });

  it('is down without an answer after the handshake, and up for an answer that is not HTTP', () => {
    expect(assessUptime(seen({ http: unanswered('timeout') }))).toMatchObject({
      state: 'down',
      responseMs: null,
      cause: { code: 'no_answer' },
    });
    expect(assessUptime(seen({ http: unanswered('closed') }))).toMatchObject({
      state: 'down',
      cause: { code: 'closed' },
    });
    expect(assessUptime(seen({ http: unanswered('not_http') }))).toMatchObject({ state: 'up' });
  });

  it('is down if the server agreed on HTTP/2 and its answer is not HTTP/2', () => {
    expect(assessUptime(seen({ http: unanswered('not_http2') }))).toEqual({
      state: 'down',
      responseMs: null,
      cause: { code: 'not_http2', message: 'shop.example agreed on HTTP/2 but did not answer by it.' },
    });
  });

  it('is down if the server answers by HTTP/1.1 alone although it agreed on HTTP/2', () => {
    const http = { ...unanswered('timeout'), http2Faults: ['no_answer'] as const };
    expect(assessUptime(seen({ http })).cause).toEqual({
      code: 'not_http2',
      message: 'shop.example agreed on HTTP/2 but answers only by HTTP/1.1, so browsers cannot open it.',
    });
  });

  it('is up if the server answers by HTTP/2 in a way that only some clients refuse', () => {
    const http = { ...answered(200), http2Faults: ['late_settings'] as const };
    expect(assessUptime(seen({ http })).state).toBe('up');
  });

  it('needs only a handshake for protocols other than HTTPS', () => {
    const endpoint = { host: 'mail.example', port: 25, protocol: 'smtp' as const };
    expect(assessUptime(seen({ endpoint }))).toEqual({ state: 'up', responseMs: 40, cause: null });
    const refused = failed('no_starttls', { stage: 'starttls' });
    expect(assessUptime(seen({ endpoint, addresses: [refused] }))).toEqual({
      state: 'down',
      responseMs: null,
      cause: { code: 'no_starttls', message: expect.stringContaining('mail.example:25 does not offer') },
    });
  });

  it('is unknown if our name server is silent about the only server that was left to check', () => {
    const silent = failed('resolver_silent', { stage: 'dns' });
    expect(assessUptime(seen({ addresses: [silent] }))).toMatchObject({ state: 'unknown' });
    expect(assessUptime(seen({ addresses: [silent, failed('refused')] }))).toMatchObject({ state: 'down' });
    const gone = failed('name_not_found', { stage: 'dns' });
    expect(assessUptime(seen({ addresses: [gone] }))).toMatchObject({ state: 'down' });
  });

  it('is up if one address works', () => {
    expect(assessUptime(seen({ addresses: [failed('refused'), shook] }))).toMatchObject({ state: 'up' });
    expect(assessUptime(seen({ addresses: [failed('refused'), failed('timeout')] }))).toMatchObject({
      state: 'down',
    });
  });

  it.each(['refused', 'timeout', 'greeting_timeout', 'reset', 'not_tls', 'tls_alert', 'closed'] as const)(
    'is down if the connection fails with "%s"',
    (reason) => {
      expect(assessUptime(seen({ addresses: [failed(reason)] }))).toMatchObject({
        state: 'down',
        cause: { code: reason, message: expect.stringMatching(/^shop\.example .+\.$/) },
      });
    },
  );

  it.each(['name_not_found', 'no_addresses', 'dns_failed', 'dns_timeout'] as const)(
    'is down if the name lookup fails with "%s"',
    (reason) => {
      const resolution = { ok: false as const, stage: 'dns' as const, reason, detail: 'ESERVFAIL' };
      expect(assessUptime(unresolved(resolution))).toMatchObject({ state: 'down', cause: { code: reason } });
    },
  );

  it('is unknown if our own network or policy may be the cause of a failure', () => {
    const noIpv6 = failed('no_route_here', { family: 6 });
    expect(assessUptime(seen({ addresses: [noIpv6] })).state).toBe('unknown');
    expect(assessUptime(seen({ addresses: [noIpv6, failed('refused')] })).state).toBe('down');
    const unawaited = failed('slow_answers', { stage: 'starttls' });
    expect(assessUptime(seen({ addresses: [unawaited] })).state).toBe('unknown');
    const byPolicy = failed('address_refused', { stage: 'policy' });
    expect(assessUptime(seen({ addresses: [byPolicy] })).state).toBe('unknown');
    const dns = { ok: false as const, stage: 'dns' as const };
    for (const resolution of [
      { ok: false as const, stage: 'policy' as const, reason: 'address_refused' as const, detail: null },
      { ...dns, reason: 'dns_refused' as const, detail: 'EREFUSED' },
      { ...dns, reason: 'dns_failed' as const, detail: 'ECONNREFUSED' },
      { ...dns, reason: 'resolver_silent' as const, detail: 'ESILENT' },
    ])
      expect(assessUptime(unresolved(resolution))).toEqual({
        state: 'unknown',
        responseMs: null,
        cause: null,
      });
  });
});
