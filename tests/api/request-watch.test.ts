import { describe, expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createMetrics, type Telemetry } from '../../server/telemetry/metrics.ts';
import { createTracer } from '../../server/telemetry/span.ts';
import { freshStore } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';

/** No test here depends on the database. */
const open = () => freshStore('sqlite');
const PROXY = '10.0.0.1';
const GIVEN = 'b7c1f3d0-from.the_proxy';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

async function startWatchedApi() {
  const spans: { name: string; traceId: string; parentSpanId: string | null; attributes: object }[] = [];
  const lines: Record<string, unknown>[] = [];
  const tracer = createTracer({ ratio: 1, onEnd: (span) => void spans.push(span) });
  const telemetry: Telemetry = { metrics: createMetrics(), tracer };
  const api = await startApi(open, {
    telemetry,
    requestLog: { info: (facts: unknown) => void lines.push(facts as Record<string, unknown>) },
    config: { trustedProxies: [`${PROXY}/32`] },
  });
  return { api, spans, lines, telemetry };
}

describe('A request', () => {
  it('keeps the request id of a trusted proxy; other clients get a new one', async () => {
    const { api } = await startWatchedApi();
    const idOf = async (from: string, id: string) =>
      (await api.sendFrom(from)('/api/config', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await idOf(PROXY, GIVEN)).toBe(GIVEN);
    expect(await idOf(`::ffff:${PROXY}`, GIVEN)).toBe(GIVEN);
    expect(await idOf('198.51.100.7', GIVEN)).not.toBe(GIVEN);
    for (const id of ['short', 'with a space in it', `"quoted-quoted"`, 'x'.repeat(129), 'línea-línea'])
      expect(await idOf(PROXY, id)).toMatch(/^[\da-f-]{36}$/);
  });

  it('is logged in one line with its route but not its path; health, metrics and assets are not logged', async () => {
    const { api, lines } = await startWatchedApi();
    const secret = 'A'.repeat(43);
    await api.send(`/api/unsubscribe/${secret}?token=${secret}`);
    await api.send(`/reset-password?token=${secret}`);
    for (const path of ['/api/health', '/api/health/live', '/metrics', '/assets/x.js', '/favicon.svg'])
      await api.send(path);
    expect(lines).toMatchObject([
      { method: 'GET', route: '/api/unsubscribe/:token', status: 302 },
      { method: 'GET', route: 'pages', status: 404 },
    ]);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('is counted in metrics by route, method and status, without paths or personal data', async () => {
    const { api, telemetry } = await startWatchedApi();
    for (const path of ['/api/domain/1', '/api/domain/2', '/api/nothing/1', '/api/nothing/2', '/some/page'])
      await api.send(path);
    await api.send('/api/config', { method: 'PROPFIND' });
    const text = await telemetry.metrics.registry.metrics();
    expect(text).toContain('requests_total{route="/api/domain/:id",method="GET",status="401"} 2');
    expect(text).toContain('requests_total{route="/api/*",method="GET",status="404"} 2');
    expect(text).toContain('requests_total{route="pages",method="GET",status="404"} 1');
    expect(text).toContain('method="other"');
    expect(text).toContain('duration_seconds_count{route="/api/*",method="GET"} 2');
    const { alice } = await api.cast();
    await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } });
    expect(await telemetry.metrics.registry.metrics()).not.toMatch(/shop\.example|alice|@/i);
  });

  it('with `Prefer: handling=lenient` gets an expected refusal with status 200; log, metrics and limits use the real status', async () => {
    const { api, lines, telemetry } = await startWatchedApi();
    const { alice } = await api.cast();
    const prefer = 'respond-async, handling=lenient';
    const send = (path: string, body: object, headers: object = { prefer }) =>
      api.send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const signIn = (headers?: object) =>
      send('/api/identity/sign-in/email', { email: alice.email, password: 'wrong-horse' }, headers);
    const lenient = await signIn();
    expect([lenient.status, lenient.headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
    expect(lenient.headers.get('content-type')).toBe('application/problem+json');
    expect(await lenient.json()).toMatchObject({ status: 401, code: 'invalid_credentials' });
    expect(lines.at(-1)).toMatchObject({ status: 401, route: '/api/identity/sign-in/email' });
    expect(await telemetry.metrics.registry.metrics()).toContain(
      'sign-in/email",method="POST",status="401"} 1',
    );
    expect((await signIn({})).status).toBe(401);
    for (let more = 0; more < 20; more += 1) await signIn();
    const limited = await signIn();
    expect(await limited.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(limited.headers.get('retry-after')).not.toBeNull();
    // This is the 401 after which a page refreshes its session.
    expect((await send('/api/domain/add', { host: 'shop.example' })).status).toBe(401);
    expect((await api.send('/api/nothing', { headers: { prefer } })).status).toBe(200);
    expect((await api.send('/api/nothing', { headers: { prefer: 'handling=strict' } })).status).toBe(404);
  });

  it('continues the trace of a trusted proxy; for other clients it starts a new one', async () => {
    const { api, spans } = await startWatchedApi();
    const headers = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
    await api.sendFrom(PROXY)('/api/config', { headers });
    await api.send('/api/config', { headers });
    expect(spans).toMatchObject([
      { name: 'GET /api/config', traceId: TRACE_ID, parentSpanId: SPAN_ID },
      { name: 'GET /api/config', parentSpanId: null },
    ]);
    expect(spans[0]?.attributes).toMatchObject({ 'http.response.status_code': 200 });
    expect(spans[1]?.traceId).not.toBe(TRACE_ID);
    // The proxy decided not to sample, and the product keeps that decision.
    await api.sendFrom(PROXY)('/api/config', { headers: { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` } });
    expect(spans).toHaveLength(2);
  });
});
