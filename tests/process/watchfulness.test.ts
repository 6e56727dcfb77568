import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startApp, temporaryFolder } from '../kit/product/app.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { sendTo, signUp } from '../kit/product/people.ts';
import { startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { startStrippingProxy } from '../kit/peers/stripping-proxy.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';

const TOKEN = 'metrics-token-of-a-real-process';

it('The server calls HEARTBEAT_URL while it makes checks, and shows metrics only with METRICS_TOKEN', async () => {
  const { metrics, pings, url } = await stage({ aheadMs: 0 });
  await expect.poll(() => pings.length).toBeGreaterThan(0);
  expect(pings[0]).toBe('GET /ping/secret');
  const text = await metrics();
  expect(text).toMatch(/^certlantern_checks_in_five_minutes [1-9]/m);
  expect(text).toContain('\ncertlantern_alarm{code="clock_wrong"} 0\n');
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

it('The server does not call HEARTBEAT_URL while CANARY_HOSTS show that its clock is wrong', async () => {
  const { metrics, pings } = await stage({ aheadMs: 2 * DAY_MS });
  await expect.poll(metrics).toContain('\ncertlantern_alarm{code="clock_wrong"} 1\n');
  expect(pings).toEqual([]);
});

it('The server raises an alarm and sends neither password nor mail if STARTTLS is stripped', async () => {
  const folder = temporaryFolder();
  const sink = await startSmtpSink();
  const proxy = await startStrippingProxy(sink);
  const app = await startApp({
    DATA_DIR: join(folder.path, 'data'),
    METRICS_TOKEN: TOKEN,
    // The system routes this address to this machine, but the product demands encryption for it: only loopback is exempt.
    SMTP_URL: `smtp://alerts:hunter2@0.0.0.0:${proxy.port}`,
  });
  onTestFinished(async () => {
    await app.kill();
    await Promise.all([proxy.stop(), sink.stop()]);
    folder.remove();
  });
  // Triggers the mail that verifies the address.
  await signUp(sendTo(app.url), { name: 'Alice' });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const metrics = async () => (await fetch(`${app.url}/metrics`, { headers })).text();
  await expect.poll(metrics).toContain('\ncertlantern_alarm{code="smtp_unencrypted"} 1\n');
  // The log may arrive after the metrics, so poll.
  await expect
    .poll(() => app.output())
    .toContain('could not be encrypted, so neither the password nor the mail was sent');
  expect(app.output()).not.toContain('hunter2');
  expect(proxy.received()).not.toMatch(/AUTH|MAIL/);
  expect(sink.ledger).toEqual([]);
});

/** Starts the product as an operator does. The clocks of its canaries are `aheadMs` ahead of ours. */
async function stage({ aheadMs }: { aheadMs: number }) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const pings: string[] = [];
  const listener = createServer(({ method, url }, response) => {
    pings.push(`${method} ${url}`);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());

  const app = await startApp({
    DATA_DIR: join(folder.path, 'data'),
    CANARY_HOSTS: (await Promise.all([1, 2, 3].map(() => startCanary(aheadMs)))).join(),
    HEARTBEAT_URL: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/ping/secret`,
    METRICS_TOKEN: TOKEN,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  });
  onTestFinished(() => app.kill());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const metrics = async () => (await fetch(`${app.url}/metrics`, { headers })).text();
  return { url: app.url, pings, metrics };
}

/** Resolves to its host and port. */
async function startCanary(aheadMs: number): Promise<string> {
  const canary = await startTlsServer(
    { '*': selfSigned() },
    {
      serve: (_, response) => {
        response.setHeader('Date', new Date(Date.now() + aheadMs).toUTCString());
        response.end();
      },
    },
  );
  onTestFinished(() => canary.stop());
  return `127.0.0.1:${canary.port}`;
}
