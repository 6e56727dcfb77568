import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { raiseAlarm } from '../../server/store/alerts/alarms.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const TOKEN = 'metrics-token-of-the-tests';

describeAnyDatabase('GET /metrics', (open) => {
  it('shows how long the oldest due check has waited and which alarms are raised', async () => {
    const api = await startApi(open);
    const { store, clock } = api;
    const { alice } = await api.cast();
    expect((await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } })).status).toBe(200);
    clock.advance(12 * MINUTE_MS);
    await raiseAlarm(store, { code: 'mail_down', detail: 'No mail.', now: clock.now() });
    const answer = await api.sendFrom('127.0.0.1')('/metrics', {});
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const [, seconds] = /^oldest_due_check_seconds (\S+)$/m.exec(text) ?? [];
    expect(Math.round(Number(seconds) / 60)).toBe(12);
    expect(text).toContain('\noldest_unsent_alert_seconds 0\n');
    expect(text).toContain('\ncertlantern_alarm{code="mail_down"} 1\n');
    expect(text).toContain('\ncertlantern_alarm{code="clock_wrong"} 0\n');
  });

  it('needs the token if one is configured, from any address', async () => {
    const api = await startApi(open, { config: { metricsToken: TOKEN } });
    const { send } = api;
    const asked = async (from: typeof send, authorization?: string) =>
      (await from('/metrics', authorization === undefined ? {} : { headers: { authorization } })).status;
    expect(await asked(send, `Bearer ${TOKEN}`)).toBe(200);
    expect(await asked(send, `Bearer ${TOKEN}x`)).toBe(404);
    expect(await asked(send, `Basic ${TOKEN}`)).toBe(404);
    expect(await asked(send)).toBe(404);
    expect(await asked(api.sendFrom('127.0.0.1'))).toBe(404);
  });

  it('is open only to loopback clients if no token is configured, and to nobody if PUBLIC_URL names another host', async () => {
    const api = await startApi(open);
    const asked = async (from: string, headers: Record<string, string> = {}) =>
      (await api.sendFrom(from)('/metrics', { headers })).status;
    expect(await asked('127.0.0.1', { host: 'certs.example.com' })).toBe(403);
    expect(await asked('198.51.100.7')).toBe(404);
    expect(await asked('127.0.0.1')).toBe(200);
    expect(await asked('::1')).toBe(200);
    const meantForOthers = await startApi(open, {
      config: { publicUrl: new URL('https://certs.example.com') },
    });
    expect((await meantForOthers.sendFrom('127.0.0.1')('/metrics', {})).status).toBe(404);
  });
});
