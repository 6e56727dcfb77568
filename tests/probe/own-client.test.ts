import { createPrivateKey } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NO_LOG_LISTS } from '../../server/core/judge/transparency.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import type { Observation } from '../../server/core/observation.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { probeWithOwnClient } from '../../server/probe/address-probe.ts';
import { createProbe } from '../../server/probe/probe.ts';
import type { Examiner } from '../../server/probe/examiner.ts';
import { createThreadedExaminer } from '../../server/probe/threaded-examiner.ts';
import { CONTENT } from '../../server/probe/tls13/record-layer.ts';
import { type KeyChoice, mintAuthority } from '../kit/certificates/mint.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { createHelloRouter, readHello } from '../kit/peers/hello-proxies.ts';
import { keep, PATIENT } from '../kit/peers/loopback.ts';
import { alerting, closing, plainHttp, resetting, startRawPeer } from '../kit/peers/raw-peers.ts';
import { flightFor, framed, message } from '../kit/peers/tls13-flight.ts';
import { listening, type Peer, startOpensslServer, startTlsServer } from '../kit/peers/tls-server.ts';
import { temporaryFolder } from '../kit/product/app.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';

const root = mintAuthority();
const intermediate = root.intermediate();
const leaf = intermediate.issue({ dnsNames: ['site.test'] });
const trustStore = createTrustStore([root.der]);
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };

/** Probes a peer with our own TLS client and with OpenSSL. */
async function both({ port }: Peer, protocol: Protocol = 'https') {
  const onFault = vi.fn();
  const probe = createProbe({
    resolver,
    policy,
    now: () => 0,
    sources: NO_SOURCES,
    timeouts: PATIENT,
    onFault,
  });
  const endpoint = { host: 'site.test', port, protocol };
  const options = { signal: new AbortController().signal, trustStore, withPosture: false };
  const read = await probe.observeWithOwnClient(endpoint, options);
  const observed = await probe.observe(endpoint, options);
  expect(onFault).not.toHaveBeenCalled();
  return { read: read && timeless(read), observed: timeless(observed) };
}

function timeless(observation: Observation) {
  const { addresses, http } = observation;
  return {
    ...observation,
    durationMs: 0,
    addresses: addresses.map((one) => ({
      ...one,
      durationMs: 0,
      ...(one.outcome === 'handshake' && {
        presentedChain: one.presentedChain.map((der) => Buffer.from(der)),
        staple: one.staple && Buffer.from(one.staple),
      }),
    })),
    http: http && { ...http, durationMs: 0 },
  };
}

const serve = (_request: unknown, response: { end(): void }): void => response.end();

describe('Our own TLS client', () => {
  it.each<[KeyChoice, Protocol]>([
    ['P-256', 'https'],
    ['P-256', 'tls'],
    ['P-384', 'https'],
    ['RSA-2048', 'https'],
    ['RSA-2048', 'tls'],
    ['P-521', 'tls'],
    ['RSA-PSS-2048', 'tls'],
    ['Ed25519', 'tls'],
    ['Ed448', 'tls'],
  ])('observes the same as OpenSSL at a server with a key %s over %s', async (key, protocol) => {
    const mine = intermediate.issue({ dnsNames: ['site.test'], key });
    const peer = keep(await startTlsServer({ '*': mine }, { serve, ALPNProtocols: ['http/1.1'] }));
    const { read, observed } = await both(peer, protocol);
    expect(read).not.toBeNull();
    expect(read).toEqual(observed);
    expect(peer.accepted()).toBe(2);
    await expect.poll(() => peer.serverNames).toEqual(['site.test', 'site.test']);
  });

  it.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'observes the same as OpenSSL at an openssl s_server with %s',
    async (cipher) => {
      const peer = keep(await startOpensslServer(leaf, { arguments: ['-ciphersuites', cipher] }));
      const { read, observed } = await both(peer, 'tls');
      expect(read).toMatchObject({ addresses: [{ cipher, tlsVersion: 'TLSv1.3', group: 'X25519' }] });
      expect(read).toEqual(observed);
    },
  );

  it('sends its request by HTTP/2 if the server chooses that', async () => {
    const server = createSecureServer({ cert: leaf.certificatePem + leaf.chainPem, key: leaf.keyPem }, serve);
    const { read, observed } = await both(keep(await listening(server)));
    expect(read).toMatchObject({ addresses: [{ alpn: 'h2' }], http: { outcome: 'answered', status: 200 } });
    expect(read).toEqual(observed);
  });

  it('reads the OCSP response that comes with the handshake', async () => {
    const staple = Buffer.from('3003020101', 'hex');
    const { read, observed } = await both(keep(await startTlsServer({ '*': leaf }, { serve, staple })));
    expect(read).toMatchObject({ addresses: [{ staple }] });
    expect(read).toEqual(observed);
  });

  it('gets the same certificate as OpenSSL from a server that has several', async () => {
    const rsa = intermediate.issue({ dnsNames: ['site.test'], key: 'RSA-2048' });
    const peer = keep(await startTlsServer({ '*': [rsa, leaf] }, { serve }));
    const { read, observed } = await both(peer);
    expect(read).not.toBeNull();
    expect(read).toEqual(observed);
  });

  it('reads 90 kB of certificates, and leaves servers that send more than OpenSSL accepts to OpenSSL', async () => {
    const names = Array.from({ length: 900 }, (_, index) => `name-${index}.site.test`);
    const large = intermediate.issue({ dnsNames: ['site.test', ...names] });
    const chainOf = (count: number) => ({ ...large, chainPem: large.certificatePem.repeat(count) });
    const peer = keep(await startTlsServer({ '*': chainOf(3) }, { serve }));
    const { read, observed } = await both(peer);
    expect(read).toEqual(observed);
    const tooLarge = keep(await startTlsServer({ '*': chainOf(6) }, { serve }));
    expect((await both(tooLarge)).read).toBeNull();
  });

  it.each([
    ['that speaks only TLS 1.2', { maxVersion: 'TLSv1.2' as const }],
    ['that wants another group', { ecdhCurve: 'P-256' }],
    ['that asks for a client certificate', { requestCert: true, rejectUnauthorized: false }],
  ])('leaves a server %s to OpenSSL', async (_name, options) => {
    const peer = keep(await startTlsServer({ '*': leaf }, { serve, ...options }));
    const { read, observed } = await both(peer);
    expect(read).toBeNull();
    expect(observed).toMatchObject({ addresses: [{ outcome: 'handshake' }], http: { outcome: 'answered' } });
  });

  it.each(Object.entries({ alert: alerting(40), close: closing, reset: resetting, 'plain HTTP': plainHttp }))(
    'leaves a server that answers with %s to OpenSSL',
    async (_name, behaviour) => {
      expect((await both(keep(await startRawPeer(behaviour)))).read).toBeNull();
    },
  );

  it.each<[string, number, Buffer]>([
    ['a change of keys', CONTENT.handshake, message(24, Buffer.of(0))],
    ['an alert', CONTENT.alert, Buffer.of(2, 80)],
    ['close_notify', CONTENT.alert, Buffer.of(1, 0)],
    ['bytes that are not HTTP', CONTENT.applicationData, Buffer.from('220 mail.example ESMTP\r\n')],
  ])('leaves a server that sends %s after the handshake to OpenSSL', async (_name, type, content) => {
    const peer = keep(
      await startRawPeer((socket) => {
        socket.once('data', (record: Buffer) => {
          const share = readHello(record).extensions.get(51)?.subarray(-32) ?? Buffer.alloc(0);
          const key = createPrivateKey(leaf.keyPem);
          const flight = flightFor(record.subarray(5), share, { chain: [leaf.der, intermediate.der], key });
          socket.write(Buffer.concat([framed(flight), flight.application.seal(type, content)]));
        });
      }),
    );
    const probe = createProbe({ resolver, policy, now: () => 0, sources: NO_SOURCES, timeouts: PATIENT });
    const endpoint = { host: 'site.test', port: peer.port, protocol: 'https' as const };
    const signal = new AbortController().signal;
    expect(await probe.observeWithOwnClient(endpoint, { signal, trustStore, withPosture: false })).toBeNull();
  });

  it('leaves a server to OpenSSL for a day if it needed that, and for an hour if it broke the connection twice', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }, { serve, maxVersion: 'TLSv1.2' }));
    const broken = keep(await startRawPeer(closing));
    let now = 0;
    const monotonic = (): number => now;
    const probe = createProbe({
      resolver,
      policy,
      now: () => 0,
      monotonic,
      sources: NO_SOURCES,
      timeouts: PATIENT,
    });
    const options = { signal: new AbortController().signal, trustStore, withPosture: false };
    const read = async ({ port }: Peer): Promise<void> => {
      const endpoint = { host: 'site.test', port, protocol: 'https' as const };
      expect(await probe.observeWithOwnClient(endpoint, options)).toBeNull();
    };
    for (const at of [0, 1, HOUR_MS]) {
      now = at;
      await read(peer);
      await read(broken);
    }
    expect([peer.accepted(), broken.accepted()]).toEqual([1, 2]);
    now = HOUR_MS + 1;
    await read(broken);
    now = DAY_MS - 1;
    await read(peer);
    expect([peer.accepted(), broken.accepted()]).toEqual([1, 3]);
    now = DAY_MS;
    await read(peer);
    expect(peer.accepted()).toBe(2);
  });

  it('uses a server again after a single broken connection', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }));
    const broken = keep(await startRawPeer(closing));
    let isBroken = false;
    const router = createHelloRouter(() => (isBroken ? broken : peer).port);
    const { port } = keep(await listening(router));
    const probe = createProbe({ resolver, policy, now: () => 0, sources: NO_SOURCES, timeouts: PATIENT });
    const options = { signal: new AbortController().signal, trustStore, withPosture: false };
    const results: boolean[] = [];
    for (isBroken of [true, false, true, false]) {
      const read = await probe.observeWithOwnClient(
        { host: 'site.test', port, protocol: 'tls' as const },
        options,
      );
      results.push(read !== null);
    }
    expect(results).toEqual([false, true, false, true]);
  });

  it('counts handshakes that it gave up, because a server may log them', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }, { maxVersion: 'TLSv1.2' }));
    const onFailure = vi.fn();
    const look = probeWithOwnClient({
      address: '127.0.0.1',
      endpoint: { host: 'site.test', port: peer.port, protocol: 'tls' },
      policy,
      signal: new AbortController().signal,
      connectTimeoutMs: PATIENT.connect,
      handshakeTimeoutMs: PATIENT.handshake,
      modeStepMs: PATIENT.handshake,
      takeOver: () => false,
      onChain: () => undefined,
      onFailure,
    });
    await expect(look).rejects.toThrow('older_version');
    expect(onFailure).toHaveBeenCalledExactlyOnceWith('127.0.0.1');
  });

  it('never probes services that expect a goodbye or begin in plain text', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }));
    const probe = createProbe({ resolver, policy, now: () => 0, sources: NO_SOURCES });
    const options = { signal: new AbortController().signal, trustStore, withPosture: false };
    for (const endpoint of [
      { host: 'site.test', port: 465, protocol: 'tls' as const },
      { host: 'site.test', port: peer.port, protocol: 'smtp' as const },
    ])
      expect(await probe.observeWithOwnClient(endpoint, options)).toBeNull();
    expect(peer.accepted()).toBe(0);
  });
});

describe('The examiner thread', () => {
  /** The type of the extension encrypt_then_mac, which only OpenSSL offers. */
  const ENCRYPT_THEN_MAC = 22;

  it('lets our own client confirm a fine verdict, and OpenSSL look at a new certificate and in the second thread', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }));
    const clients: string[] = [];
    const router = createHelloRouter((hello) => {
      clients.push(hello.extensions.has(ENCRYPT_THEN_MAC) ? 'OpenSSL' : 'own');
      return peer.port;
    });
    const { port } = keep(await listening(router));
    const dns = keep(await startDnsServer({ 'site.test': { addresses: ['127.0.0.1'] } }));
    const folder = temporaryFolder();
    const thread = createThreadedExaminer({
      dnsServers: [dns.address],
      egressAllowCidrs: ['127.0.0.0/8'],
      hostsFile: null,
      ownNames: { ehloName: null, publicHost: 'localhost' },
      extraCaPem: root.certificatePem,
      logLists: NO_LOG_LISTS,
      cacheFolder: folder.path,
      checkWork: STANDARD_LIMITS.workPerCheck,
      onTrouble: (error) => expect.fail(error.message),
    });
    onTestFinished(async () => {
      await thread.close();
      folder.remove();
    });
    const check = async (previous: Verdict | null, examiner: Examiner = thread) => {
      clients.length = 0;
      const options = { signal: new AbortController().signal, authorities: [], withPosture: false };
      const endpoint = { host: 'site.test', port, protocol: 'tls' as const };
      const { verdicts } = await examiner.examine(endpoint, { ...options, previous: [previous] });
      const [verdict] = verdicts;
      if (verdict === undefined) throw new Error('no verdict');
      return { verdict, clients: [...clients] };
    };
    /** Checks until `isSeen`: a busy machine may have left our own client no time. */
    const checkUntil = async (previous: Verdict, isSeen: (clients: readonly string[]) => boolean) => {
      for (;;) {
        const result = await check(previous);
        if (isSeen(result.clients)) return result;
      }
    };

    const first = await check(null);
    expect(first.clients).toEqual(['OpenSSL']);
    expect(first.verdict).toMatchObject({ trusted: true, leafFingerprint: leaf.fingerprint });
    const second = await checkUntil(first.verdict, ([client]) => client === 'own');
    expect(second.verdict).toMatchObject({ trusted: true, leafFingerprint: leaf.fingerprint });
    const next = intermediate.issue({ dnsNames: ['site.test'] });
    peer.setCertificate('*', next);
    const third = await checkUntil(second.verdict, ([client]) => client === 'own');
    expect(third.clients).toEqual(['own', 'OpenSSL']);
    expect(third.verdict).toMatchObject({ trusted: true, leafFingerprint: next.fingerprint });
    // The time limit of the second thread is enough for one probe.
    const other = await check(third.verdict, thread.previews);
    expect(other.clients).toEqual(['OpenSSL']);
  });
});
