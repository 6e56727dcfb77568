import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/index.ts';
import { createOperatorApp } from '../../server/api/index.ts';
import { raiseAlarm } from '../../server/store/alerts/alarms.ts';
import { metricsOnly, createReadiness } from '../../server/telemetry/index.ts';
import { describeEachDatabase } from '../kit/database.ts';
import type { Send } from '../kit/people.ts';
import { startApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const TOKEN = 'metrics-token-of-the-tests';

async function told(send: Send, path: string, headers: Record<string, string> = {}) {
  const response = await send(path, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describeEachDatabase('GET /api/health', (open) => {
  it('says that the process lives, that it is ready, and that the work is on time', async () => {
    const { send } = await startApi(open);
    for (const path of ['/api/health', '/api/health/live', '/api/health/ready'])
      expect(await told(send, path)).toEqual({ status: 200, body: { status: 'ok' } });
    const onTime = { status: 'on_time', checks_seconds: 0, alerts_seconds: 0 };
    expect(await told(send, '/api/health/late')).toEqual({ status: 200, body: onTime });
  });

  it('answers at any name, over plain http as well: probes know addresses only', async () => {
    const config = { publicUrl: new URL('https://certs.example.com'), publicUrlIsDefault: false };
    const { send } = await startApi(open, { config });
    for (const path of ['/api/health/live', '/api/health/ready', '/api/health/late'])
      expect((await told(send, path, { host: '10.1.2.3:8080' })).status).toBe(200);
  });

  it('is not ready once it drains, and alive all the same', async () => {
    const readiness = createReadiness();
    const { send } = await startApi(open, { readiness });
    expect((await told(send, '/api/health/ready')).status).toBe(200);
    readiness.drain();
    const drained = await told(send, '/api/health/ready');
    expect(drained).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await told(send, '/api/health/live')).status).toBe(200);
    expect((await told(send, '/api/health')).status).toBe(200);
  });

  it('is alive without its database, and neither ready nor able to say whether the work is late', async () => {
    const log = { info() {}, warn() {}, error() {} };
    const { store, send } = await startApi(open, { log });
    await store.close();
    expect((await told(send, '/api/health/live')).status).toBe(200);
    for (const path of ['/api/health/ready', '/api/health/late'])
      expect(await told(send, path)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  it('is late when work waits for more than ten minutes, and says for how long', async () => {
    const api = await startApi(open);
    const { send, clock } = api;
    const { alice } = await api.cast();
    expect((await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } })).status).toBe(200);
    clock.advance(9 * MINUTE_MS);
    expect((await told(send, '/api/health/late')).status).toBe(200);
    clock.advance(3 * MINUTE_MS);
    const late = await told(send, '/api/health/late');
    expect(late).toMatchObject({ status: 503, body: { code: 'late', alerts_seconds: 0 } });
    expect(Math.round(Number(late.body['checks_seconds']) / 60)).toBe(12);
    // Nothing to start anew, and no reason to send requests elsewhere.
    expect((await told(send, '/api/health/ready')).status).toBe(200);
  });

  it('names the alarms that stand to whoever may read the metrics', async () => {
    const { store, send, clock } = await startApi(open, { config: { metricsToken: TOKEN } });
    await raiseAlarm(store, { code: 'mail_down', detail: 'No mail.', now: clock.now() });
    expect((await told(send, '/api/health/late')).body['alarms']).toBeUndefined();
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await told(send, '/api/health/late', headers)).body['alarms']).toEqual(['mail_down']);
  });

  it('is the same at a process that only works, which serves nothing else', async () => {
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
      expect((await told(send, path)).status).toBe(200);
    expect((await send('/metrics')).status).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await (await send('/metrics', { headers })).text()).toContain('\noldest_due_check_seconds 0\n');
    for (const path of ['/', '/api/config', '/api/user/me', '/dev/mail'])
      expect((await send(path)).status).toBe(404);
    readiness.drain();
    expect((await told(send, '/api/health/ready')).status).toBe(503);
  });
});
