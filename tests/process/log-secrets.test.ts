import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { freePort, startApp, temporaryFolder } from '../kit/product/app.ts';
import { createClient, markVerifiedInDataDir, sendTo, signUp } from '../kit/product/people.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';

/** Part of each secret that the test can choose. */
const SECRET = 'hunter2';
const LONG = `${SECRET}${'Ab3_'.repeat(12)}`;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('The log at level trace has no secrets of the operator, of people or of receivers', async () => {
  const nobody = await freePort();
  const sink = await startWebhookSink();
  // Every receiver fails, so that everything gives a reason to log.
  sink.answer = () => ({ status: 410, body: `no, ${SECRET}` });
  const environment = {
    DATA_DIR: join(folder.path, 'data'),
    LOG_LEVEL: 'trace',
    BILLING: 'none',
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
    SMTP_URL: `smtp://mailer:${SECRET}-of-smtp@127.0.0.1:${nobody}`,
    HEARTBEAT_URL: `http://127.0.0.1:${nobody}/ping/${SECRET}-of-heartbeat`,
    METRICS_TOKEN: `${SECRET}-of-metrics-0123456789`,
    BOUNCE_ADDRESS: 'bounces@example.test',
    BOUNCE_MAILBOX: `imap://bounces:${SECRET}-of-imap@127.0.0.1:${nobody}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${nobody}/${SECRET}-of-otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRET}-of-otlp`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  let app = await startApp(environment);
  const send: ReturnType<typeof sendTo> = (...request) => sendTo(app.url)(...request);
  const alice = await signUp(send, { name: 'Alice', password: `${SECRET} of alice` });
  await markVerifiedInDataDir(app.dataDir, alice.id);
  await app.kill();
  const earlier = app.output();
  // With open sign-up, neither receipts nor the log tell why a message to a receiver in our network failed. So close sign-up.
  app = await startApp({ ...environment, SIGNUPS: 'closed' });
  onTestFinished(async () => {
    await app.kill();
    await sink.stop();
  });
  // The start message names the mail server without its password.
  expect(app.output()).toContain(`Mail is sent through 127.0.0.1:${nobody}\n`);
  expect(app.output()).not.toContain(`${SECRET}-of-smtp`);

  await alice.ask(CALLS.refreshSession);
  await alice.ask(CALLS.addDomain, { body: { host: `127.0.0.1:${nobody}`, notes: SECRET } });
  const receivers = [
    { kind: 'webhook', url: `${sink.url}/hook/${SECRET}?token=${LONG}` },
    { kind: 'ntfy', server: sink.url, topic: `${SECRET}-topic`, token: `tk_${SECRET}` },
    { kind: 'email', address: `${SECRET}@example.test` },
  ];
  for (const config of receivers) {
    const added = await alice.ask(CALLS.addChannel, { body: { config } });
    if (added.status === 200 && config.kind !== 'email')
      await alice.ask(CALLS.testChannel, { params: { key: added.ok.data.channel.key } });
  }
  const stranger = createClient(send);
  await stranger.ask(CALLS.signIn, { body: { email: alice.email, password: `${SECRET} is wrong` } });
  await stranger.ask(CALLS.requestPasswordReset, {
    body: { email: alice.email, redirectTo: '/reset-password' },
  });
  await stranger.ask(CALLS.openSession, { body: { token: `eyJhbGciOiJIUzI1NiJ9.${LONG}.${LONG}` } });
  await stranger.ask(CALLS.openSession, { body: `{"token": "${SECRET}` });
  for (const path of [
    `/reset-password?token=${LONG}`,
    `/api/unsubscribe/${LONG}`,
    `/unsubscribe?token=${LONG}`,
    `/confirm-recipient?token=${LONG}`,
    `/signup?invite=${LONG}`,
    `/api/calendar/${LONG}.ics`,
    `/api/nothing/${SECRET}?key=${SECRET}`,
    `/${SECRET}%`,
  ])
    await send(path);
  await stranger.ask(CALLS.unsubscribeAtOnce, { params: { token: LONG } });
  await stranger.ask(CALLS.unsubscribe, { body: { token: LONG, scope: 'all' } });
  await stranger.ask(CALLS.confirmRecipient, { body: { token: LONG } });
  for (const authorization of [`Bearer clt_${LONG}`, `Bearer ${LONG}`, `Basic ${btoa(`me:${SECRET}`)}`])
    await send('/api/user/me', { headers: { authorization, cookie: `__Host-certlantern-session=${LONG}` } });
  await send('/metrics', { headers: { authorization: `Bearer ${SECRET}-of-metrics` } });

  // The log has everything that it should have.
  for (const text of [
    'an alert was not accepted',
    'trace export failed',
    'bounce_mailbox',
    '"route":"/api/user/me"',
  ])
    await expect.poll(() => earlier + app.output()).toContain(text);
  const output = earlier + app.output();
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(lines.filter((line) => line.includes(SECRET))).toEqual([]);
  const own = [...alice.cookies.values()].map(({ value }) => value).filter((value) => value.length > 20);
  expect(own.length).toBeGreaterThan(0);
  for (const value of own) expect(output).not.toContain(value);
  // Log lines identify accounts and channels by their ids.
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told.filter(({ msg }) => msg === 'answered').every(({ requestId }) => requestId)).toBe(true);
  expect(told.find(({ msg }) => msg === 'an alert was not accepted')).toMatchObject({
    delivery: expect.any(String) as string,
    channel: 'webhook',
  });
}, 180_000);
