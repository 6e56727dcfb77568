import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createCanaries } from '../../server/probe/canary.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { stopTimers } from '../kit/peers/loopback.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { HOUR_MS } from '../../contract/durations.ts';

const NOW = Date.UTC(2027, 2, 1, 9, 30);
const expired = mintAuthority().issue({
  dnsNames: ['elsewhere.example'],
  notBefore: NOW - 9_000 * HOUR_MS,
  notAfter: NOW - 8_000 * HOUR_MS,
});

/** Probes canaries on loopback. Each name leads to a peer of its own. */
async function look(
  ports: Record<string, number>,
  { addresses = {}, timeoutMs = 60_000 }: { addresses?: Record<string, string[]>; timeoutMs?: number } = {},
) {
  const hosts = Object.keys(ports);
  const dns = await startDnsServer(
    Object.fromEntries(hosts.map((host) => [host, { addresses: addresses[host] ?? ['127.0.0.1'] }])),
  );
  onTestFinished(() => dns.stop());
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const canaries = createCanaries({
    hosts: hosts.map((host) => ({ host, port: ports[host] ?? 0 })),
    resolver: createResolver({ servers: [dns.address], policy }),
    policy,
    now: () => NOW,
    timeoutMs,
  });
  return canaries?.probe(new AbortController().signal);
}

/** Starts a server that answers HTTP with this Date, or without one. */
async function answering(date: Date | null, host = '127.0.0.1') {
  const peer = await startTlsServer(
    { '*': expired },
    {
      host,
      serve(_request, response) {
        response.sendDate = false;
        if (date !== null) response.setHeader('Date', date.toUTCString());
        response.end();
      },
    },
  );
  onTestFinished(() => peer.stop());
  return peer.port;
}

it('A canary with several addresses is judged by the one that answers with a Date header', async () => {
  const port = await answering(new Date(NOW + HOUR_MS), '127.0.0.2');
  const quiet = await startTlsServer({ '*': expired }, { port, manners: (socket) => socket.end() });
  onTestFinished(() => quiet.stop());
  for (const addresses of [
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.2', '127.0.0.1'],
  ])
    expect(await look({ 'two.example': port }, { addresses: { 'two.example': addresses } })).toEqual([
      { host: 'two.example', isHealthy: true, aheadMs: HOUR_MS },
    ]);
});

it('A canary is healthy with any certificate, and its Date header shows the clock’s offset', async () => {
  const seen = await look({
    'right.example': await answering(new Date(NOW)),
    'ahead.example': await answering(new Date(NOW + 2 * HOUR_MS)),
    'dateless.example': await answering(null),
  });
  expect(seen).toEqual([
    { host: 'right.example', isHealthy: true, aheadMs: 0 },
    { host: 'ahead.example', isHealthy: true, aheadMs: 2 * HOUR_MS },
    { host: 'dateless.example', isHealthy: true, aheadMs: null },
  ]);
});

it('A canary is healthy after a handshake without an HTTP answer', async () => {
  const asked = Promise.withResolvers<void>();
  const manners = (socket: Socket) => void socket.once('data', () => asked.resolve());
  const peer = await startTlsServer({ '*': expired }, { manners });
  onTestFinished(() => peer.stop());
  stopTimers();
  const looking = look({ 'quiet.example': peer.port });
  await asked.promise;
  vi.advanceTimersByTime(60_000);
  expect(await looking).toEqual([{ host: 'quiet.example', isHealthy: true, aheadMs: null }]);
});

it('A canary is not healthy if it cannot be reached or does not answer before the timeout', async () => {
  const peer = await startRawPeer(silent);
  onTestFinished(() => peer.stop());
  const seen = await look(
    { 'silent.example': peer.port, 'closed.example': 1, 'inside.example': 443 },
    { addresses: { 'inside.example': ['10.0.0.1'] }, timeoutMs: 1_000 },
  );
  expect(seen?.map(({ isHealthy }) => isHealthy)).toEqual([false, false, false]);
});

it('No canary is probed if none is configured', async () => {
  expect(await look({})).toBeUndefined();
});
