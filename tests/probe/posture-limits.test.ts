import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Protocol } from '../../contract/protocols.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { POSTURE_PARTS, type PostureObservation, type PosturePart } from '../../server/core/observation.ts';
import { untestedPosture } from '../../server/core/report/report-posture.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { keep, PATIENT, STOPPED } from '../kit/peers/loopback.ts';
import { listening, startTlsServer } from '../kit/peers/tls-server.ts';
import { postureAfter, startHoldingServer } from './posture-after.ts';

const HOST = 'mail.test';
const NOW = Date.UTC(2030, 0, 2);
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority();
const trustStore = createTrustStore([root.der]);
const leaf = root.issue({ dnsNames: [HOST] });

const OUTDATED: TlsOptions = {
  minVersion: 'TLSv1.1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT:@SECLEVEL=0',
};

/** Starts a server with one certificate. It counts its failed handshakes. */
async function counting(options: TlsOptions) {
  let failures = 0;
  const server = createServer({ cert: leaf.certificatePem, key: leaf.keyPem, ...options }, (socket) =>
    socket.resume(),
  );
  server.on('tlsClientError', () => void failures++);
  return { port: keep(await listening(server)).port, failures: () => failures };
}

/** Returns a function that probes the posture of a port at 127.0.0.1, and the clock by which failed handshakes are limited. */
function prober() {
  const clock = { now: NOW };
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
  const probe = createProbe({
    resolver,
    policy,
    now: () => clock.now,
    monotonic: () => clock.now,
    sources: NO_SOURCES,
    timeouts: PATIENT,
  });
  const posture = async (
    port: number,
    { protocol = 'tls', parts = POSTURE_PARTS }: { protocol?: Protocol; parts?: readonly PosturePart[] } = {},
  ): Promise<PostureObservation> => {
    const signal = new AbortController().signal;
    const options = { signal, trustStore, withPosture: true, postureParts: parts };
    const observation = await probe.observe({ host: HOST, port, protocol }, options);
    expect(observation).toMatchObject({ addresses: [{ outcome: 'handshake' }] });
    return observation.posture as PostureObservation;
  };
  return { clock, posture };
}
const offered = ({ tlsVersions }: PostureObservation) => tlsVersions.map((one) => one.offered);

describe('The posture of a server that is not a web server', () => {
  it('fails at most three handshakes, and is completed 15 minutes later', async () => {
    const server = await counting(OUTDATED);
    const { clock, posture } = prober();
    const first = await posture(server.port);
    // One of the three is a handshake of the usual check, which finds outdated TLS with a second handshake.
    expect(server.failures()).toBe(3);
    expect(first).toMatchObject({ untestedKeyTypes: [], resumesAt: NOW + 15 * MINUTE_MS });
    expect(first.postponed).toEqual(['key_exchange', 'tls_versions']);
    expect(offered(first)).toEqual([null, true, false, false]);
    clock.now += 15 * MINUTE_MS;
    const second = await posture(server.port, { parts: ['tls_versions'] });
    expect(server.failures()).toBe(5);
    expect(offered(second)).toEqual([false, true, false, false]);
    expect(second.postponed).toEqual(['certificates', 'key_exchange']);
    expect(second.resumesAt).toBeUndefined();
  });

  it.each([
    ['TLS 1.2 and 1.3', {}, 2],
    ['TLS 1.3 only', { minVersion: 'TLSv1.3' }, 3],
    ['TLS 1.2 only', { maxVersion: 'TLSv1.2' }, 3],
  ] as const)('is complete at once if the server speaks %s', async (_name, options, failures) => {
    const server = await counting(options);
    const seen = await prober().posture(server.port);
    expect(server.failures()).toBe(failures);
    expect(untestedPosture(seen)).toEqual([]);
    expect(seen.postponed).toBeUndefined();
  });

  it('fails two handshakes if the server has several certificates, and still shows which client gets which', async () => {
    const rsa = root.issue({ dnsNames: [HOST], key: 'RSA-2048' });
    const pair = { cert: [leaf.certificatePem, rsa.certificatePem], key: [leaf.keyPem, rsa.keyPem] };
    const server = await counting({ ...pair, honorCipherOrder: false });
    const seen = await prober().posture(server.port);
    expect(server.failures()).toBe(2);
    expect(seen.postponed).toBeUndefined();
    expect(seen.alternates).toMatchObject([{ keyType: 'rsa', clients: ['go', 'gnutls', 'windows'] }]);
  });

  it('fails no more handshakes if it is probed ten times within 10 minutes', async () => {
    const server = await counting({ minVersion: 'TLSv1.3' });
    const { clock, posture } = prober();
    for (let time = 0; time < 10; time++) {
      await posture(server.port);
      clock.now += MINUTE_MS;
    }
    expect(server.failures()).toBe(3);
  });

  it('shares its failed handshakes with other endpoints of the address', async () => {
    const servers = await Promise.all([{}, {}, {}].map((options) => counting(options)));
    const { posture } = prober();
    const seen = await Promise.all(servers.map(({ port }) => posture(port)));
    expect(servers.reduce((sum, { failures }) => sum + failures(), 0)).toBe(3);
    expect(seen.every(({ postponed }) => postponed !== undefined)).toBe(true);
  });
});

it('A web server gets all posture handshakes each time, even if more than three fail', async () => {
  const serve: RequestListener = (_request, response) => void response.end();
  const server = keep(await startTlsServer({ '*': leaf }, { minVersion: 'TLSv1.3', serve }));
  const { posture } = prober();
  for (let time = 0; time < 2; time++) {
    const seen = await posture(server.port, { protocol: 'https' });
    expect(offered(seen)).toEqual([false, false, false, true]);
    expect(untestedPosture(seen)).toEqual([]);
    expect(seen.postponed).toBeUndefined();
  }
});

/** Starts a server that counts its connections and answers none of them. */
async function silentServer() {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.resume();
  });
  return { port: keep(await listening(server)).port, connections: () => connections };
}

it('A MySQL server gets no handshakes for its posture, which is reported as not tested', async () => {
  const server = await silentServer();
  const seen = await postureAfter(10, { host: HOST, leaf, port: server.port, protocol: 'mysql' });
  expect(server.connections()).toBe(0);
  expect(seen.postponed).toBeUndefined();
  expect(untestedPosture(seen)).toEqual([
    'certificates for RSA, RSA-PSS, Ed25519, Ed448, ML-DSA-44, ML-DSA-65 and ML-DSA-87 keys',
    'TLS 1.0, 1.1 and 1.2',
    'post-quantum key exchange',
  ]);
});

describe('A server that delays its answers', () => {
  it('gets no posture handshake if none could end in time', async () => {
    const server = await silentServer();
    const seen = await postureAfter(60_000, {
      host: HOST,
      leaf,
      port: server.port,
      protocol: 'smtp',
      leftMs: 40_000,
    });
    expect(server.connections()).toBe(0);
    expect(seen.postponed).toBeUndefined();
    expect(untestedPosture(seen)).toHaveLength(3);
  });

  it('gets only the posture handshakes that can end in time, and those for other certificates first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = await startHoldingServer(leaf);
    const looking = postureAfter(20_000, { host: HOST, leaf, port: slow.port, protocol: 'tls' });
    await expect.poll(slow.waiting, STOPPED).toBe(3);
    vi.advanceTimersByTime(20_000);
    slow.greet();
    const seen = await looking;
    expect(slow.waiting()).toBe(3);
    expect(seen).toMatchObject({
      postponed: ['tls_versions'],
      untestedKeyTypes: [],
      postQuantum: { state: 'negotiated' },
    });
    expect(seen.resumesAt).toBeUndefined();
  });
});
