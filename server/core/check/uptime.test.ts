import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HANDSHAKES_ONLY, MODERN_TLS } from '../../../tests/kit/product/observation.ts';
import type { FailedObservation, HttpObservation, Observation, Resolution } from '../observation.ts';
import {
  assessUptime,
  followUptime,
  isHeldBack,
  isUptimeConfirmed,
  recentChecks,
  type Uptime,
  uptimePercent,
  type UptimeStanding,
} from './uptime.ts';

const NOW = Date.UTC(2026, 0, 15);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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

  it('is unknown for an hour after a refusal that is temporary, and down from then on', () => {
    const endpoint = { host: 'mail.example', port: 25, protocol: 'smtp' as const };
    const refusal = { code: '450', text: null, isTemporary: true };
    const busy = failed('server_refused', { stage: 'starttls', refusal });
    const before = (observedAt: number, refusedSince: number | null) => ({
      observedAt,
      failure: {
        stage: 'starttls' as const,
        reason: 'server_refused' as const,
        detail: { kind: 'refusal' as const, code: '450', refusedSince },
      },
    });
    const at = (observedAt: number) => seen({ endpoint, addresses: [busy], observedAt });
    const cause = { code: 'server_refused', message: 'mail.example:25 refused us now: it answered 450.' };
    const unknown = { state: 'unknown', responseMs: null, cause };
    expect(assessUptime(at(NOW))).toEqual({ ...unknown, downAt: NOW + HOUR });
    const later = assessUptime(at(NOW + HOUR - 1), before(NOW + MINUTE, NOW));
    expect(later).toEqual({ ...unknown, downAt: NOW + HOUR });
    const down = { ...unknown, state: 'down' };
    expect(assessUptime(at(NOW + HOUR), before(NOW + MINUTE, NOW))).toEqual(down);
    expect(assessUptime(at(NOW + DAY), before(NOW, NOW))).toMatchObject({ state: 'down' });
    // After more than a day without a check, and after another failure, the hour begins anew.
    expect(assessUptime(at(NOW + 2 * DAY), before(NOW, NOW))).toMatchObject(unknown);
    expect(assessUptime(at(NOW + HOUR), before(NOW, null))).toMatchObject(unknown);
  });

  it('is down at once after a refusal that is not temporary, also at one of two addresses', () => {
    const refusal = { code: '554', text: null, isTemporary: false };
    const refused = failed('server_refused', { stage: 'starttls', refusal });
    const busy = { ...refused, refusal: { ...refusal, code: '450', isTemporary: true } };
    const silent = failed('timeout');
    expect(assessUptime(seen({ addresses: [refused] }))).toMatchObject({ state: 'down' });
    expect(assessUptime(seen({ addresses: [busy, refused] }))).toMatchObject({ state: 'down' });
    expect(assessUptime(seen({ addresses: [silent, busy] }))).toMatchObject({ state: 'unknown' });
    expect(assessUptime(seen({ addresses: [busy, shook] }))).toMatchObject({ state: 'up' });
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

const UP: UptimeStanding = { uptime: 'up', suspectedSince: null, downSince: null, downSeenAt: null };
const NEW: UptimeStanding = { ...UP, uptime: null };

const DOWN: UptimeStanding = { ...UP, uptime: 'down', downSince: NOW, downSeenAt: NOW };

describe('followUptime', () => {
  it('suspects an outage after one failure and rechecks after 30 s', () => {
    expect(followUptime(UP, { state: 'down', now: NOW })).toEqual({
      standing: { ...UP, suspectedSince: NOW },
      incident: null,
      endedAt: null,
      recheckAt: NOW + 30 * SECOND,
    });
  });

  it('drops a suspicion after a successful check', () => {
    const { standing } = followUptime(UP, { state: 'down', now: NOW });
    expect(followUptime(standing, { state: 'up', now: NOW + 30 * SECOND })).toEqual({
      standing: UP,
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
  });

  it('begins an incident at the first of two failures and ends it at the first success', () => {
    const suspected = followUptime(NEW, { state: 'down', now: NOW });
    expect(suspected.standing.uptime).toBeNull();
    const confirmed = followUptime(suspected.standing, { state: 'down', now: NOW + 30 * SECOND });
    expect(confirmed).toEqual({
      standing: { ...UP, uptime: 'down', downSince: NOW, downSeenAt: NOW + 30 * SECOND },
      incident: 'begin',
      endedAt: null,
      recheckAt: null,
    });
    const still = followUptime(confirmed.standing, { state: 'down', now: NOW + HOUR });
    expect(still).toEqual({
      standing: { ...confirmed.standing, downSeenAt: NOW + HOUR },
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
    expect(followUptime(still.standing, { state: 'up', now: NOW + 2 * HOUR })).toEqual({
      standing: UP,
      incident: 'end',
      endedAt: NOW + 2 * HOUR,
      recheckAt: null,
    });
  });

  it('changes no known state after an unknown result', () => {
    const suspected = followUptime(UP, { state: 'down', now: NOW }).standing;
    for (const standing of [UP, suspected, DOWN])
      expect(followUptime(standing, { state: 'unknown', now: NOW + MINUTE })).toEqual({
        standing,
        incident: null,
        endedAt: null,
        recheckAt: null,
      });
    expect(followUptime(NEW, { state: 'unknown', now: NOW }).standing.uptime).toBe('unknown');
  });

  it('is unknown if a host that was up asks to come back later, but stays down if it was down', () => {
    const refused = { state: 'unknown', isRefused: true, now: NOW + MINUTE } as const;
    const step = followUptime(UP, refused);
    expect(step).toEqual({
      standing: { ...UP, uptime: 'unknown' },
      incident: null,
      endedAt: null,
      recheckAt: null,
    });
    expect(followUptime(step.standing, { state: 'up', now: NOW + HOUR })).toMatchObject({
      standing: UP,
      incident: null,
    });
    expect(followUptime(DOWN, refused).standing).toEqual(DOWN);
  });

  it('suspects a new outage if the second failure comes 11 minutes later or the clock was set back', () => {
    const suspected = followUptime(UP, { state: 'down', now: NOW }).standing;
    for (const now of [NOW + 11 * MINUTE, NOW - HOUR])
      expect(followUptime(suspected, { state: 'down', now })).toMatchObject({
        standing: { uptime: 'up', suspectedSince: now, downSince: null },
        incident: null,
      });
  });

  it.each([
    ['up', UP],
    ['unknown', { ...UP, uptime: 'unknown' }],
    ['down', { ...UP, uptime: 'unknown', suspectedSince: NOW + DAY }],
  ] as const)(
    'ends an incident at the last failed check if the next check comes 23 hours later and is "%s"',
    (state, standing) => {
      const seen = { ...DOWN, downSeenAt: NOW + HOUR };
      expect(followUptime(seen, { state, now: NOW + DAY })).toEqual({
        standing,
        incident: 'end',
        endedAt: NOW + HOUR,
        recheckAt: state === 'down' ? NOW + DAY + 30 * SECOND : null,
      });
      expect(followUptime(seen, { state: 'down', now: NOW + 4 * HOUR }).incident).toBeNull();
    },
  );

  it('reports a host as down exactly while one incident is open', () => {
    const states = fc.array(
      fc.tuple(fc.constantFrom<Uptime>('up', 'down', 'unknown'), fc.oneof(fc.nat(20 * MINUTE), fc.nat(DAY))),
    );
    fc.assert(
      fc.property(states, (checks) => {
        let [standing, now, open] = [NEW, NOW, 0];
        for (const [state, later] of checks) {
          now += later;
          const step = followUptime(standing, { state, now });
          ({ standing } = step);
          open += step.incident === 'begin' ? 1 : step.incident === 'end' ? -1 : 0;
          expect([0, 1]).toContain(open);
          expect(standing.uptime === 'down').toBe(open === 1);
          expect(standing.downSince === null).toBe(open === 0);
        }
      }),
    );
  });
});

it('recentChecks keeps the last 90 checks', () => {
  expect(recentChecks('', 'up')).toBe('u');
  expect(recentChecks('u', 'down')).toBe('ud');
  expect(recentChecks(`d${'u'.repeat(89)}`, 'unknown')).toBe(`${'u'.repeat(89)}?`);
});

describe('uptimePercent', () => {
  const from = NOW - 1_000 * HOUR;
  it.each([
    [0, 100],
    [1, 99.9],
    [HOUR, 99.9],
    [500 * HOUR, 50],
    [999.9 * HOUR, 0],
    [2_000 * HOUR, 0],
  ])('uptimePercent with %i ms of downtime in 1,000 hours is %d', (downMs, percent) => {
    expect(uptimePercent({ from, now: NOW, downMs })).toBe(percent);
  });

  it('is 100 when monitoring has just begun', () => {
    expect(uptimePercent({ from: NOW, now: NOW, downMs: 0 })).toBe(100);
  });
});

it('isUptimeConfirmed needs a success or a confirmed outage', () => {
  const unknown = { uptime: 'unknown', recentChecks: '?d', downMs: 0 } as const;
  expect(isUptimeConfirmed({ ...unknown, uptime: null })).toBe(false);
  expect(isUptimeConfirmed(unknown)).toBe(false);
  expect(isUptimeConfirmed({ ...unknown, recentChecks: '?du?' })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, downMs: 1 })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, uptime: 'up' })).toBe(true);
  expect(isUptimeConfirmed({ ...unknown, uptime: 'down' })).toBe(true);
});

it('isHeldBack is true if the last result is unknown and the verdict does not explain it', () => {
  const failure = { stage: 'connect', detail: null } as const;
  const timedOut = { failure: { ...failure, reason: 'timeout' } } as const;
  expect(isHeldBack({ recentChecks: '', verdict: null })).toBe(false);
  expect(isHeldBack({ recentChecks: 'uu', verdict: { failure: null } })).toBe(false);
  expect(isHeldBack({ recentChecks: '?', verdict: null })).toBe(true);
  expect(isHeldBack({ recentChecks: 'u?', verdict: { failure: null } })).toBe(true);
  expect(isHeldBack({ recentChecks: 'd?', verdict: timedOut })).toBe(true);
  expect(isHeldBack({ recentChecks: 'ud', verdict: timedOut })).toBe(false);
  const noRoute = { failure: { ...failure, reason: 'no_route_here' } } as const;
  expect(isHeldBack({ recentChecks: 'u?', verdict: noRoute })).toBe(false);
  const detail = { kind: 'refusal', code: '421', refusedSince: NOW } as const;
  const busy = { failure: { stage: 'starttls', reason: 'server_refused', detail } } as const;
  expect(isHeldBack({ recentChecks: 'u?', verdict: busy })).toBe(false);
});
