import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { assessUptime } from '../../server/core/check/uptime.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createProbe, type ProbeOptions } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { HOSTILE_CHAINS } from '../kit/certificates/hostile-chains.ts';
import { leastGrowth } from '../kit/machine/memory.ts';
import { keep, PATIENT, stopPeers, stopTimers } from '../kit/peers/loopback.ts';
import { mintAuthority, selfSigned } from '../kit/certificates/mint.ts';
import {
  alerting,
  closing,
  dripping,
  flooding,
  greeting,
  plainHttp,
  presenting,
  type RawPeer,
  resetting,
  silent,
  startRawPeer,
} from '../kit/peers/raw-peers.ts';
import { sequence, time, tlv } from '../kit/certificates/der-writer.ts';
import { startOpensslServer, startTlsServer } from '../kit/peers/tls-server.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { promise } from '../security/promise.ts';

const policy = createAddressPolicy(['127.0.0.0/8', '::1/128'], () => []);
const root = mintAuthority();
const leaf = root.issue({ dnsNames: ['site.test'] });
const never = new AbortController().signal;

let names: DnsServer;

beforeAll(async () => {
  names = await startDnsServer({
    'site.test': { addresses: ['127.0.0.1'] },
    'eight.test': { addresses: Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 1}`) },
    'silent-dns.test': { answer: 'silent' },
    'private.test': { addresses: ['10.0.0.1'] },
    'nowhere.test': { addresses: ['::2'] },
  });
});
afterAll(() => names.stop());

async function raw(behave: Parameters<typeof startRawPeer>[0]): Promise<RawPeer> {
  return keep(await startRawPeer(behave));
}
function observe(
  host: string,
  port: number,
  { signal = never, timeouts, ...options }: Partial<ProbeOptions> & { signal?: AbortSignal } = {},
): Promise<Observation> {
  const resolver = createResolver({ servers: [names.address], policy: options.policy ?? policy });
  return createProbe({
    resolver,
    policy,
    now: Date.now,
    sources: NO_SOURCES,
    timeouts: { ...PATIENT, ...timeouts },
    ...options,
  }).observe(
    { host, port, protocol: 'tls' },
    { signal, trustStore: createTrustStore([root.der]), withPosture: false },
  );
}
const shortTime = root.issue({
  editFields: (fields) => fields.with(4, sequence(tlv(0x17, Buffer.from('2601010000Z')), time(Date.now()))),
});
const handshakeFailed = (reason: string, more: object = {}) => ({
  addresses: [{ outcome: 'failed', stage: 'handshake', reason, ...more }],
});

describe('A hostile or broken peer', () => {
  it.each([
    ['speaks HTTP without TLS', plainHttp, 'not_tls', null],
    ['sends a greeting first', greeting, 'not_tls', null],
    ['resets the connection', resetting, 'reset', null],
    ['hangs up', closing, 'closed', null],
    ['does not know the server name', alerting(112), 'tls_alert', 112],
    ['refuses the handshake', alerting(40), 'tls_alert', 40],
    ['reports an internal error', alerting(80), 'tls_alert', 80],
    ['wants another protocol version', alerting(70), 'protocol_version', 70],
    [
      'presents bytes as its certificate',
      presenting(Buffer.from('300a020100')),
      'unreadable_certificate',
      null,
    ],
    [
      'presents a certificate with a time that is too short',
      presenting(shortTime.der),
      'unreadable_certificate',
      null,
    ],
    ['sends endless empty records', flooding(Buffer.from([0x16, 0x03, 0x03, 0, 0])), 'other', null],
    ['sends endless change cipher specs', flooding(Buffer.from([0x14, 0x03, 0x03, 0, 1, 1])), 'other', null],
    ['sends endless zeros', flooding(Buffer.alloc(65_536)), 'not_tls', null],
  ])(
    'a hostile or broken peer that %s leads to a failed handshake with a reason',
    async (_name, manners, reason, tlsAlert) => {
      const { port } = await raw(manners);
      expect(await observe('site.test', port)).toMatchObject(handshakeFailed(reason, { tlsAlert }));
    },
  );

  it.each([
    [112, 1],
    [40, 2],
    [70, 2],
    [71, 2],
  ])(
    'a hostile or broken peer that sends alert %i gets %i handshakes: a second one only if older settings could help',
    async (alert, looks) => {
      const peer = await raw(alerting(alert));
      await observe('site.test', peer.port);
      expect(peer.accepted()).toBe(looks);
    },
  );

  it.each([
    ['silent', silent],
    ['dripping', dripping],
  ])('a hostile or broken peer that is %s is given up at the handshake deadline', async (_name, manners) => {
    const { port } = await raw(manners);
    const timeouts = { handshake: 300 };
    const observation = await observe('site.test', port, { timeouts });
    expect(observation).toMatchObject(handshakeFailed('timeout'));
    expect(observation.durationMs).toBeGreaterThanOrEqual(299);
    promise('hostile-peers');
  });

  it('a hostile or broken peer that is silent is given up at the deadline of the check', async () => {
    const begun = Promise.withResolvers<void>();
    const { port } = await raw((socket) => socket.once('data', () => begun.resolve()));
    stopTimers();
    const pending = observe('site.test', port, { timeouts: { check: 300 } });
    await begun.promise;
    vi.advanceTimersByTime(300);
    expect(await pending).toMatchObject(handshakeFailed('timeout'));
  });

  it('a hostile or broken peer that is silent is given up when the caller aborts', async () => {
    const peer = await raw(silent);
    const controller = new AbortController();
    const pending = observe('site.test', peer.port, { signal: controller.signal });
    await peer.connected;
    controller.abort();
    expect(await pending).toMatchObject({ addresses: [{ outcome: 'failed', reason: 'timeout' }] });
    expect(await observe('site.test', peer.port, { signal: AbortSignal.abort() })).toMatchObject({
      addresses: [],
    });
  });

  it('a hostile or broken peer that sends too many certificates fails as too_large', async () => {
    const link = selfSigned({ organization: 'x'.repeat(1_000) }).certificatePem;
    const peer = keep(await startTlsServer({ '*': { ...leaf, chainPem: link.repeat(400) } }));
    expect(await observe('site.test', peer.port)).toMatchObject(handshakeFailed('too_large'));
    promise('hostile-peers');
  });

  it('a hostile or broken peer that sends one certificate of more than 100 kB fails as too_large, and a smaller one is read', async () => {
    const withNames = (count: number) =>
      selfSigned({ dnsNames: Array.from({ length: count }, (_, index) => `name${index}.site.test`) });
    const [large, huge] = [withNames(4_800), withNames(5_200)];
    expect(large.der.length).toBeLessThan(100 * 1024);
    expect(huge.der.length).toBeGreaterThan(100 * 1024);
    const peer = keep(await startTlsServer({ '*': huge }));
    expect(await observe('site.test', peer.port)).toMatchObject(handshakeFailed('too_large'));
    peer.setCertificate('*', large);
    const { addresses } = await observe('site.test', peer.port);
    expect(addresses).toMatchObject([
      { outcome: 'handshake', presentedChain: [{ length: large.der.length }] },
    ]);
  });

  it('a hostile or broken peer with a very expensive chain at eight addresses is read at one of them, and counts as up', async () => {
    const [first, ...others] = HOSTILE_CHAINS['constraints in eight certificates']?.(root) ?? [];
    if (first === undefined) throw new Error('no chain');
    const chainPem = others.map(({ certificatePem }) => certificatePem).join('');
    const peer = keep(await startTlsServer({ '*': { ...first, chainPem } }, { host: '0.0.0.0' }));
    const observation = await observe('eight.test', peer.port);
    const outcomes = observation.addresses.map((seen) =>
      seen.outcome === 'handshake' ? 'handshake' : `${seen.stage} ${seen.reason}`,
    );
    expect(outcomes.toSorted()).toEqual([
      'handshake',
      ...Array.from({ length: 7 }, () => 'handshake too_large'),
    ]);
    expect(assessUptime(observation).state).toBe('up');
    peer.setCertificate('*', leaf);
    peer.setCertificate('eight.test', leaf);
    const { addresses } = await observe('eight.test', peer.port);
    expect(addresses.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => 'handshake'));
  });

  it('a hostile or broken peer that staples more than the limit fails as too_large', async () => {
    const peer = keep(
      await startTlsServer({ '*': leaf }, { staple: Buffer.alloc(90_000), maxVersion: 'TLSv1.2' }),
    );
    expect(await observe('site.test', peer.port)).toMatchObject(handshakeFailed('too_large'));
  });

  it.each([16_384, 65_536])(
    'a hostile or broken peer that sends an authority with an RSA key of %i bits is read with less than three seconds of CPU time',
    async (bits) => {
      const modulus = Buffer.alloc(bits / 8, 0xff).toString('base64url');
      const publicKey = createPublicKey({
        key: { kty: 'RSA', n: modulus, e: Buffer.from('0100000001', 'hex').toString('base64url') },
        format: 'jwk',
      });
      const authority = root.intermediate({ key: { publicKey, privateKey: root.key.privateKey } });
      const peer = keep(await startTlsServer({ '*': { ...leaf, chainPem: authority.certificatePem } }));
      const before = process.threadCpuUsage();
      const observation = await observe('site.test', peer.port);
      expect(observation).toMatchObject({ addresses: [{ outcome: 'handshake' }] });
      const { user, system } = process.threadCpuUsage(before);
      expect(user + system).toBeLessThan(3_000_000);
    },
  );

  it('a hostile or broken peer that requires a client certificate on TLS 1.2 is read with its own certificate', async () => {
    const expired = root.issue({ dnsNames: ['site.test'], notAfter: new Date('2020-01-01') });
    const peer = keep(await startOpensslServer(expired, { arguments: ['-tls1_2', '-Verify', '1'] }));
    expect(await observe('site.test', peer.port)).toMatchObject({
      addresses: [
        { outcome: 'handshake', presentedChain: [expired.der], tlsVersion: 'TLSv1.2', legacyTls: false },
      ],
      http: null,
    });
  });

  it('a hostile or broken peer that sends alert 40 before its certificate fails with that alert', async () => {
    const { port } = await raw(alerting(40));
    expect(await observe('site.test', port)).toMatchObject(handshakeFailed('tls_alert', { tlsAlert: 40 }));
  });

  it('a peer without an open port leads to a refused connection', async () => {
    const { port } = await raw(silent);
    // The peer uses its port on 127.0.0.1 only, so nothing listens on that port at another loopback address.
    expect(await observe('127.55.0.9', port)).toMatchObject({
      addresses: [{ outcome: 'failed', stage: 'connect', reason: 'refused', detail: 'ECONNREFUSED' }],
    });
  });
});

describe('A probe', () => {
  it.each([
    ['missing.test', 'dns', 'name_not_found'],
    ['private.test', 'dns', 'name_not_found'],
    ['10.0.0.1', 'policy', 'address_refused'],
    ['169.254.169.254', 'policy', 'address_refused'],
  ])('a probe of %s fails in the stage %s with %s', async (host, stage, reason) => {
    expect(await observe(host, 443)).toMatchObject({
      resolution: { ok: false, stage, reason },
      addresses: [],
    });
  });

  it('ends at the check’s deadline if the name server is silent', async () => {
    const asked = Promise.withResolvers<void>();
    names.onQuestion = (_type, name) => {
      if (name === 'silent-dns.test') asked.resolve();
    };
    stopTimers();
    const pending = observe('silent-dns.test', 443, { timeouts: { check: 300 } });
    await asked.promise;
    // If only the resolver gave up, it would take 5 s.
    vi.advanceTimersByTime(300);
    expect(await pending).toMatchObject({
      resolution: { ok: false, reason: 'dns_timeout' },
      addresses: [],
    });
    names.onQuestion = () => undefined;
  });

  it('connects to the address that was checked, even if DNS changes meanwhile', async () => {
    const peer = keep(await startTlsServer({ '*': leaf }));
    names.entries.set('flip.test', { addresses: ['127.0.0.1'], ttlSeconds: 0 });
    let asked = 0;
    names.onQuestion = (_type, name) => {
      if (name === 'flip.test') asked += 1;
      if (name === 'flip.test' && asked === 2)
        setImmediate(() => names.entries.set('flip.test', { addresses: ['10.0.0.1'], ttlSeconds: 0 }));
    };
    expect(await observe('flip.test', peer.port)).toMatchObject({
      addresses: [{ address: '127.0.0.1', outcome: 'handshake' }],
    });
    expect(asked).toBe(2);
    names.onQuestion = () => undefined;
    expect(await observe('flip.test', peer.port)).toMatchObject({
      resolution: { reason: 'name_not_found' },
    });
  });

  it('refuses a forbidden address even if the resolver returns it', async () => {
    const peer = await raw(silent);
    const lying = {
      resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1', '10.0.0.1'] }),
    };
    const closed = createAddressPolicy([], () => []);
    expect(await observe('site.test', peer.port, { resolver: lying, policy: closed })).toMatchObject({
      addresses: [
        { outcome: 'failed', stage: 'policy', reason: 'address_refused' },
        { outcome: 'failed', stage: 'policy', reason: 'address_refused' },
      ],
    });
    expect(peer.accepted()).toBe(0);
  });
});

describe('Probing', () => {
  it('leaves no socket and no timer behind', async () => {
    const open = (): number => process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length;
    const before = open();
    const peers = await Promise.all([raw(silent), raw(alerting(70)), raw(resetting), raw(plainHttp)]);
    const tls = keep(await startTlsServer({ '*': leaf }));
    const looks = [...peers, tls].map(({ port }) =>
      observe('site.test', port, { timeouts: { handshake: 200 } }),
    );
    await Promise.all(looks);
    await stopPeers();
    await expect.poll(open).toBeLessThanOrEqual(before);
  });

  it('does not leak memory over hundreds of bad certificates', async () => {
    const bad = selfSigned({ dnsNames: Array.from({ length: 400 }, (_, index) => `n${index}.site.test`) });
    const peer = keep(await startTlsServer({ '*': bad }));
    const growth = await leastGrowth(async () => {
      for (let batch = 0; batch < 5; batch++)
        await Promise.all(Array.from({ length: 20 }, () => observe('127.0.0.1', peer.port)));
    });
    expect(growth).toBeLessThan(24 * 1024 * 1024);
  });
});
