import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startApp, temporaryFolder } from '../kit/app.ts';
import { selfSigned } from '../../scripts/local-peers/mint.ts';
import { sendTo, signUp } from '../kit/people.ts';
import { startSmtpSink } from '../kit/smtp-sink.ts';
import { startStrippingProxy } from '../kit/stripping-proxy.ts';
import { startTlsServer } from '../../scripts/local-peers/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';

const TOKEN = 'metrics-token-of-a-real-process';
/** A start and a check, on a machine that does much else. */
const PATIENCE = { timeout: 45_000, interval: 200 };

it('tells HEARTBEAT_URL that checks are made, and how it is to whoever has METRICS_TOKEN', async () => {
  const { metrics, pings, url } = await stage({ aheadMs: 0 });
  await expect.poll(() => pings.length, PATIENCE).toBeGreaterThan(0);
  expect(pings[0]).toBe('GET /ping/secret');
  const text = await metrics();
  expect(text).toMatch(/^certlantern_checks_in_five_minutes [1-9]/m);
  expect(text).toContain('\ncertlantern_alarm{code="clock_wrong"} 0\n');
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
}, 90_000);

it('is silent there while the clocks of CANARY_HOSTS say that its own is wrong', async () => {
  const { metrics, pings } = await stage({ aheadMs: 2 * DAY_MS });
  await expect.poll(metrics, PATIENCE).toContain('\ncertlantern_alarm{code="clock_wrong"} 1\n');
  expect(pings).toEqual([]);
}, 90_000);

it('raises an alarm, and sends neither password nor mail, while somebody strips STARTTLS from the mail server', async () => {
  const folder = temporaryFolder();
  const sink = await startSmtpSink();
  const proxy = await startStrippingProxy(sink);
  const app = await startApp({
    DATA_DIR: join(folder.path, 'data'),
    METRICS_TOKEN: TOKEN,
    // The system delivers what goes to this address to this machine, but it is none that may do without encryption.
    SMTP_URL: `smtp://alerts:hunter2@0.0.0.0:${proxy.port}`,
  });
  onTestFinished(async () => {
    await app.kill();
    await Promise.all([proxy.stop(), sink.stop()]);
    folder.remove();
  });
  // The mail with which an account verifies its address.
  await signUp(sendTo(app.url), { name: 'Alice' });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const metrics = async () => (await fetch(`${app.url}/metrics`, { headers })).text();
  await expect.poll(metrics, PATIENCE).toContain('\ncertlantern_alarm{code="smtp_unencrypted"} 1\n');
  expect(app.output()).toContain('could not be encrypted, so neither the password nor the mail was sent');
  expect(app.output()).not.toContain('hunter2');
  expect(proxy.heard()).not.toMatch(/AUTH|MAIL/);
  expect(sink.ledger).toEqual([]);
}, 90_000);

/** The product as an operator runs it, with canaries whose clocks are `aheadMs` before ours. */
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

/** Resolves with its host and port. */
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
