import { describe, expect, it, vi } from 'vitest';
import { KEY_TYPES } from '../../contract/check-words.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { untestedPosture } from '../../server/core/report/report-posture.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { EMPTY_DNS } from '../kit/peers/sources.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import { type KeyChoice, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { createHelloRouter } from '../kit/peers/hello-proxies.ts';
import { keep, PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { startGatedServer } from '../kit/peers/gated-server.ts';
import { listening, startTlsServer } from '../kit/peers/tls-server.ts';
import { postureAfter, startHoldingServer } from './posture-after.ts';

const HOST = 'site.test';
const DAY = 86_400_000;
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority({ commonName: 'Root' });
const pqRoot = mintAuthority({ commonName: 'Post-Quantum Root', key: 'ML-DSA-65' });
const trustStore = createTrustStore([root.der, pqRoot.der]);
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
const ecdsa = root.issue({ dnsNames: [HOST] });
/** Code point of mldsa65 (draft-ietf-tls-mldsa). */
const ML_DSA_65 = 0x0905;

const servingAll = async (leaves: readonly MintedCertificate[]) =>
  keep(await startTlsServer({ '*': leaves }));

async function verdictAt(port: number, sources = NO_SOURCES): Promise<Verdict> {
  const probe = createProbe({ resolver, policy, now: Date.now, sources, timeouts: PATIENT });
  const target = { host: HOST, port, protocol: 'tls' } as const;
  const signal = AbortSignal.timeout(60_000);
  return judge(
    await probe.observe(target, { signal, trustStore, withPosture: true }),
    Date.now(),
    trustStore,
  );
}
const said = ({ findings }: Verdict) => findings.map(({ code, severity }) => `${severity} ${code}`);

describe('A server with certificates for several key types', () => {
  const types: Record<string, KeyChoice> = {
    'rsa-pss': 'RSA-PSS-2048',
    ed25519: 'Ed25519',
    ed448: 'Ed448',
    'ml-dsa-44': 'ML-DSA-44',
    'ml-dsa-65': 'ML-DSA-65',
    'ml-dsa-87': 'ML-DSA-87',
  };

  it('shows all of these certificates', async () => {
    const others = Object.values({ rsa: 'RSA-2048' as const, ...types }).map((key) =>
      root.issue({ dnsNames: [HOST], key }),
    );
    const verdict = await verdictAt((await servingAll([ecdsa, ...others])).port);
    const found = verdict.posture?.alternates.map(
      ({ keyType, certificate }) => [keyType, certificate.fingerprint] as const,
    );
    const expected = ['rsa', ...Object.keys(types)].map(
      (name, index) => [name, others[index]?.fingerprint] as const,
    );
    expect(new Map(found)).toEqual(new Map(expected));
    expect(verdict.leafFingerprint).toBe(ecdsa.fingerprint);
    expect(said(verdict)).toEqual([]);
  });

  it.each(Object.entries(types))('is not fine if only the one for %s has expired', async (keyType, key) => {
    const expired = pqRoot.issue({
      dnsNames: [HOST],
      key,
      notBefore: Date.now() - DAY,
      notAfter: Date.now() - DAY / 2,
    });
    const verdict = await verdictAt((await servingAll([ecdsa, expired])).port);
    // Critical only for ML-DSA: clients with OpenSSL 3.5 get that certificate.
    expect(said(verdict)).toContain(keyType.startsWith('ml') ? 'critical expired' : 'warning expired');
    expect(verdict.findings.map((finding) => finding.keyType)).toContain(keyType);
    expect(verdict.posture?.untestedKeyTypes).toEqual([]);
  });

  it('A server with a valid ML-DSA certificate beside an ECDSA one is fine, because clients without ML-DSA get the ECDSA one', async () => {
    const second = pqRoot.issue({ dnsNames: [HOST], key: 'ML-DSA-65' });
    const { port } = await servingAll([ecdsa, second]);
    expect(said(await verdictAt(port))).toEqual([]);
  });

  it('is judged by the staple of the second certificate too', async () => {
    const second = pqRoot.issue({ dnsNames: [HOST], key: 'ML-DSA-65' });
    const staple = mintOcspResponse(pqRoot, second, { status: 'revoked' });
    const usual = keep(await startTlsServer({ '*': ecdsa }));
    const other = keep(await startTlsServer({ '*': second }, { staple }));
    // Node.js staples the same response for all certificates of a server. So each certificate gets a server of its own.
    const router = createHelloRouter(({ signatures }) =>
      signatures.includes(ML_DSA_65) ? other.port : usual.port,
    );
    const { port } = keep(await listening(router));
    const sources = createSources({ resolver, reader: EMPTY_DNS, policy, cacheFolder: null });
    const verdict = await verdictAt(port, sources);
    sources.close();
    expect(said(verdict)).toEqual(['warning revoked']);
    expect(verdict.findings[0]).toMatchObject({ keyType: 'ml-dsa-65', facts: { source: 'staple' } });
  });
});

it('A server with one certificate gets five handshakes a day, one of them for other certificates', async () => {
  const server = await servingAll([ecdsa]);
  await verdictAt(server.port);
  expect(server.accepted()).toBe(5);
});

it('A server that has only an ML-DSA certificate is not called outdated', async () => {
  const { port } = await servingAll([pqRoot.issue({ dnsNames: [HOST], key: 'ML-DSA-65' })]);
  const verdict = await verdictAt(port);
  expect(verdict.findings).toMatchObject([{ code: 'refused_by_clients', facts: { rule: 'ml_dsa_key' } }]);
});

describe('A server that answers too slowly', () => {
  it('shows what was not tested, instead of leaving it out', async () => {
    stopTimers();
    const gate = keep(await startGatedServer(ecdsa));
    const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES });
    const signal = new AbortController().signal;
    const looking = probe.observe(
      { host: HOST, port: gate.port, protocol: 'tls' },
      { signal, trustStore, withPosture: true },
    );
    await expect.poll(() => gate.hellos.length, STOPPED).toBe(1);
    gate.shut();
    await expect.poll(() => gate.hellos.length, STOPPED).toBe(3);
    vi.advanceTimersByTime(10_000);
    const { posture } = judge(await looking, Date.now(), trustStore);
    expect(posture?.untestedKeyTypes).toEqual(KEY_TYPES.filter((keyType) => keyType !== 'ecdsa'));
    expect(posture && untestedPosture(posture)).toEqual([
      'certificates for RSA, RSA-PSS, Ed25519, Ed448, ML-DSA-44, ML-DSA-65 and ML-DSA-87 keys',
      'TLS 1.0, 1.1 and 1.2',
      'post-quantum key exchange',
    ]);
  });

  it('gets longer timeouts and five simultaneous handshakes', async () => {
    stopTimers();
    const slow = await startHoldingServer(ecdsa);
    const looking = postureAfter(4_100, {
      host: HOST,
      leaf: ecdsa,
      port: slow.port,
      protocol: 'https',
      handshakeTimeoutMs: 10_000,
      leftMs: 20_000,
    });
    // The server refuses TLS 1.0 and 1.1 at once, so that the handshake without ALPN starts in their place.
    await expect.poll(slow.waiting, STOPPED).toBe(5);
    vi.advanceTimersByTime(4_100);
    slow.greet();
    const { untestedKeyTypes, tlsVersions } = await looking;
    expect(untestedKeyTypes).toEqual([]);
    expect(tlsVersions.map(({ offered }) => offered)).not.toContain(null);
  });
});
