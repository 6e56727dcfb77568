import { describe, expect, it } from 'vitest';
import type { Client } from '../../contract/check-words.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { connectingClients } from '../../server/core/judge/clients/refusals.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { CLIENT_OFFERS } from '../../server/probe/client-offers.ts';
import { offerContext } from '../../server/probe/tls-contexts.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { createHelloRouter, extensionNumbers, type ReadHello } from '../kit/peers/hello-proxies.ts';
import { speakingHttp2 } from '../kit/peers/http2-peers.ts';
import { keep, PATIENT } from '../kit/peers/loopback.ts';
import { listening, type Peer, startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';

const HOST = 'site.test';
const DAY = 86_400_000;
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority({ commonName: 'Root' });
const trustStore = createTrustStore([root.der]);
const resolver = {
  resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }),
  caa: () => Promise.resolve({ ok: true as const, records: [] }),
};

const issue = (options: CertificateOptions = {}): MintedCertificate =>
  root.issue({ dnsNames: [HOST], extendedKeyUsage: ['serverAuth'], ...options });
const EXPIRED = { notBefore: Date.now() - 2 * DAY, notAfter: Date.now() - DAY };

const serving = async (leaves: readonly MintedCertificate[], options: TlsPeerOptions = {}) =>
  keep(await startTlsServer({ '*': leaves }, { serve: (_request, response) => response.end(), ...options }));

interface Check {
  protocol?: Protocol;
  withPosture?: boolean;
  previous?: Verdict | null;
}

async function check(
  { port }: Peer,
  { protocol = 'https', withPosture = true, previous = null }: Check = {},
): Promise<Verdict> {
  const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES, timeouts: PATIENT });
  const signal = AbortSignal.timeout(60_000);
  const seen = await probe.observe({ host: HOST, port, protocol }, { signal, trustStore, withPosture });
  return judge(seen, Date.now(), trustStore, previous);
}

const said = ({ findings }: Verdict) => findings.map(({ code, severity }) => `${severity} ${code}`);
const refusing = (verdict: Verdict, protocol: Protocol = 'https'): Client[] =>
  connectingClients(verdict, protocol).flatMap(({ client, connects }) => (connects ? [] : [client]));
const BY_CLIENT = { honorCipherOrder: false };

describe('A web server that prefers its Ed25519 certificate to its RSA certificate', () => {
  const PREFERRED = { sigalgs: 'ed25519:rsa_pss_rsae_sha256:ECDSA+SHA256' };
  const withEd25519: Client[] = ['openssl', 'go', 'java', 'gnutls'];
  const withRsa: Client[] = ['chromium', 'firefox', 'apple', 'windows'];

  it('has no findings, because browsers get the RSA certificate', async () => {
    const [ed25519, rsa] = [issue({ key: 'Ed25519' }), issue({ key: 'RSA-2048' })];
    const verdict = await check(await serving([ed25519, rsa], PREFERRED));
    expect(verdict.leafFingerprint).toBe(rsa.fingerprint);
    expect(verdict.posture).toMatchObject({
      alternates: [
        { keyType: 'ed25519', certificate: { fingerprint: ed25519.fingerprint }, clients: withEd25519 },
      ],
      usual: { keyType: 'rsa', clients: withRsa },
    });
    expect(verdict).toMatchObject({ findings: [], trusted: true });
  });

  it('has a critical finding for the clients that get the Ed25519 certificate if that has expired', async () => {
    const leaves = [issue({ key: 'Ed25519', ...EXPIRED }), issue({ key: 'RSA-2048' })];
    const verdict = await check(await serving(leaves, PREFERRED));
    expect(verdict).toMatchObject({ trusted: false });
    expect(said(verdict)).toContain('critical expired');
    expect(refusing(verdict)).toEqual(withEd25519);
  });

  it('has a critical finding for browsers and Windows if the RSA certificate has expired', async () => {
    const leaves = [issue({ key: 'Ed25519' }), issue({ key: 'RSA-2048', ...EXPIRED })];
    const verdict = await check(await serving(leaves, PREFERRED));
    expect(said(verdict)).toContain('critical expired');
    expect(refusing(verdict)).toEqual(withRsa);
  });

  it('has the same findings in later checks without a posture, and after a renewal', async () => {
    const ed25519 = issue({ key: 'Ed25519' });
    const server = await serving([ed25519, issue({ key: 'RSA-2048', ...EXPIRED })], PREFERRED);
    const first = await check(server);
    const later = { withPosture: false, previous: first };
    expect(refusing(await check(server, later))).toEqual(withRsa);
    server.setCertificate('*', [ed25519, issue({ key: 'RSA-3072', ...EXPIRED })]);
    expect(refusing(await check(server, later))).toEqual(withRsa);
    // Serve an ECDSA certificate in its place. Only the next posture check shows who gets it.
    server.setCertificate('*', [ed25519, issue(EXPIRED)]);
    expect(refusing(await check(server, later))).toHaveLength(8);
  });
});

describe('A server that lets the client choose', () => {
  it('gets a warning about an RSA certificate that only Go, GnuTLS and Windows choose', async () => {
    const verdict = await check(await serving([issue(), issue({ key: 'RSA-2048', ...EXPIRED })], BY_CLIENT));
    expect(said(verdict)).toContain('warning expired');
    expect(verdict.trusted).toBe(true);
    expect(refusing(verdict)).toEqual(['go', 'gnutls', 'windows']);
  });

  it('is judged only for clients that speak its protocol', async () => {
    const server = await serving([issue(EXPIRED), issue({ key: 'RSA-2048' })], BY_CLIENT);
    const verdict = await check(server, { protocol: 'tls' });
    expect(verdict.posture?.usual?.clients).toEqual(['apple', 'openssl', 'java']);
    expect(refusing(verdict, 'tls')).toEqual(['apple', 'openssl', 'java']);
  });
});

const ED25519 = 0x0807;
const ECDSA_P521 = 0x0603;

/** Starts two servers, and a proxy that connects some clients to the second one. */
async function startRoutedServers(
  first: MintedCertificate,
  second: MintedCertificate,
  takesSecond: (hello: ReadHello) => boolean,
  ofSecond: TlsPeerOptions = {},
): Promise<Peer> {
  const [usual, other] = [await serving([first]), await serving([second], ofSecond)];
  const router = createHelloRouter((hello) => (takesSecond(hello) ? other.port : usual.port));
  return keep(await listening(router));
}

const ECDSA_P256 = 0x0403;
const ECDSA_SHA1 = 0x0203;
const ML_KEM = 0x11ec;
/** A port at which nothing listens. */
const CLOSED_PORT = 1;

it('A server that shows Firefox another certificate, with a cipher that HTTP/2 forbids, is refused by Firefox', async () => {
  const takesSecond = ({ signatures }: ReadHello): boolean => signatures.includes(ECDSA_SHA1);
  const http2 = { ALPNProtocols: ['h2'], http2: speakingHttp2 };
  const old = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA', ...http2 } as const;
  const verdict = await check(
    await startRoutedServers(issue(), issue({ key: 'RSA-2048' }), takesSecond, old),
  );
  expect(verdict.findings.map(({ facts }) => facts)).toContainEqual(
    expect.objectContaining({ kind: 'refused_by_clients', rule: 'http2_cipher' }),
  );
  expect(refusing(verdict)).toEqual(['firefox']);
});

it('A server that shows another certificate to clients with ML-KEM is judged by what these clients get', async () => {
  const second = issue(EXPIRED);
  const verdict = await check(
    await startRoutedServers(issue(), second, (hello) => extensionNumbers(hello, 10).includes(ML_KEM)),
  );
  expect(said(verdict)).toContain('critical expired');
  expect(refusing(verdict)).toEqual(['chromium', 'firefox', 'apple', 'openssl', 'go']);
});

it('A server of TLS 1.2 that prefers DHE shows the RSA certificate to clients that offer DHE', async () => {
  const DHE = 'DHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256';
  const server = await serving([issue(), issue({ key: 'RSA-2048', ...EXPIRED })], {
    maxVersion: 'TLSv1.2',
    ciphers: DHE,
    dhparam: 'auto',
  });
  expect(refusing(await check(server))).toEqual(['openssl', 'java', 'gnutls']);
});

it('A web server that closes the first connection for each offer is asked again', async () => {
  const known = new Set<string>();
  const usual = await serving([issue()]);
  const other = await serving([issue({ key: 'RSA-2048', ...EXPIRED })]);
  const choose = ({ ciphers, signatures }: ReadHello): number => {
    if (!signatures.includes(ED25519)) return signatures.includes(ECDSA_P256) ? usual.port : other.port;
    const offer = `${ciphers.join()} ${signatures.join()}`;
    if (known.has(offer)) return other.port;
    known.add(offer);
    return CLOSED_PORT;
  };
  const verdict = await check(keep(await listening(createHelloRouter(choose))));
  expect(refusing(verdict)).toEqual(['openssl', 'go', 'java', 'gnutls']);
});

describe('A server with two certificates of one key type', () => {
  it('shows which clients get which of two RSA certificates', async () => {
    const second = issue({ key: 'RSA-2048', ...EXPIRED });
    const server = await startRoutedServers(issue({ key: 'RSA-2048' }), second, ({ signatures }) =>
      signatures.includes(ED25519),
    );
    const verdict = await check(server);
    expect(refusing(verdict)).toEqual(['openssl', 'go', 'java', 'gnutls']);
    expect(said(verdict)).toContain('critical expired');
  });

  it('shows which clients get which of two ECDSA certificates, with no handshake whose only purpose is to find a second one', async () => {
    const second = issue({ key: 'P-384', ...EXPIRED });
    const server = await startRoutedServers(issue(), second, ({ signatures }) =>
      signatures.includes(ECDSA_P521),
    );
    const verdict = await check(server);
    expect(refusing(verdict)).toEqual(['firefox', 'openssl', 'go', 'java', 'gnutls', 'windows']);
    expect(verdict.posture?.alternates).toMatchObject([
      { keyType: 'ecdsa', certificate: { fingerprint: second.fingerprint } },
    ]);
  });

  it.each([2, 3])('names no clients if %i servers answer in rotation', async (count) => {
    const leaves = Array.from({ length: count }, () => issue(EXPIRED));
    const rotate = (): Promise<void> => {
      leaves.push(...leaves.splice(0, 1));
      peer.setCertificate('*', leaves[0] ?? []);
      return Promise.resolve();
    };
    const peer = await serving(leaves.slice(0, 1), { admit: rotate, minVersion: 'TLSv1.3' });
    const verdict = await check(peer, { protocol: 'tls' });
    expect(verdict.posture?.usual).toBeUndefined();
    expect(verdict.posture?.alternates.some(({ clients }) => clients !== undefined)).toBe(false);
    expect(refusing(verdict, 'tls')).toHaveLength(6);
  });
});

/** Connections of the posture check that end after the ServerHello. */
const CLIENT_HELLOS = 2;

describe('A check', () => {
  it('connects twice to a web server with only an Ed25519 certificate, and once if the protocol is not https', async () => {
    const server = await serving([issue({ key: 'Ed25519' })], { minVersion: 'TLSv1.3' });
    const verdict = await check(server, { withPosture: false });
    expect(verdict.findings).toMatchObject([{ facts: { rule: 'ed25519_key' } }]);
    expect(server.accepted()).toBe(2);
    await check(server, { protocol: 'tls', withPosture: false });
    expect(server.accepted()).toBe(3);
  });

  it('with posture opens nine connections to a web server with one certificate', async () => {
    const server = await serving([issue()]);
    await check(server);
    expect(server.accepted()).toBe(7 + CLIENT_HELLOS);
  });

  it('with posture opens 12 more connections to a web server with two certificates', async () => {
    const server = await serving([issue(), issue({ key: 'RSA-2048' })], BY_CLIENT);
    await check(server);
    // Nine offers. Then, to rule out that certificates rotate, the usual offer twice and the offer of the first client that
    // got another leaf.
    expect(server.accepted()).toBe(7 + 12 + CLIENT_HELLOS);
  });

  it('with posture opens 16 connections to a server of another protocol with two certificates', async () => {
    const server = await serving([issue(), issue({ key: 'RSA-2048' })], BY_CLIENT);
    await check(server, { protocol: 'tls' });
    // One more to find the RSA certificate. Then seven offers (browsers do not speak the protocol), and three to rule out
    // that certificates rotate.
    expect(server.accepted()).toBe(5 + 1 + 10);
  });
});

it('OpenSSL can make the offer of every client', () => {
  expect(CLIENT_OFFERS.filter(({ offer }) => offerContext(offer) === null)).toEqual([]);
});
