import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createConnectionLimit } from '../../server/api/http/open-connections.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { listen } from '../../server/listen.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { freshStore } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const MAX = 20;
const PROXY = '127.0.0.9';
const DEADLINES = { headersMs: 800, requestMs: 1_200, intervalMs: 20 };
const NO_DEADLINES = { headersMs: 60_000, requestMs: 60_000, intervalMs: 1_000 };
const HEALTHY = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Returns a request of which only the first byte of the body is sent. */
const slowBody = (client = '') =>
  `POST /api/auth/firebase HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${client}Content-Length: 9\r\n\r\n{`;

/** Serves the app on a free port. Anything that it logs fails the test, except for `warnings`. */
async function serve({ deadlines, warnings }: { deadlines: typeof DEADLINES; warnings?: unknown[] }) {
  const telemetry = { metrics: createMetrics(), tracer: null };
  const config = {
    limits: { ...STANDARD_LIMITS, connectionsPerAddress: MAX },
    trustedProxies: [`${PROXY}/32`],
  };
  const errors: unknown[] = [];
  const log = {
    info() {},
    warn: (...entry: unknown[]) => void (warnings ?? errors).push(entry),
    error: (...entry: unknown[]) => void errors.push(entry),
  };
  const api = await startApi(() => freshStore('sqlite'), { config, telemetry, log });
  const server = await listen({ host: '127.0.0.1', port: 0, deadlines });
  server.use(api, createConnectionLimit({ config, telemetry, log } as never));
  onTestFinished(async () => {
    await server.close(0);
    expect(errors).toEqual([]);
  });
  /** Connects from this address and sends a text. */
  const open = async (localAddress: string, sent: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: server.port, localAddress, noDelay: true });
    // A connection that is closed while its client still sends may be reset.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  };
  return { open, metrics: telemetry.metrics };
}

/** Returns the start of an answer, and leaves the connection open. */
const answerOf = async (socket: Socket) => String(((await once(socket, 'data')) as [Buffer])[0]).slice(0, 12);

it('A connection is closed if headers or body do not arrive in time, and stays open between requests', async () => {
  const { open } = await serve({ deadlines: DEADLINES });
  const idle = await open('127.0.0.1', HEALTHY);
  expect(await answerOf(idle)).toBe('HTTP/1.1 200');
  const late = [
    await open('127.0.0.1', ''),
    await open('127.0.0.1', HEALTHY.slice(0, -2)),
    await open('127.0.0.1', slowBody()),
  ];
  const dripping = await open('127.0.0.1', slowBody().replace('Content-Length: 9', 'Content-Length: 9999'));
  const drip = setInterval(() => dripping.write(' '), 20);
  onTestFinished(() => clearInterval(drip));
  await new Promise((resolve) => void dripping.once('close', resolve));
  for (const socket of late) expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  idle.write(HEALTHY);
  expect(await answerOf(idle)).toBe('HTTP/1.1 200');
  promise('large-requests');
});

it('A client that leaves before its body has arrived causes no error in the log', async () => {
  const { open } = await serve({ deadlines: NO_DEADLINES });
  const form = slowBody()
    .replace('application/json', 'multipart/form-data; boundary=x')
    .replace('/auth/firebase', '/unsubscribe/x');
  for (const request of [slowBody(), form, slowBody().replace('/auth/firebase', '/payment/webhook')])
    (await open('127.0.0.1', request)).destroy();
  const next = await open('127.0.0.1', HEALTHY);
  expect(await answerOf(next)).toBe('HTTP/1.1 200');
});

it('One address keeps a limited number of connections open; others and proxies are not affected', async () => {
  const warnings: unknown[] = [];
  const { open, metrics } = await serve({ deadlines: NO_DEADLINES, warnings });
  const held: Socket[] = [];
  for (let index = 0; index < MAX; index++) held.push(await open('127.0.0.1', slowBody()));
  for (let index = 0; index < 2; index++)
    expect(await text(await open('127.0.0.1', ''))).toMatch(/^HTTP\/1\.1 429 /);
  expect(warnings).toHaveLength(1);
  expect(await metrics.registry.metrics()).toContain(
    'certlantern_limit_reached_total{limit="LIMIT_CONNECTIONS_PER_ADDRESS"} 2',
  );
  expect(await answerOf(await open('127.0.0.2', HEALTHY))).toBe('HTTP/1.1 200');

  for (let index = 0; index < MAX; index++)
    held.push(await open(PROXY, slowBody('X-Forwarded-For: 203.0.113.5\r\n')));
  const more = await open(PROXY, slowBody('X-Forwarded-For: 203.0.113.5\r\n'));
  expect(await text(more)).toMatch(/^HTTP\/1\.1 429 /);
  const other = await open(PROXY, HEALTHY.replace('\r\n\r\n', '\r\nX-Forwarded-For: 203.0.113.6\r\n\r\n'));
  expect(await answerOf(other)).toBe('HTTP/1.1 200');

  for (const socket of held) socket.destroy();
  await Promise.all(held.map((socket) => once(socket, 'close')));
  promise('large-requests');
});
