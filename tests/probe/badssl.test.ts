import { createServer } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import type { FindingCode } from '../../server/core/finding.ts';
import type { Severity } from '../../server/core/findings/definition.ts';
import type { Observation } from '../../server/core/observation.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { startCaServer } from '../kit/peers/ca-server.ts';
import { PATIENT } from '../kit/peers/loopback.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { belowUnknownRoot } from '../kit/certificates/cross-signed.ts';
import { mintCrl } from '../kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  selfSigned,
} from '../kit/certificates/mint.ts';
import {
  listening,
  type Peer,
  type ServerCertificate,
  startOpensslServer,
  startTlsServer,
  type TlsPeerOptions,
} from '../kit/peers/tls-server.ts';

const DAY = 86_400_000;
const NOW = Date.now();
const HOST = 'www.badssl.test';
/** TLS settings that current clients refuse. OpenSSL offers them only at security level 0. */
const LEGACY = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
const NO_CAP_YET = Date.UTC(2017, 0, 1);

const ca = await startCaServer();
const names = await startDnsServer({
  [HOST]: { addresses: ['127.0.0.1'] },
  'badssl.test': { addresses: ['127.0.0.1'] },
  'a.b.badssl.test': { addresses: ['127.0.0.1'] },
  'two.badssl.test': { addresses: ['127.0.0.1', '127.0.0.2'] },
});
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = createResolver({ servers: [names.address], policy });
const reader = createDnsReader({ servers: [names.address], now: Date.now });
const sources = createSources({ resolver, reader, policy, cacheFolder: null });
const probe = createProbe({ resolver, policy, sources, now: Date.now, timeouts: PATIENT });
const root = mintAuthority({ commonName: 'Bad Root' });
const trustStore = createTrustStore([root.der], { arePublic: true });
const intermediate = root.intermediate({ commonName: 'Bad CA 1' });
const stranger = mintAuthority({ commonName: 'Stranger Root' }).intermediate();

const running: Peer[] = [];
afterAll(async () => {
  sources.close();
  await Promise.all([...running, ca, names].map((peer) => peer.stop()));
});

async function serving(certificate: ServerCertificate, options: TlsPeerOptions = {}): Promise<number> {
  const peer = await startTlsServer({ '*': certificate }, options);
  running.push(peer);
  return peer.port;
}

interface Check {
  host?: string;
  withPosture?: boolean;
}

async function verdictAt(port: number, { host = HOST, withPosture = false }: Check = {}): Promise<Verdict> {
  const observation: Observation = await probe.observe(
    { host, port, protocol: 'tls' },
    { signal: AbortSignal.timeout(60_000), trustStore, withPosture },
  );
  return judge(observation, Date.now(), trustStore);
}

type Said = `${Severity} ${FindingCode}`;
const said = ({ findings }: Verdict): Said[] =>
  findings.map(({ severity, code }): Said => `${severity} ${code}`).toSorted();

const issue = (
  options: CertificateOptions = {},
  authority: MintedAuthority = intermediate,
): MintedCertificate => authority.issue({ dnsNames: [HOST], timestamps: [NOW], ...options });
const bare = (certificate: MintedCertificate): ServerCertificate => ({ ...certificate, chainPem: '' });
const sending = (leaf: MintedCertificate, ...others: readonly MintedCertificate[]): ServerCertificate => ({
  ...leaf,
  chainPem: others.map(({ certificatePem }) => certificatePem).join(''),
});
const day = (count: number): number => NOW + count * DAY;

function underIntermediate(options: CertificateOptions, leaf: CertificateOptions = {}): MintedCertificate {
  return issue(leaf, root.intermediate({ commonName: 'Bad CA 2', ...options }));
}

describe('The verdict on a certificate', () => {
  // Each of these cases has CAs of its own, because sources remember what an earlier case showed them.
  const disordered = belowUnknownRoot(root, { dnsNames: [HOST], timestamps: [NOW] });
  const expiredWay = belowUnknownRoot(root, { dnsNames: [HOST], timestamps: [NOW] });
  const twoWays = belowUnknownRoot(root, { dnsNames: [HOST], timestamps: [NOW] });
  const seenElsewhere = root.intermediate({ commonName: 'Bad CA 5' });
  const cases: [name: string, served: ServerCertificate, ...expected: Said[]][] = [
    ['that is valid', issue()],
    ['that expired', issue({ notBefore: day(-90), notAfter: day(-1) }), 'critical expired'],
    ['that is not valid yet', issue({ notBefore: day(1) }), 'critical not_yet_valid'],
    ['for another host', issue({ dnsNames: ['other.test'] }), 'critical name_mismatch'],
    ['that is self-signed', selfSigned({ dnsNames: [HOST] }), 'critical self_signed'],
    [
      'that is self-signed, expired and for another host',
      selfSigned({ dnsNames: ['other.test'], notBefore: day(-90), notAfter: day(-1) }),
      'critical expired',
      'critical name_mismatch',
      'critical self_signed',
    ],
    ['of an unknown authority', issue({}, stranger), 'critical untrusted_root'],
    [
      'of an unknown authority that also expired',
      issue({ notBefore: day(-90), notAfter: day(-1) }, stranger),
      'critical expired',
      'critical untrusted_root',
    ],
    [
      'without subject alternative names',
      issue({ dnsNames: [], commonName: HOST }),
      'critical name_mismatch',
    ],
    ['for a wildcard that covers the host', issue({ dnsNames: ['*.badssl.test'] })],
    ['for a wildcard of a whole domain', issue({ dnsNames: ['*.test'] }), 'critical name_mismatch'],
    ['for a wildcard within a label', issue({ dnsNames: ['w*.badssl.test'] }), 'critical name_mismatch'],
    ['for clients only', issue({ extendedKeyUsage: ['clientAuth'] }), 'critical path_invalid'],
    ['valid for ten years', issue({ notBefore: day(-1), notAfter: day(3649) }), 'warning lifetime_too_long'],
    ['with an invalid signature', issue({ corruptSignature: true }), 'critical path_invalid'],
    [
      'below an authority for other names',
      underIntermediate({ permitted: { dns: ['other.test'] } }),
      'critical path_invalid',
    ],
    [
      'below an authority that excludes its name',
      underIntermediate({ excluded: { dns: ['badssl.test'] } }),
      'critical path_invalid',
    ],
    ['below an authority for its names', underIntermediate({ permitted: { dns: ['badssl.test'] } })],
    [
      'below a certificate without CA rights',
      underIntermediate({ certificateAuthority: false }),
      'critical path_invalid',
    ],
    [
      'below an authority whose path length is exceeded',
      issue({}, root.intermediate({ pathLength: 0 }).intermediate({ commonName: 'Bad CA 3' })),
      'critical path_invalid',
    ],
    [
      'below an authority that expired',
      underIntermediate({ notAfter: day(-1) }),
      'critical intermediate_expired',
    ],
    [
      'whose intermediate is missing',
      bare(underIntermediate({ commonName: 'Unseen CA' })),
      'critical untrusted_root',
    ],
    ['that comes with its intermediate', issue({}, seenElsewhere)],
    [
      'whose missing intermediate was seen elsewhere',
      bare(issue({}, seenElsewhere)),
      'warning incomplete_chain',
    ],
    [
      'whose missing intermediate is fetched from its CA',
      bare(issue({ caIssuersUrls: [ca.issuer('/issuer', intermediate.der)] })),
      'warning incomplete_chain',
    ],
    [
      'whose missing intermediate cannot be fetched',
      bare(
        issue(
          { caIssuersUrls: [ca.fault('/gone', 'not-found')] },
          root.intermediate({ commonName: 'Bad CA 4' }),
        ),
      ),
      'critical incomplete_chain',
    ],
    ['sent with its root', sending(issue(), intermediate, root), 'note extra_certificate'],
    [
      'sent with an unrelated certificate',
      sending(issue(), intermediate, stranger),
      'note extra_certificate',
    ],
    [
      'whose chain is in the wrong order',
      sending(disordered.leaf, disordered.validCross, disordered.authority),
      'note wrong_order',
    ],
    [
      'whose only path has an expired cross-signature',
      sending(expiredWay.leaf, expiredWay.authority, expiredWay.expiredCross),
      'critical intermediate_expired',
    ],
    [
      'with two cross-signatures, one of which has expired',
      sending(twoWays.leaf, twoWays.authority, twoWays.expiredCross, twoWays.validCross),
      'note unused_certificate_expired',
      'warning refused_by_clients',
    ],
  ];
  it.each(cases)('%s has the expected findings', async (_name, served, ...expected) => {
    const verdict = await verdictAt(await serving(served));
    expect(said(verdict)).toEqual(expected);
    expect(verdict).toMatchObject({
      reached: true,
      trusted: !expected.some((one) => one.startsWith('critical')),
    });
  });

  it('accepts a wildcard for exactly one label', async () => {
    const port = await serving(issue({ dnsNames: ['*.badssl.test'] }));
    expect(said(await verdictAt(port, { host: 'badssl.test' }))).toEqual(['critical name_mismatch']);
    expect(said(await verdictAt(port, { host: 'a.b.badssl.test' }))).toEqual(['critical name_mismatch']);
  });

  it('compares an IP address only with the IP addresses in the certificate', async () => {
    const host = '127.0.0.1';
    const good = await serving(issue({ dnsNames: [], commonName: 'x', ipAddresses: [host] }));
    const bad = await serving(issue({ dnsNames: [host] }));
    expect(said(await verdictAt(good, { host }))).toEqual([]);
    expect(said(await verdictAt(bad, { host }))).toEqual(['critical name_mismatch']);
  });
});

describe('The verdict on weak cryptography', () => {
  const old = { notBefore: NO_CAP_YET, notAfter: day(30) };
  const rsaRoot = mintAuthority({ commonName: 'Old Root', key: 'RSA-2048' });
  const rsa = rsaRoot.intermediate({ commonName: 'Old CA', key: rsaRoot.key });
  const rsaStore = createTrustStore([rsaRoot.der]);
  const cases: [string, MintedCertificate, FindingCode][] = [
    ['an RSA key of 1,024 bits', issue({ ...old, key: 'RSA-1024' }, rsa), 'weak_key'],
    ['a signature with SHA-1', issue({ ...old, hash: 'sha1' }, rsa), 'weak_signature'],
    ['a signature with MD5', issue({ ...old, hash: 'md5' }, rsa), 'weak_signature'],
    [
      'an authority with an RSA key of 1,024 bits',
      issue(old, rsa.intermediate({ key: 'RSA-1024' })),
      'weak_key',
    ],
    ['an authority signed with SHA-1', issue(old, rsa.intermediate({ hash: 'sha1' })), 'weak_signature'],
  ];
  it.each(cases)('reports %s', async (_name, served, code) => {
    const port = await serving(served, LEGACY);
    const observation = await probe.observe(
      { host: HOST, port, protocol: 'tls' },
      { signal: AbortSignal.timeout(60_000), trustStore: rsaStore, withPosture: false },
    );
    expect(said(judge(observation, Date.now(), rsaStore))).toContain(`critical ${code}`);
  });

  it('says so if a server offers only TLS 1.0', async () => {
    const port = await serving(issue(), { ...LEGACY, maxVersion: 'TLSv1' });
    expect(said(await verdictAt(port))).toEqual(['critical legacy_tls']);
  });
});

describe('A server that demands a client certificate', () => {
  it('is judged by its own certificate on TLS 1.3', async () => {
    const port = await serving(issue(), { requestCert: true, rejectUnauthorized: true });
    expect(said(await verdictAt(port))).toEqual([]);
  });

  it('is judged by its own certificate on TLS 1.2, even if it expired', async () => {
    const yesterday = { notBefore: day(-40), notAfter: day(-1) };
    for (const [certificate, findings] of [
      [issue(), []],
      [issue(yesterday), ['critical expired']],
    ] as const) {
      const peer = await startOpensslServer(certificate, { arguments: ['-tls1_2', '-Verify', '1'] });
      running.push(peer);
      const verdict = await verdictAt(peer.port);
      expect(verdict).toMatchObject({ reached: true, failure: null });
      expect(said(verdict)).toEqual(findings);
    }
  });
});

describe('Revocation of a certificate', () => {
  const crlUrls = [ca.crl('/revoked.crl', Buffer.alloc(0))];
  const byCrl = issue({ crlUrls });
  const spared = issue({ crlUrls });
  ca.crl('/revoked.crl', mintCrl(intermediate, { revoked: [{ ...byCrl, reason: 1 }], url: crlUrls }));
  const byOcsp = issue({ ocspUrls: [`${ca.origin}/ocsp`] });
  ca.ocsp('/ocsp', mintOcspResponse(intermediate, byOcsp, { status: 'revoked' }));

  it('is found in its CRL, while a certificate that the CRL does not list is good', async () => {
    const verdict = await verdictAt(await serving(byCrl));
    expect(said(verdict)).toEqual(['critical revoked']);
    expect(verdict.revocation).toMatchObject({ state: 'revoked', source: 'crl', reason: 'keyCompromise' });
    const other = await verdictAt(await serving(spared));
    expect(said(other)).toEqual([]);
    expect(other.revocation).toMatchObject({ state: 'good', source: 'crl' });
  });

  it('is found by its OCSP responder', async () => {
    const verdict = await verdictAt(await serving(byOcsp));
    expect(said(verdict)).toEqual(['critical revoked']);
    expect(verdict.revocation).toMatchObject({ state: 'revoked', source: 'ocsp' });
  });

  it('is found in a stapled OCSP response', async () => {
    const leaf = issue();
    const port = await serving(leaf, { staple: mintOcspResponse(intermediate, leaf, { status: 'revoked' }) });
    const verdict = await verdictAt(port);
    expect(said(verdict)).toEqual(['critical revoked']);
    expect(verdict.revocation).toMatchObject({ state: 'revoked', source: 'staple' });
  });

  it('is reported as intermediate_revoked if only its issuer is revoked', async () => {
    const url = `${ca.origin}/authorities.crl`;
    const authority = root.intermediate({ commonName: 'Bad CA 6', crlUrls: [url] });
    ca.crl('/authorities.crl', mintCrl(root, { revoked: [authority], url }));
    expect(said(await verdictAt(await serving(issue({}, authority))))).toEqual([
      'critical intermediate_revoked',
    ]);
  });

  it('is never reported as good because of a stale, foreign or unreadable staple', async () => {
    const leaf = issue();
    const stale = { thisUpdate: day(-20), nextUpdate: day(-10) };
    for (const staple of [
      mintOcspResponse(intermediate, leaf, stale),
      mintOcspResponse(intermediate, issue()),
      mintOcspResponse(stranger, leaf),
      Buffer.from('no answer'),
    ]) {
      const verdict = await verdictAt(await serving(leaf, { staple }));
      expect(said(verdict)).toEqual(['warning staple_invalid']);
      expect(verdict.revocation.state).not.toBe('good');
    }
  });

  it('a certificate that demands a staple (must-staple) gets a warning if the server sends none', async () => {
    const mustStaple = { oid: '1.3.6.1.5.5.7.1.24', value: Buffer.from('3003020105', 'hex') };
    const leaf = issue({ extraExtensions: [mustStaple] });
    expect(said(await verdictAt(await serving(leaf)))).toEqual(['warning staple_missing']);
    const staple = mintOcspResponse(intermediate, leaf);
    expect(said(await verdictAt(await serving(leaf, { staple })))).toEqual([]);
  });

  it('is unavailable if no source answers', async () => {
    const leaf = issue({
      crlUrls: [ca.fault('/gone.crl', 'not-found')],
      ocspUrls: [ca.fault('/dead', 'error')],
    });
    const verdict = await verdictAt(await serving(leaf));
    expect(said(verdict)).toEqual([]);
    expect(verdict.revocation).toMatchObject({ state: 'unavailable', source: null });
  });

  it('is not reported because of a CRL that another key signed', async () => {
    const url = `${ca.origin}/forged.crl`;
    const leaf = issue({ crlUrls: [url] });
    ca.crl('/forged.crl', mintCrl(intermediate, { revoked: [leaf], url, signer: stranger.key }));
    expect(await verdictAt(await serving(leaf))).toMatchObject({
      findings: [],
      revocation: { state: 'unavailable', sources: [{ source: 'crl', state: 'none', why: 'bad_signature' }] },
    });
  });
});

describe('An endpoint with two leaf certificates', () => {
  it('is judged by the older one if two addresses differ', async () => {
    const old = issue({ dnsNames: ['two.badssl.test'], notBefore: day(-20), notAfter: day(70) });
    const fresh = issue({ dnsNames: ['two.badssl.test'] });
    const port = await serving(fresh);
    await serving(old, { host: '127.0.0.2', port });
    const verdict = await verdictAt(port, { host: 'two.badssl.test' });
    expect(said(verdict)).toEqual(['warning certificates_differ']);
    expect(verdict).toMatchObject({ leafFingerprint: old.fingerprint, trusted: true });
  });

  it('is judged for both key types; an expired RSA certificate beside a valid ECDSA one is a warning', async () => {
    const ecdsa = issue();
    const rsa = issue({ key: 'RSA-2048', notBefore: day(-90), notAfter: day(-1) });
    const cert = [ecdsa, rsa].map((one) => one.certificatePem + one.chainPem);
    const both = createServer({ cert, key: [ecdsa.keyPem, rsa.keyPem] }, (socket) => socket.resume());
    const peer = await listening(both);
    running.push(peer);
    const verdict = await verdictAt(peer.port, { withPosture: true });
    // Only clients without ECDSA see the expired certificate, so the finding is a warning.
    expect(said(verdict)).toEqual(['warning expired']);
    expect(verdict.posture?.alternates).toMatchObject([{ keyType: 'rsa' }]);
    expect(verdict.leafFingerprint).toBe(ecdsa.fingerprint);
  });
});
