import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { POSTURE_PARTS, type PostureObservation, type PosturePart } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe, type ProbeOptions } from '../../server/probe/probe.ts';
import type { DomainSource } from '../../server/probe/sources/sources.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { createAlpnProxy } from '../kit/peers/alpn-proxy.ts';
import { keep, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import {
  listening,
  type OpensslOptions,
  startOpensslServer,
  startTlsServer,
} from '../kit/peers/tls-server.ts';
import { createHelloFilter, isLarge } from '../kit/peers/hello-proxies.ts';

const NOW = Date.UTC(2030, 0, 2);
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority();
const ecdsa = root.issue({ dnsNames: ['site.test'] });
const rsa = root.issue({ dnsNames: ['site.test'], key: 'RSA-2048' });

// Timers are stopped, because a handshake that takes longer than 3 s would change the result.
beforeEach(stopTimers);
async function openssl(options?: OpensslOptions, leaf = rsa): Promise<number> {
  return keep(await startOpensslServer(leaf, options)).port;
}

/** Starts a server behind a filter that stops large ClientHellos. `ignored` resolves after the first one. */
async function startFilteredServer(manner: 'silent' | 'broken') {
  const behind = keep(await startTlsServer({ '*': ecdsa }));
  const ignored = Promise.withResolvers<void>();
  const filter = createHelloFilter(behind.port, isLarge, manner, (_hello, isAccepted) => {
    if (!isAccepted) ignored.resolve();
  });
  return { port: keep(await listening(filter)).port, ignored: ignored.promise };
}

async function posture(
  port: number,
  {
    domains = NO_SOURCES.domains,
    protocol = 'tls',
    parts = POSTURE_PARTS,
    ...options
  }: Partial<ProbeOptions> & {
    domains?: DomainSource;
    protocol?: Protocol;
    parts?: readonly PosturePart[];
  } = {},
): Promise<PostureObservation> {
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
  const sources = { ...NO_SOURCES, domains };
  const probe = createProbe({ resolver, policy, now: () => NOW, sources, ...options });
  const observation = await probe.observe(
    { host: 'site.test', port, protocol },
    {
      signal: new AbortController().signal,
      trustStore: createTrustStore([root.der]),
      withPosture: true,
      postureParts: parts,
    },
  );
  expect(observation).toMatchObject({ addresses: [{ outcome: 'handshake' }] });
  return observation.posture as PostureObservation;
}
const serve: RequestListener = (_request, response) => void response.end();
function offered({ tlsVersions }: PostureObservation): (boolean | null)[] {
  return tlsVersions.map((one) => one.offered);
}

describe('The posture of a server', () => {
  it.each([
    ['current defaults', [], [false, false, true, true]],
    ['TLS 1.3 alone', ['-tls1_3'], [false, false, false, true]],
    ['TLS 1.2 alone', ['-tls1_2'], [false, false, true, false]],
    ['all versions', ['-cipher', 'DEFAULT:@SECLEVEL=0'], [true, true, true, true]],
    ['TLS 1.1 alone', ['-tls1_1', '-cipher', 'DEFAULT:@SECLEVEL=0'], [false, true, false, false]],
  ])('lists the TLS versions on offer: %s', async (_name, args, expected) => {
    const port = await openssl({ arguments: args });
    expect(offered(await posture(port, { parts: ['tls_versions'] }))).toEqual(expected);
  });

  it('shows whether the server supports post-quantum key exchange', async () => {
    const able = keep(await startTlsServer({ '*': ecdsa }));
    expect((await posture(able.port)).postQuantum).toEqual({ state: 'negotiated', group: 'X25519MLKEM768' });
    const classic = keep(await startTlsServer({ '*': ecdsa }, { ecdhCurve: 'P-256' }));
    expect((await posture(classic.port)).postQuantum).toEqual({ state: 'not_offered', group: 'P-256' });
  });

  it.each(['silent', 'broken'] as const)(
    'shows post-quantum intolerance if a large ClientHello leaves the server %s',
    async (manner) => {
      const { port, ignored } = await startFilteredServer(manner);
      const looking = posture(port, { parts: ['key_exchange'] });
      await ignored;
      if (manner === 'silent') vi.advanceTimersByTime(3_000);
      expect((await looking).postQuantum).toEqual({ state: 'intolerant', group: 'X25519' });
    },
  );

  it('includes the RSA leaf beside the ECDSA one', async () => {
    const both = keep(await startTlsServer({ '*': [ecdsa, rsa] }));
    const { alternates } = await posture(both.port);
    expect(alternates).toMatchObject([
      { keyType: 'rsa', address: '127.0.0.1', presentedChain: [rsa.der], staple: null },
    ]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'includes no second leaf if the server has only one (%s)',
    async (version) => {
      for (const leaf of [ecdsa, rsa]) {
        const peer = keep(await startTlsServer({ '*': leaf }, { minVersion: version, maxVersion: version }));
        expect((await posture(peer.port)).alternates).toEqual([]);
      }
    },
  );

  it('includes CAA records and the registration', async () => {
    const asked: unknown[] = [];
    const domains: DomainSource = {
      caa: ({ host }) => {
        asked.push(host);
        return Promise.resolve({ outcome: 'none' });
      },
      registration: ({ host, now }) => {
        asked.push([host, now]);
        return Promise.resolve({ outcome: 'no_date', domain: 'site.test' });
      },
    };
    const seen = await posture(await openssl(), { domains });
    expect(seen).toMatchObject({
      at: NOW,
      caa: { outcome: 'none' },
      registration: { outcome: 'no_date', domain: 'site.test' },
    });
    expect(asked).toEqual(['site.test', ['site.test', NOW]]);
  });

  it('reports CAA and registration as unavailable if their sources hang or fail', async () => {
    const faults: unknown[] = [];
    const fault = new Error('a bug');
    const domains: DomainSource = {
      caa: () => new Promise(() => undefined),
      registration: () => Promise.reject(fault),
    };
    const looking = posture(await openssl(), { domains, onFault: (error) => faults.push(error) });
    await expect.poll(() => faults, STOPPED).toEqual([fault]);
    vi.advanceTimersByTime(10_250);
    expect(await looking).toMatchObject({
      caa: { outcome: 'unavailable' },
      registration: { outcome: 'unavailable', domain: 'site.test' },
    });
  });

  it('shows post-quantum support as unknown if its deadline is too short', async () => {
    const { port, ignored } = await startFilteredServer('silent');
    const looking = posture(port, { timeouts: { posture: 200 } });
    await ignored;
    vi.advanceTimersByTime(200);
    expect((await looking).postQuantum).toEqual({ state: 'unknown', group: 'X25519' });
  });

  it('includes the certificate for clients that send no ALPN if it is another one', async () => {
    const web = keep(await startTlsServer({ '*': ecdsa }, { ALPNProtocols: ['http/1.1'], serve }));
    const turn = root.issue({ dnsNames: ['turn.test'] });
    const other = keep(await startTlsServer({ '*': turn }));
    const { port } = keep(await listening(createAlpnProxy({ web: web.port, other: other.port })));
    expect((await posture(port, { protocol: 'https' })).withoutAlpn).toEqual({
      address: '127.0.0.1',
      presentedChain: [turn.der],
    });
    expect((await posture(web.port, { protocol: 'https' })).withoutAlpn).toBeUndefined();
    // A probe sends ALPN only for https, so with other protocols there is no second certificate to find.
    expect((await posture(port)).withoutAlpn).toBeUndefined();
  });

  it.each([2, 3])('does not take the rotation of %i certificates for a choice by ALPN', async (count) => {
    const leaves = Array.from({ length: count }, () => root.issue({ dnsNames: ['site.test'] }));
    const rotate = (): Promise<void> => {
      const [leaf = ecdsa] = leaves;
      leaves.push(...leaves.splice(0, 1));
      peer.setCertificate('*', leaf);
      return Promise.resolve();
    };
    // TLS 1.3 only: handshakes for older versions, which run at the same time, would rotate the certificates further.
    const peer = keep(await startTlsServer({ '*': ecdsa }, { minVersion: 'TLSv1.3', admit: rotate, serve }));
    expect((await posture(peer.port, { protocol: 'https' })).withoutAlpn).toBeUndefined();
  });
});
