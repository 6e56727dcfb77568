import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { type App, startApp, temporaryFolder } from '../kit/product/app.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { createClient, markVerifiedInDataDir, sendTo, signIn, signUp } from '../kit/product/people.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';

const EGRESS_ALLOW_CIDRS = '127.0.0.0/8';

let folder: ReturnType<typeof temporaryFolder>;
let running: App | null = null;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await running?.kill();
  running = null;
  folder.remove();
});

async function start(env: Record<string, string>): Promise<App> {
  await running?.stop();
  running = await startApp({ DATA_DIR: join(folder.path, 'data'), BILLING: 'none', ...env });
  return running;
}

/** Starts a TLS server in the permitted range; resolves to its host and port. */
async function startHost(): Promise<string> {
  const peer = await startTlsServer({ '*': selfSigned() });
  onTestFinished(() => peer.stop());
  return `127.0.0.1:${peer.port}`;
}

/** Warnings in the log and in the start messages. */
const warnings = (app: App) => ({
  logged: app
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
    .filter((msg) => msg.startsWith('SIGNUPS=open')),
  shown: /^ {2}Warning: (.*)$/m.exec(app.output())?.[1] ?? null,
});

it('With EGRESS_ALLOW_CIDRS and open sign-up, the server warns and disables preview checks', async () => {
  const host = await startHost();
  const app = await start({ EGRESS_ALLOW_CIDRS });
  const { shown } = warnings(app);
  expect(shown).toMatch(
    /^SIGNUPS=open lets anybody have hosts in 127\.0\.0\.0\/8 checked \(EGRESS_ALLOW_CIDRS\)/,
  );
  // The log is a separate stream, so it may arrive after the start message.
  await expect.poll(() => warnings(app).logged).toEqual([shown]);
  const stranger = createClient(sendTo(app.url));
  expect((await stranger.ask(CALLS.publicConfig)).ok.data.try_it).toBe(false);
  expect((await stranger.ask(CALLS.glance, { body: { host } })).problem.code).toBe('not_found');
  const landing = await (await fetch(`${app.url}/landing`)).text();
  expect(landing).not.toContain('name="host"');
});

it('TRY_IT=on enables preview checks despite EGRESS_ALLOW_CIDRS and open sign-up, and the warning names it', async () => {
  const host = await startHost();
  const app = await start({ EGRESS_ALLOW_CIDRS, TRY_IT: 'on' });
  expect(warnings(app).shown).toContain('even without an account (TRY_IT=on)');
  const stranger = createClient(sendTo(app.url));
  expect((await stranger.ask(CALLS.glance, { body: { host } })).ok.data.addresses).toMatchObject([
    { address: '127.0.0.1', failure: null },
  ]);
});

it('Checks use the names of HOSTS_FILE, and the log names the lines that are left out', async () => {
  const [, port] = (await startHost()).split(':');
  const HOSTS_FILE = join(folder.path, 'hosts');
  writeFileSync(HOSTS_FILE, '127.0.0.1 shop.internal\nnonsense\n');
  const app = await start({ EGRESS_ALLOW_CIDRS, TRY_IT: 'on', HOSTS_FILE });
  const stranger = createClient(sendTo(app.url));
  const { data } = (await stranger.ask(CALLS.glance, { body: { host: `shop.internal:${port}` } })).ok;
  expect(data.addresses).toMatchObject([{ address: '127.0.0.1', failure: null }]);
  await expect.poll(() => app.output()).toContain('is used without line 2');
});

it('The server does not warn without EGRESS_ALLOW_CIDRS or without open sign-up', async () => {
  const closed = await start({});
  expect(warnings(closed)).toEqual({ logged: [], shown: null });
  expect((await createClient(sendTo(closed.url)).ask(CALLS.publicConfig)).ok.data.try_it).toBe(true);
  const invited = await start({ EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite' });
  expect(warnings(invited)).toEqual({ logged: [], shown: null });
}, 150_000);

it('With open sign-up, webhooks reach ranges of EGRESS_ALLOW_CIDRS only if CHANNEL_ALLOW_CIDRS lists them, too', async () => {
  const sink = await startWebhookSink();
  onTestFinished(() => sink.stop());
  const heartbeats: string[] = [];
  const listener = createServer(({ url }, response) => {
    heartbeats.push(url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const host = await startHost();
  const config = { kind: 'webhook', url: `${sink.url}/hook` };

  const opened = await start({ EGRESS_ALLOW_CIDRS, CHANNEL_ALLOW_CIDRS: '127.0.0.1' });
  expect(warnings(opened).shown).toContain('have messages sent to 127.0.0.1/32 (CHANNEL_ALLOW_CIDRS)');
  const alice = await signUp(sendTo(opened.url), { name: 'Alice' });
  await markVerifiedInDataDir(opened.dataDir, alice.id);
  const { key } = (await alice.ask(CALLS.addChannel, { body: { config } })).ok.data.channel;
  await alice.ask(CALLS.testChannel, { params: { key } });
  await expect.poll(() => sink.requests.length).toBe(1);

  // The channel from before still exists. Its address is checked at each attempt.
  const { port } = new URL(opened.url);
  const HEARTBEAT_URL = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/ping`;
  const closed = await start({ EGRESS_ALLOW_CIDRS, HEARTBEAT_URL, PORT: port });
  const again = await signIn(sendTo(closed.url), alice);
  const { id } = (await again.ask(CALLS.testChannel, { params: { key } })).ok.data;
  const receipt = async () => (await again.ask(CALLS.delivery, { params: { id } })).ok.data;
  await expect.poll(receipt).toMatchObject({
    state: 'failed',
    detail: 'The address policy of this server blocks this address.',
  });
  expect(sink.requests).toHaveLength(1);
  expect((await again.ask(CALLS.addChannel, { body: { config } })).problem.code).toBe('channel_refused');

  // What the operator configured still works: checks in the range, and the heartbeat.
  expect((await again.ask(CALLS.addDomain, { body: { host } })).status).toBe(200);
  await expect.poll(() => heartbeats).toEqual(['/ping']);
}, 150_000);
