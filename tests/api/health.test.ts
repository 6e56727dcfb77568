import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createOperatorApp } from '../../server/api/operations/operator-app.ts';
import { raiseAlarm } from '../../server/store/alerts/alarms.ts';
import { metricsOnly } from '../../server/telemetry/metrics.ts';
import { createReadiness } from '../../server/telemetry/readiness.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Send } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const TOKEN = 'metrics-token-of-the-tests';

async function readHealth(send: Send, path: string, headers: Record<string, string> = {}) {
  const response = await send(path, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describeEachDatabase('GET /api/health', (open) => {
  it('answers 200 if the process is live, ready and not late with its work', async () => {
    const { send } = await startApi(open);
    for (const path of ['/api/health', '/api/health/live', '/api/health/ready'])
      expect(await readHealth(send, path)).toEqual({ status: 200, body: { status: 'ok' } });
    const onTime = { status: 'on_time', checks_seconds: 0, alerts_seconds: 0 };
    expect(await readHealth(send, '/api/health/late')).toEqual({ status: 200, body: onTime });
  });

  it('answers at any host name and over plain HTTP', async () => {
    const config = { publicUrl: new URL('https://certs.example.com'), publicUrlIsDefault: false };
    const { send } = await startApi(open, { config });
    for (const path of ['/api/health/live', '/api/health/ready', '/api/health/late'])
      expect((await readHealth(send, path, { host: '10.1.2.3:8080' })).status).toBe(200);
  });

  it('reports a draining process as live but not ready', async () => {
    const readiness = createReadiness();
    const { send } = await startApi(open, { readiness });
    expect((await readHealth(send, '/api/health/ready')).status).toBe(200);
    readiness.drain();
    const drained = await readHealth(send, '/api/health/ready');
    expect(drained).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await readHealth(send, '/api/health/live')).status).toBe(200);
    expect((await readHealth(send, '/api/health')).status).toBe(200);
  });

  it('reports a process without database as live, but answers 503 for readiness and lateness', async () => {
    const log = { info() {}, warn() {}, error() {} };
    const { store, send } = await startApi(open, { log });
    await store.close();
    expect((await readHealth(send, '/api/health/live')).status).toBe(200);
    for (const path of ['/api/health/ready', '/api/health/late'])
      expect(await readHealth(send, path)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  it.each([
    [{ errcode: 11 }, 'The database is damaged. Some data cannot be read.'],
    [{ code: 'XX001' }, 'The database is damaged. Some data cannot be read.'],
    [{ errcode: 1_034 }, 'The disk of this server failed. Nothing can be saved.'],
  ])(
    'answers 503 with the reason after a query failed with %j, but stays live and ready',
    async (codes, detail) => {
      const { store, send } = await startApi(open);
      store.storage.learn(Object.assign(new Error('from the database'), codes));
      expect(await readHealth(send, '/api/health')).toMatchObject({
        status: 503,
        body: { code: 'unavailable', detail },
      });
      for (const path of ['/api/health/live', '/api/health/ready'])
        expect((await readHealth(send, path)).status).toBe(200);
    },
  );

  it('answers 503 with the delay at /late once checks are more than ten minutes overdue', async () => {
    const api = await startApi(open);
    const { send, clock } = api;
    const { alice } = await api.cast();
    expect((await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } })).status).toBe(200);
    clock.advance(9 * MINUTE_MS);
    expect((await readHealth(send, '/api/health/late')).status).toBe(200);
    clock.advance(3 * MINUTE_MS);
    const late = await readHealth(send, '/api/health/late');
    expect(late).toMatchObject({ status: 503, body: { code: 'late', alerts_seconds: 0 } });
    expect(Math.round(Number(late.body['checks_seconds']) / 60)).toBe(12);
    // Restarting this process would not help, and neither would sending its traffic to another one, so it stays ready.
    expect((await readHealth(send, '/api/health/ready')).status).toBe(200);
  });

  it('lists raised alarms only for clients with the metrics token', async () => {
    const { store, send, clock } = await startApi(open, { config: { metricsToken: TOKEN } });
    await raiseAlarm(store, { code: 'mail_down', detail: 'No mail.', now: clock.now() });
    expect((await readHealth(send, '/api/health/late')).body['alarms']).toBeUndefined();
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await readHealth(send, '/api/health/late', headers)).body['alarms']).toEqual(['mail_down']);
  });

  it('a worker process serves GET /api/health and /metrics, and 404 for everything else', async () => {
    const readiness = createReadiness();
    const store = await open();
    const app = createOperatorApp({
      store,
      readiness,
      telemetry: metricsOnly(),
      clock: { now: () => Date.now() },
      log: { info() {}, warn() {}, error() {} },
      config: {
        metricsToken: TOKEN,
        publicUrl: new URL('https://certs.example.com'),
        publicUrlIsDefault: false,
        insecureHttp: false,
        trustedProxies: [],
        limits: STANDARD_LIMITS,
      },
    });
    const send: Send = async (path, init) => app.request(`http://10.1.2.3:8081${path}`, init);
    for (const path of ['/api/health', '/api/health/live', '/api/health/ready', '/api/health/late'])
      expect((await readHealth(send, path)).status).toBe(200);
    expect((await send('/metrics')).status).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await (await send('/metrics', { headers })).text()).toContain('\noldest_due_check_seconds 0\n');
    for (const path of ['/', '/api/config', '/api/user/me', '/dev/mail'])
      expect((await send(path)).status).toBe(404);
    readiness.drain();
    expect((await readHealth(send, '/api/health/ready')).status).toBe(503);
  });
});
