import { afterAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../server/core/verdict.ts';
import { replacedCertificate } from '../../server/core/alerting/conditions.ts';
import { assessUptime } from '../../server/core/check/uptime.ts';
import { certificateFacts } from '../../server/core/facts.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { MemoryOutbox } from '../kit/alerting/memory-outbox.ts';
import { keep, PATIENT, stopPeers } from '../kit/peers/loopback.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedCertificate,
  mintKey,
  selfSigned,
} from '../kit/certificates/mint.ts';
import {
  type ServerCertificate,
  startTlsServer,
  type TlsPeer,
  type TlsPeerOptions,
} from '../kit/peers/tls-server.ts';

/*
 * Tests against mistakes of similar products. Each checks a real server: it is probed, judged with the previous verdict, and
 * alerts are planned after the earlier ones.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.now();
const HOST = 'www.site.test';

const names = await startDnsServer({
  [HOST]: { addresses: ['127.0.0.1'] },
  'refused.test': { answer: 'refused' },
});
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = createResolver({ servers: [names.address], policy });
const reader = createDnsReader({ servers: [names.address], now: Date.now });
const sources = createSources({ resolver, reader, policy, cacheFolder: null });
const probe = createProbe({ resolver, policy, sources, now: Date.now, timeouts: PATIENT });
const root = mintAuthority({ commonName: 'Site Root' });
const intermediate = root.intermediate({ commonName: 'Site CA' });
const trustStore = createTrustStore([root.der]);

afterAll(async () => {
  sources.close();
  await names.stop();
});

async function serving(certificate: ServerCertificate, options?: TlsPeerOptions): Promise<TlsPeer> {
  return keep(await startTlsServer({ '*': certificate }, options));
}

/** Watches an endpoint: each check gets the previous verdict and all earlier alerts. */
function watch(port: number, host = HOST) {
  let verdict: Verdict | null = null;
  const outbox = new MemoryOutbox();
  return {
    outbox,
    /** Checks the endpoint, `later` ms after the previous check. */
    async check(later = 0) {
      const now = Date.now() + later;
      const observation = await probe.observe(
        { host, port, protocol: 'tls' },
        { signal: new AbortController().signal, trustStore, withPosture: false },
      );
      const previous = verdict;
      verdict = judge(
        { ...observation, observedAt: observation.observedAt + later },
        now,
        trustStore,
        previous,
      );
      const uptime = assessUptime(observation);
      const told = outbox.recordCheck({ verdict, previous, now, state: uptime.state });
      const alerts = told.map(({ alert, incident, ...one }) => ({
        ...one,
        ...alert,
        fingerprint: incident.fingerprint,
      }));
      return { verdict, alerts, isReplaced: replacedCertificate(previous, verdict) !== null, uptime };
    },
  };
}

const codes = ({ findings }: Verdict): string[] => findings.map(({ code }) => code);
const issue = (options: CertificateOptions = {}): MintedCertificate =>
  intermediate.issue({ dnsNames: [HOST], ...options });
const sending = (leaf: MintedCertificate, ...others: readonly MintedCertificate[]): ServerCertificate => ({
  ...leaf,
  chainPem: others.map(({ certificatePem }) => certificatePem).join(''),
});

describe('An expired certificate', () => {
  it('an expired certificate is read and causes an alert, because reading does not depend on verification', async () => {
    const notAfter = Math.floor((NOW - 2 * DAY) / 1000) * 1000;
    const leaf = issue({ notBefore: NOW - 90 * DAY, notAfter });
    const { verdict, alerts, uptime } = await watch((await serving(leaf)).port).check();
    expect(codes(verdict)).toEqual(['expired']);
    expect(verdict).toMatchObject({ reached: true, leafFingerprint: leaf.fingerprint });
    expect(verdict.addresses).toMatchObject([{ notAfter }]);
    expect(certificateFacts(parseCertificate(leaf.der))).toMatchObject({ subject: HOST, notAfter });
    expect(alerts).toMatchObject([{ problem: 'expiry', step: 'expired', fingerprint: leaf.fingerprint }]);
    expect(uptime.state).toBe('up');
  });

  it('a certificate causes an alert in its last hours, with zero whole days left', async () => {
    const leaf = issue({ notBefore: NOW - 89 * DAY, notAfter: NOW + 5 * HOUR });
    const { alerts, verdict } = await watch((await serving(leaf)).port).check();
    expect(verdict.trusted).toBe(true);
    expect(alerts).toMatchObject([{ problem: 'expiry', fingerprint: leaf.fingerprint }]);
  });
});

describe('An untrusted certificate', () => {
  it('still causes expiry alerts', async () => {
    const leaf = selfSigned({ dnsNames: ['other.test'], notBefore: NOW - 87 * DAY, notAfter: NOW + 3 * DAY });
    const { verdict, alerts } = await watch((await serving(leaf)).port).check();
    expect(codes(verdict).toSorted()).toEqual(['name_mismatch', 'renewal_overdue', 'self_signed']);
    expect(alerts).toMatchObject([{ problem: 'expiry', fingerprint: leaf.fingerprint }]);
  });
});

describe('An expired certificate that no trusted path needs', () => {
  it('causes no alert: an expired root or cross-signature is at most a note', async () => {
    const key = mintKey();
    const anchor = mintAuthority({ commonName: 'Young Root', key });
    const old = { commonName: 'Young Root', key, notBefore: NOW - 5000 * DAY, notAfter: NOW - 635 * DAY };
    const cross = mintAuthority({ commonName: 'Dead Root' }).intermediate(old);
    const oldRoot = mintAuthority(old);
    const leaf = anchor.intermediate().issue({ dnsNames: [HOST] });
    const { port } = await serving(sending(leaf, ...leaf.chain, cross, oldRoot));
    const observation = await probe.observe(
      { host: HOST, port, protocol: 'tls' },
      { signal: new AbortController().signal, trustStore, withPosture: false },
    );
    const verdict = judge(observation, NOW, createTrustStore([anchor.der]));
    expect(verdict.findings.map(({ severity }) => severity)).not.toContain('critical');
    expect(verdict.findings.map(({ severity }) => severity)).not.toContain('warning');
    expect(verdict).toMatchObject({ trusted: true, limiting: { fingerprint: leaf.fingerprint } });
    expect(new MemoryOutbox().recordCheck({ verdict, previous: null, now: NOW })).toEqual([]);
  });
});

describe('The earliest expiry in a chain', () => {
  it('is the intermediate’s if that expires before the leaf, and each of the two gets its own alert', async () => {
    const authority = root.intermediate({ commonName: 'Tired CA', notAfter: NOW + 2 * DAY });
    const leaf = authority.issue({ dnsNames: [HOST], notBefore: NOW - 80 * DAY, notAfter: NOW + 10 * DAY });
    const { verdict, alerts } = await watch((await serving(leaf)).port).check();
    expect(verdict.limiting).toMatchObject({ role: 'intermediate', fingerprint: authority.fingerprint });
    expect(new Map(alerts.map(({ facts, fingerprint }) => [facts.certificate?.role, fingerprint]))).toEqual(
      new Map([
        ['leaf', leaf.fingerprint],
        ['intermediate', authority.fingerprint],
      ]),
    );
  });

  it('is the leaf’s if that expires before the intermediate', async () => {
    const leaf = issue({ notBefore: NOW - 80 * DAY, notAfter: NOW + 2 * DAY });
    const { verdict } = await watch((await serving(leaf)).port).check();
    expect(verdict.limiting).toMatchObject({ role: 'leaf', fingerprint: leaf.fingerprint });
  });
});

describe('Alternating certificates', () => {
  it('count as one renewal in total and cause one expiry alert', async () => {
    const old = issue({ notBefore: NOW - 80 * DAY, notAfter: NOW + 5 * DAY });
    const fresh = issue();
    const peer = await serving(old);
    const endpoint = watch(peer.port);
    let replaced = 0;
    for (let turn = 0; turn < 12; turn++) {
      peer.setCertificate('*', turn % 2 === 0 ? old : fresh);
      const checked = await endpoint.check(turn * 10 * MINUTE);
      replaced += Number(checked.isReplaced);
      const differing = codes(checked.verdict).filter((code) => code === 'certificates_differ');
      expect(differing).toHaveLength(turn < 2 ? 0 : 1);
    }
    expect(endpoint.outbox.sent).toMatchObject([{ key: `expiry ${old.fingerprint}` }]);
    expect(replaced).toBe(1);
  });
});

describe('The port of a monitor', () => {
  it('is the port that is probed, so two services of a host have separate certificates', async () => {
    const [web, admin] = [issue(), issue()];
    const [first, second] = [await serving(web), await serving(admin)];
    expect((await watch(first.port).check()).verdict.leafFingerprint).toBe(web.fingerprint);
    expect((await watch(second.port).check()).verdict.leafFingerprint).toBe(admin.fingerprint);
  });
});

describe('A certificate valid for six days', () => {
  it('has no findings while it is fresh', async () => {
    const leaf = issue({ notBefore: NOW - HOUR, notAfter: NOW - HOUR + 160 * HOUR });
    const { verdict, alerts } = await watch((await serving(leaf)).port).check();
    expect(verdict).toMatchObject({
      trusted: true,
      findings: [],
      revocation: { state: 'not_applicable' },
    });
    expect(alerts).toEqual([]);
  });
});

describe('The revocation status', () => {
  it('is unknown or unavailable without a source', async () => {
    const { verdict } = await watch((await serving(issue())).port).check();
    expect(['unknown', 'unavailable']).toContain(verdict.revocation.state);
  });

  it('stays revoked when sources no longer say so', async () => {
    const leaf = issue();
    const staple = mintOcspResponse(intermediate, leaf, { status: 'revoked' });
    const first = await serving(leaf, { staple });
    const endpoint = watch(first.port);
    const revoked = await endpoint.check();
    expect(codes(revoked.verdict)).toEqual(['revoked']);
    expect(revoked.alerts).toMatchObject([{ problem: 'revoked', fingerprint: leaf.fingerprint }]);

    await stopPeers();
    await serving(leaf, { port: first.port });
    const later = await endpoint.check();
    expect(codes(later.verdict)).toEqual(['revoked']);
    expect(later.verdict).toMatchObject({ trusted: false, revocation: { state: 'revoked' } });
    expect(later.alerts).toEqual([]);
  });
});

describe('A broken resolver of our own', () => {
  it('makes the uptime unknown, not down', async () => {
    const { verdict, uptime } = await watch(443, 'refused.test').check();
    expect(verdict).toMatchObject({ reached: false, failure: { reason: 'dns_refused' } });
    expect(uptime.state).toBe('unknown');
  });
});

describe('An unreachable host', () => {
  it('still gets expiry alerts about the last known certificate', async () => {
    const leaf = issue({ notBefore: NOW - 60 * DAY, notAfter: NOW + 30 * DAY });
    const { port } = await serving(leaf);
    const endpoint = watch(port);
    expect((await endpoint.check()).alerts).toEqual([]);
    await stopPeers();
    const { verdict, alerts } = await endpoint.check(25 * DAY);
    expect(verdict).toMatchObject({ reached: false, lastSeen: { leafFingerprint: leaf.fingerprint } });
    expect(alerts).toMatchObject([{ problem: 'expiry', step: 'critical', fingerprint: leaf.fingerprint }]);
    expect(alerts[0]?.facts.asOf).toBeLessThan(NOW + DAY);
  });
});
