import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AddressObservation, HandshakeObservation, Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { hasIpv6Loopback, keep, PATIENT } from '../kit/peers/loopback.ts';
import { mintAuthority, mintKey, selfSigned } from '../kit/certificates/mint.ts';
import {
  type OpensslOptions,
  type Peer,
  type ServerCertificate,
  startOpensslServer,
  startTlsServer,
  type TlsPeer,
  type TlsPeerOptions,
} from '../kit/peers/tls-server.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';

const NOW = Date.UTC(2030, 0, 2);
const policy = createAddressPolicy(['127.0.0.0/8', '::1/128'], () => []);
const root = mintAuthority();
const intermediate = root.intermediate();
const leaf = intermediate.issue({ dnsNames: ['site.test'] });

let names: DnsServer;

beforeAll(async () => {
  names = await startDnsServer({
    'site.test': { addresses: ['127.0.0.1'] },
    'both.test': { addresses: ['127.0.0.1', '::1'] },
    // Other programs do not listen at these addresses, so the port of our peer is free there.
    'three.test': { addresses: ['127.55.0.1', '127.55.0.2', '127.55.0.3'] },
    'xn--bcher-kva.test': { addresses: ['127.0.0.1'] },
  });
});
afterAll(() => names.stop());

async function openssl(certificate: ServerCertificate, options?: OpensslOptions): Promise<Peer> {
  return keep(await startOpensslServer(certificate, options));
}
async function tlsServer(
  certificates: Record<string, ServerCertificate>,
  options?: TlsPeerOptions,
): Promise<TlsPeer> {
  return keep(await startTlsServer(certificates, options));
}

function observe(host: string, port: number): Promise<Observation> {
  const resolver = createResolver({ servers: [names.address], policy });
  const probe = createProbe({ resolver, policy, now: () => NOW, sources: NO_SOURCES, timeouts: PATIENT });
  return probe.observe(
    { host, port, protocol: 'tls' },
    { signal: new AbortController().signal, trustStore: createTrustStore([]), withPosture: false },
  );
}
function shaken(observation: Observation, index = 0): HandshakeObservation {
  const address = observation.addresses[index] as AddressObservation;
  expect(address).toMatchObject({ outcome: 'handshake' });
  return address as HandshakeObservation;
}
function chainOf(address: HandshakeObservation): string[] {
  return address.presentedChain.map((der) => Buffer.from(der).toString('base64'));
}
function base64(...certificates: { der: Buffer }[]): string[] {
  return certificates.map(({ der }) => der.toString('base64'));
}

describe('A probe', () => {
  it('records chain, TLS version, cipher and group of an openssl s_server', async () => {
    const { port } = await openssl(leaf);
    const observation = await observe('site.test', port);
    expect(observation).toMatchObject({
      endpoint: { host: 'site.test', port },
      observedAt: NOW,
      resolution: { ok: true, addresses: ['127.0.0.1'] },
      addresses: [
        {
          address: '127.0.0.1',
          family: 4,
          outcome: 'handshake',
          tlsVersion: 'TLSv1.3',
          cipher: 'TLS_AES_128_GCM_SHA256',
          group: 'X25519',
          legacyTls: false,
        },
      ],
    });
    expect(chainOf(shaken(observation))).toEqual(base64(leaf, intermediate));
  });

  it.each([
    ['TLS 1.2', ['-tls1_2'], { tlsVersion: 'TLSv1.2', group: 'X25519' }],
    ['P-256 only', ['-groups', 'P-256'], { group: 'P-256' }],
    ['P-384 only', ['-groups', 'P-384'], { group: 'P-384' }],
    ['P-521 only', ['-groups', 'P-521'], { group: 'P-521' }],
    ['X448 only', ['-groups', 'X448'], { group: 'X448' }],
    ['ffdhe2048 only', ['-groups', 'ffdhe2048'], { tlsVersion: 'TLSv1.3', group: 'DH, 2048 bits' }],
    ['P-384 only on TLS 1.2', ['-tls1_2', '-groups', 'P-384'], { group: 'P-384' }],
    ['TLS 1.3 with a required client certificate', ['-Verify', '1'], { tlsVersion: 'TLSv1.3' }],
  ])('completes the handshake with a server configured for %s', async (_name, more, expected) => {
    const { port } = await openssl(leaf, { arguments: more });
    const address = shaken(await observe('site.test', port));
    expect(address).toMatchObject({ ...expected, legacyTls: false });
    expect(chainOf(address)).toEqual(base64(leaf, intermediate));
  });

  it.each(['P-384', 'P-521', 'RSA-2048'] as const)('reads a leaf with a key of %s', async (key) => {
    const other = intermediate.issue({ dnsNames: ['site.test'], key });
    const { port } = await openssl(other);
    expect(chainOf(shaken(await observe('site.test', port)))).toEqual(base64(other, intermediate));
  });

  it('reads a leaf with a weak key', async () => {
    const weak = intermediate.issue({ dnsNames: ['site.test'], key: 'RSA-1024' });
    const { port } = await openssl(weak, { arguments: ['-cipher', 'DEFAULT:@SECLEVEL=0', '-tls1_2'] });
    expect(chainOf(shaken(await observe('site.test', port)))).toEqual(base64(weak, intermediate));
  });

  it.each([
    ['TLS 1.0 only', ['-tls1', '-cipher', 'DEFAULT:@SECLEVEL=0']],
    ['TLS 1.1 only', ['-tls1_1', '-cipher', 'DEFAULT:@SECLEVEL=0']],
    ['CBC with SHA-1 and RSA key exchange only', ['-tls1_2', '-cipher', 'AES128-SHA:@SECLEVEL=0', '-no_etm']],
  ])('connects to a server configured for %s with legacy settings', async (name, more) => {
    const rsa = intermediate.issue({ dnsNames: ['site.test'], key: 'RSA-2048' });
    const { port } = await openssl(rsa, { arguments: more });
    const address = shaken(await observe('site.test', port));
    // The last configuration is old, but today's clients still accept it.
    expect(address.legacyTls).toBe(name.startsWith('TLS 1.'));
    expect(chainOf(address)).toEqual(base64(rsa, intermediate));
  });

  it('keeps stray certificates, order and roots as they were sent', async () => {
    const stray = selfSigned({ commonName: 'stray' });
    const chainPem = [stray, root, intermediate].map(({ certificatePem }) => certificatePem).join('');
    const peer = await tlsServer({ '*': { ...leaf, chainPem } });
    expect(chainOf(shaken(await observe('site.test', peer.port)))).toEqual(
      base64(leaf, stray, root, intermediate),
    );
  });

  it('keeps a leaf that is sent alone and a self-signed leaf', async () => {
    const alone = await tlsServer({ '*': { ...leaf, chainPem: '' } });
    expect(chainOf(shaken(await observe('site.test', alone.port)))).toEqual(base64(leaf));
    const own = selfSigned({ dnsNames: ['site.test'] });
    const peer = await tlsServer({ '*': own });
    expect(chainOf(shaken(await observe('site.test', peer.port)))).toEqual(base64(own));
  });

  it('reads 256 certificates of a chain and marks a longer chain as cut', async () => {
    const key = mintKey();
    const links = Array.from({ length: 256 }, (_, index) =>
      selfSigned({
        commonName: `${index}`,
        key,
        keyIdentifiers: null,
        keyUsage: null,
        extendedKeyUsage: null,
      }),
    );
    const seenOf = async (sent: typeof links) => {
      const chainPem = sent.map(({ certificatePem }) => certificatePem).join('');
      const peer = await tlsServer({ '*': { ...leaf, chainPem } });
      return shaken(await observe('site.test', peer.port));
    };
    const cut = await seenOf(links);
    expect(chainOf(cut)).toEqual(base64(leaf, ...links.slice(0, 255)));
    expect(cut.chainCut).toBe(true);
    expect(await seenOf(links.slice(0, 255))).not.toHaveProperty('chainCut');
  });

  it('sends the name as SNI in A-labels, and none for an IP address', async () => {
    const other = intermediate.issue({ dnsNames: ['xn--bcher-kva.test'] });
    const byAddress = intermediate.issue({ ipAddresses: ['127.0.0.1'] });
    const peer = await tlsServer({ 'site.test': leaf, 'xn--bcher-kva.test': other, '*': byAddress });
    const leaves = await Promise.all(
      ['site.test', 'xn--bcher-kva.test', '127.0.0.1'].map(async (host) =>
        chainOf(shaken(await observe(host, peer.port))).at(0),
      ),
    );
    expect(leaves).toEqual(base64(leaf, other, byAddress));
    // The server got our Finished message. So a probe leaves no failed handshake in its log.
    await expect.poll(() => peer.serverNames).toHaveLength(3);
    expect(peer.serverNames).toEqual(expect.arrayContaining(['site.test', 'xn--bcher-kva.test', null]));
  });

  it('reads a renewed certificate at the next probe', async () => {
    const renewed = intermediate.issue({ dnsNames: ['site.test'] });
    const peer = await tlsServer({ 'site.test': leaf });
    expect(chainOf(shaken(await observe('site.test', peer.port))).at(0)).toBe(base64(leaf)[0]);
    peer.setCertificate('site.test', renewed);
    expect(chainOf(shaken(await observe('site.test', peer.port))).at(0)).toBe(base64(renewed)[0]);
  });

  it.skipIf(!hasIpv6Loopback())('probes IPv4 and IPv6 and keeps both chains', async () => {
    const old = intermediate.issue({ dnsNames: ['both.test'] });
    const four = await tlsServer({ '*': leaf });
    await tlsServer({ '*': old }, { host: '::1', port: four.port });
    const observation = await observe('both.test', four.port);
    expect(observation.addresses.map(({ address, family }) => [address, family])).toEqual([
      ['127.0.0.1', 4],
      ['::1', 6],
    ]);
    expect(chainOf(shaken(observation, 0)).at(0)).toBe(base64(leaf)[0]);
    expect(chainOf(shaken(observation, 1)).at(0)).toBe(base64(old)[0]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'keeps the staple of a %s server as it was sent',
    async (version) => {
      const staple = Buffer.from('300a0a0100a0050403010203', 'hex');
      const peer = await tlsServer({ '*': leaf }, { staple, minVersion: version, maxVersion: version });
      const { staple: kept } = shaken(await observe('site.test', peer.port));
      expect(Buffer.from(kept ?? []).toString('hex')).toBe(staple.toString('hex'));
      const without = await tlsServer({ '*': leaf }, { minVersion: version, maxVersion: version });
      expect(shaken(await observe('site.test', without.port)).staple).toBeNull();
    },
  );

  it('probes the first 20 of 25 addresses without a process warning', async () => {
    const addresses = Array.from({ length: 25 }, (_, index) => `127.0.1.${index + 1}`);
    names.entries.set('twenty.test', { addresses });
    const peer = await tlsServer({ '*': leaf }, { host: '0.0.0.0' });
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on('warning', keep);
    const observation = await observe('twenty.test', peer.port);
    await new Promise((settled) => setImmediate(settled));
    process.off('warning', keep);
    expect(observation.addresses.map(({ address, outcome }) => [address, outcome])).toEqual(
      addresses.slice(0, 20).map((address) => [address, 'handshake']),
    );
    expect(warnings).toEqual([]);
  });

  it('keeps addresses that answer beside ones that do not', async () => {
    const peer = await tlsServer({ '*': leaf }, { host: '127.55.0.2' });
    const observation = await observe('three.test', peer.port);
    expect(observation.addresses.map(({ outcome }) => outcome)).toEqual(['failed', 'handshake', 'failed']);
    expect(observation.addresses[0]).toMatchObject({ stage: 'connect', reason: 'refused', tlsAlert: null });
  });

  it.each([
    ['NUL, CRLF and a Bcc line in the name', { commonName: 'evil\0.test\r\nBcc: all@example.com' }],
    ['a script as organisation', { organization: '<script>alert(1)</script>' }],
    ['a negative serial number', { serialNumber: -5n }],
    ['a notAfter in the year 9999', { notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) }],
    ['two thousand names', { dnsNames: Array.from({ length: 2_000 }, (_, index) => `n${index}.site.test`) }],
    ['no names at all', { dnsNames: [] }],
  ])('reads a certificate with %s', async (_name, options) => {
    const odd = intermediate.issue({ dnsNames: ['site.test'], ...options });
    const peer = await tlsServer({ '*': odd });
    expect(chainOf(shaken(await observe('site.test', peer.port))).at(0)).toBe(base64(odd)[0]);
  });
});
