import { describe, expect, it } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { freshStore } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** Tests the middleware in front of all routes. No test here depends on the database. */
const open = () => freshStore('sqlite');
const unsafe = Object.values<Call>(CALLS).filter((call) => call.method !== 'get');
/**
 * The only unsafe call that accepts any origin: mail programs, and webmail in browsers, post it for their reader (RFC 8058). It
 * reads no cookie, only the token of the mail.
 */
const ONE_CLICK: Call = CALLS.unsubscribeAtOnce;
const ID = '00000000-0000-4000-8000-000000000000';
const params = { id: ID, key: ID, token: ID };
const pathOf = (call: Call) => `/api${call.path.replaceAll(/\{\w+\}/g, ID)}`;
const ELSEWHERE: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost:9999' },
  { origin: 'https://localhost:8080' },
  { origin: 'http://localhost:8080.evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' },
];

describe('The origin check', () => {
  it('refuses every unsafe call of another site, with or without a body', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (const call of unsafe.filter((one) => one !== ONE_CLICK))
      for (const headers of ELSEWHERE) {
        const { problem } = await charlie.ask(call, { params, headers });
        expect([call.path, headers, problem.code]).toEqual([call.path, headers, 'origin_refused']);
      }
    expect((await charlie.ask(CALLS.currentUser)).status).toBe(200);
    promise('cross-site');
  });

  it('exempts the one-click unsubscribe call, but no similar path or method', async () => {
    const api = await startApi(open);
    const post = async (path: string, method: string, headers: Record<string, string>) => {
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
      const response = await api.send(path, { method, headers, body });
      return ((await response.json()) as { code: string }).code;
    };
    for (const headers of ELSEWHERE) {
      // The call runs and rejects the token, because no mail has it.
      expect(await post(pathOf(ONE_CLICK), 'POST', headers)).toBe('invalid_token');
      for (const [method, path] of [
        ['PATCH', pathOf(ONE_CLICK)],
        ['PUT', pathOf(ONE_CLICK)],
        ['DELETE', pathOf(ONE_CLICK)],
        ['POST', '/api/unsubscribe'],
        ['POST', '/api/unsubscribe/'],
        ['POST', `${pathOf(ONE_CLICK)}/`],
        ['POST', `${pathOf(ONE_CLICK)}/more`],
        ['POST', '/api/unsubscribe/../user/sessions/end'],
        ['POST', '/api/unsubscribe/%2e%2e/user/sessions/end'],
        ['POST', '/api/unsubscribe/..%2fuser%2fsessions%2fend/'],
      ] as const)
        expect([method, path, await post(path, method, headers)]).toEqual([method, path, 'origin_refused']);
    }
  });

  it('accepts the server’s own loopback origins and requests without an Origin header', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8080' },
      { origin: 'http://127.0.0.1:8080' },
      { origin: 'http://[::1]:8080' },
    ] as Record<string, string>[])
      expect((await charlie.ask(CALLS.refreshSession, { headers })).status).toBe(200);
  });

  it('refuses every origin but that of PUBLIC_URL once PUBLIC_URL is configured', async () => {
    const config = { publicUrl: new URL('https://certs.example.com'), publicUrlIsDefault: false };
    const api = await startApi(open, { config });
    const ask = async (origin: string) =>
      (await createClient(api.send).ask(CALLS.logOut, { headers: { origin } })).status;
    expect(await ask('https://certs.example.com')).toBe(200);
    for (const origin of ['http://certs.example.com', 'http://localhost:8080', 'https://example.com'])
      expect(await ask(origin)).toBe(403);
  });

  it('accepts an IP address as origin if it equals the Host header, but no other IP address and no name', async () => {
    const api = await startApi(open, { config: { insecureHttp: true } });
    const ask = async (host: string, origin = `http://${host}`) =>
      (await createClient(api.send).ask(CALLS.logOut, { headers: { host, origin } })).status;
    expect(await ask('192.168.1.5:8080')).toBe(200);
    expect(await ask('192.168.1.5:8080', 'http://192.168.1.6:8080')).toBe(403);
    // DNS rebinding: somebody else's name can resolve to this address.
    expect(await ask('rebound.example:8080')).toBe(403);
  });
});

describe('Plain HTTP', () => {
  it.each([
    [
      'a PUBLIC_URL of another machine',
      { publicUrl: new URL('http://certs.example.com'), publicUrlIsDefault: false },
      {},
    ],
    ['a Host header of another machine', {}, { host: '192.168.1.5:8080' }],
  ])('gets 403 with the setting that would allow it, for %s', async (_, config, headers) => {
    const api = await startApi(open, { config });
    const { status, problem } = await createClient(api.send).ask(CALLS.publicConfig, { headers });
    expect({ status, code: problem.code }).toEqual({ status: 403, code: 'https_required' });
    expect(problem.detail).toContain('INSECURE_HTTP=true');
    const page = await api.send('/dashboard', { headers });
    expect(page.status).toBe(403);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('PUBLIC_URL=https://');
    expect((await api.send('/api/health', { headers })).status).toBe(200);
  });

  it('is served if INSECURE_HTTP=true allows it', async () => {
    const api = await startApi(open, { config: { insecureHttp: true } });
    const headers = { host: '192.168.1.5:8080' };
    const { data } = (await createClient(api.send).ask(CALLS.publicConfig, { headers })).ok;
    expect(data.insecure_http).toBe(true);
  });
});

describe('The answers of the server', () => {
  it('every answer has the security headers and a new request id', async () => {
    const api = await startApi(open);
    const ids = new Set<string | null>();
    for (const path of ['/', '/api/config', '/api/user/me', '/api/nothing', '/dev/mail', '/assets/x.js']) {
      const { headers } = await api.send(path, { headers: { 'x-request-id': 'chosen' } });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe-eval');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('strict-transport-security')).toBeNull();
      ids.add(headers.get('x-request-id'));
    }
    expect(ids.size).toBe(6);
    expect(ids).not.toContain('chosen');
  });

  it('every answer has Strict-Transport-Security if PUBLIC_URL is https', async () => {
    const api = await startApi(open, { config: { publicUrl: new URL('https://certs.example.com') } });
    const { headers } = await api.send('/api/config');
    expect(headers.get('strict-transport-security')).toContain('max-age=31536000');
  });

  it('an unknown call below /api gets a 404 problem document', async () => {
    const api = await startApi(open);
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['GET', '/api/payment/checkout'],
      ['PUT', '/api/user/me'],
      ['POST', '/api/openapi.json'],
      ['GET', '/api/../api/user'],
    ]) {
      const response = await api.send(path ?? '', { method });
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('a body above 64 kB gets 413, with and without Content-Length', async () => {
    const api = await startApi(open);
    const body = JSON.stringify({ token: 'x'.repeat(70_000) });
    const stream = () => new Blob([body]).stream();
    for (const init of [{ body }, { body: stream(), duplex: 'half' as const }]) {
      const headers = { 'content-type': 'application/json' };
      const response = await api.send('/api/auth/firebase', {
        method: 'POST',
        headers,
        ...init,
      });
      expect(await response.json()).toMatchObject({ status: 413, code: 'too_large' });
    }
    promise('large-requests');
  });

  it('an internal error gets 500 and is logged once with the request id', async () => {
    const errors: unknown[][] = [];
    const log = { info() {}, warn() {}, error: (...entry: unknown[]) => void errors.push(entry) };
    const api = await startApi(open, { log });
    await api.store.close();
    const cookie = `__Host-certlantern-session=${ID}.${'A'.repeat(43)}`;
    const response = await api.send('/api/user/me', { headers: { cookie } });
    const problem = (await response.json()) as { request_id: string; detail: string };
    expect(problem).toMatchObject({ status: 500, code: 'internal' });
    // The sign-in library inspects its tables while it starts, and may log errors about that.
    const ofRequests = errors.filter(([, message]) => message !== 'Identity');
    expect(ofRequests).toMatchObject([[{ requestId: problem.request_id }, 'A request failed']]);
    expect(problem.detail).not.toContain('database');

    expect(await (await api.send('/api/health')).json()).toMatchObject({ status: 503, code: 'unavailable' });
  });

  it('GET /api/health answers 503 without waiting while the database does not respond', async () => {
    const log = { info() {}, warn() {}, error() {} };
    const api = await startApi(open, { log, timing: { databaseMs: 20 } });
    const busy = Promise.withResolvers<void>();
    const holding = api.store.db.transaction().execute(() => busy.promise);
    expect(await (await api.send('/api/health')).json()).toMatchObject({ status: 503, code: 'unavailable' });
    busy.resolve();
    await holding;
    await expect.poll(async () => (await api.send('/api/health')).status).toBe(200);
  });
});

describe('The API', () => {
  it('limits one client address to 1200 calls a minute, without affecting others', async () => {
    const api = await startApi(open);
    const flood = createClient(api.sendFrom('203.0.113.9'));
    for (let calls = 0; calls < 1_200; calls++) await flood.send('/api/nothing');
    const { problem, headers } = await flood.ask(CALLS.publicConfig);
    expect(problem.code).toBe('too_many_requests');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await createClient(api.sendFrom('203.0.113.10')).ask(CALLS.publicConfig)).status).toBe(200);
    api.clock.advance(60_000);
    expect((await flood.ask(CALLS.publicConfig)).status).toBe(200);
    promise('floods');
  });

  it.each(unsafe.map((call) => [call.path, call] as const))(
    'answers an empty JSON request to %s with 200, 400 or 401',
    async (_, call) => {
      // A webhook without a signature is logged as a warning.
      const api = await startApi(open, { log: { info() {}, warn() {}, error: console.error } });
      const headers = { 'content-type': 'application/json' };
      // A page sends calls without a body in this way.
      const response = await api.send(pathOf(call), { method: call.method.toUpperCase(), headers });
      expect([200, 400, 401]).toContain(response.status);
    },
  );
});
