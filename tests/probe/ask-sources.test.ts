import { createServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FoundIntermediate, Observation, RevocationEvidence } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore, type TrustStore } from '../../server/pki/trust-store.ts';
import { createProbe, type ProbeOptions } from '../../server/probe/probe.ts';
import type { Sources } from '../../server/probe/sources/sources.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import {
  listening,
  type Peer,
  type ServerCertificate,
  startTlsServer,
  type TlsPeerOptions,
} from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

const NOW = Date.now();
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority();
const intermediate = root.intermediate();
const leaf = intermediate.issue({ dnsNames: ['site.test'] });
const alone = { ...leaf, chainPem: '' };
const stranger = mintAuthority().issue({ dnsNames: ['site.test'] });
const fetched: FoundIntermediate = {
  der: intermediate.der,
  source: 'fetched',
  url: 'http://ca.test/issuer',
};

const running: Peer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
});
async function serving(leafShown: ServerCertificate, options: TlsPeerOptions = {}): Promise<number> {
  const peer = await startTlsServer({ '*': leafShown }, options);
  running.push(peer);
  return peer.port;
}

/** Returns sources that record what they are asked, as fingerprints. */
function recordingSources(answers: Partial<Sources> = {}): { sources: Sources; questions: unknown[] } {
  const questions: unknown[] = [];
  const names = (certificates: readonly { fingerprint: string }[]): string[] =>
    certificates.map(({ fingerprint }) => fingerprint);
  const sources: Sources = {
    ...NO_SOURCES,
    intermediates: {
      complete: ({ chain }) => {
        questions.push(['authorities', names(chain)]);
        return Promise.resolve({ intermediates: [], isPending: false });
      },
    },
    revocation: {
      evidence: ({ path, isPublic, requester, staple }) => {
        const host = isPublic ? null : requester.host;
        questions.push(['revocation', names(path), staple, ...(host === null ? [] : [host])]);
        return Promise.resolve([unreachable(path[0]?.fingerprint ?? '')]);
      },
    },
    renewal: {
      renewal: ({ leaf: one }) => {
        questions.push(['renewal', one.fingerprint]);
        return Promise.resolve({ fingerprint: one.fingerprint, at: NOW, outcome: 'unsupported' });
      },
    },
    ...answers,
  };
  return { sources, questions };
}
function unreachable(fingerprint: string): RevocationEvidence {
  const answer = { state: 'none', why: 'unreachable' } as const;
  return { fingerprint, source: 'crl', url: 'http://ca.test/crl', at: NOW, answer };
}

function revoked(fingerprint: string): RevocationEvidence {
  const times = { revokedAt: NOW, thisUpdate: NOW, nextUpdate: null };
  const answer = { state: 'revoked', reason: null, ...times } as const;
  return { ...unreachable(fingerprint), answer };
}

interface Look extends Partial<ProbeOptions> {
  sources: Sources;
  addresses?: string[];
  signal?: AbortSignal;
  trustStore?: TrustStore;
  withPosture?: boolean;
}
function observe(
  port: number,
  {
    addresses = ['127.0.0.1'],
    signal = new AbortController().signal,
    trustStore = createTrustStore([root.der], { arePublic: true }),
    withPosture = false,
    timeouts,
    ...options
  }: Look,
): Promise<Observation> {
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses }) };
  return createProbe({
    resolver,
    policy,
    now: () => NOW,
    timeouts: { ...PATIENT, ...timeouts },
    ...options,
  }).observe({ host: 'site.test', port, protocol: 'tls' }, { signal, trustStore, withPosture });
}

describe('A probe’s queries to CA sources', () => {
  it('cover the path of a trusted chain and its staple, once for all addresses that serve it', async () => {
    const { sources, questions } = recordingSources();
    const port = await serving(leaf, { staple: Buffer.from('stapled'), host: '0.0.0.0' });
    const observation = await observe(port, { sources, addresses: ['127.0.0.1', '127.0.0.2'] });
    expect(questions).toEqual([
      ['revocation', [leaf.fingerprint, intermediate.fingerprint, root.fingerprint], Buffer.from('stapled')],
      ['renewal', leaf.fingerprint],
    ]);
    expect(observation).toMatchObject({
      authorities: [],
      revocation: [unreachable(leaf.fingerprint)],
      renewal: [{ fingerprint: leaf.fingerprint, outcome: 'unsupported' }],
    });
  });

  it('count against the quota of the host if its CA is private, and include no renewal query', async () => {
    const { sources, questions } = recordingSources();
    await observe(await serving(leaf), { sources, trustStore: createTrustStore([root.der]) });
    const names = [leaf.fingerprint, intermediate.fingerprint, root.fingerprint];
    expect(questions).toEqual([['revocation', names, null, 'site.test']]);
    promise('ca-requests');
  });

  it('search for missing intermediates first and then cover the completed path', async () => {
    const { sources, questions } = recordingSources({
      intermediates: { complete: () => Promise.resolve({ intermediates: [fetched], isPending: false }) },
    });
    const observation = await observe(await serving(alone), { sources });
    expect(observation.authorities).toEqual([fetched]);
    expect(questions).toEqual([
      ['revocation', [leaf.fingerprint, intermediate.fingerprint, root.fingerprint], null],
      ['renewal', leaf.fingerprint],
    ]);
  });

  it('stop after the search for missing intermediates if no path is found', async () => {
    const { sources, questions } = recordingSources();
    expect(await observe(await serving(stranger), { sources })).toMatchObject({
      authorities: [],
      revocation: [],
      renewal: [],
    });
    expect(questions).toEqual([['authorities', [stranger.fingerprint]]]);
  });

  it('include a renewal query for each distinct leaf, even an expired one', async () => {
    const expired = intermediate.issue({
      dnsNames: ['site.test'],
      notBefore: NOW - 2e9,
      notAfter: NOW - 1e9,
    });
    const { sources } = recordingSources();
    const port = await serving(leaf);
    const other = await startTlsServer({ '*': expired }, { host: '127.0.0.2', port });
    running.push(other);
    const observation = await observe(port, { sources, addresses: ['127.0.0.1', '127.0.0.2'] });
    expect(observation.renewal.map(({ fingerprint }) => fingerprint)).toEqual([
      leaf.fingerprint,
      expired.fingerprint,
    ]);
  });
});

describe('A probe’s second round of queries', () => {
  it('covers another path that avoids a revoked intermediate', async () => {
    const twin = root.intermediate({
      commonName: 'Twin',
      key: intermediate.key,
      subjectDer: intermediate.subjectDer,
    });
    const ways: string[][] = [];
    const { sources } = recordingSources({
      revocation: {
        evidence: ({ path }) => {
          ways.push(path.map(({ fingerprint }) => fingerprint));
          return Promise.resolve(ways.length === 1 ? [revoked(path[1]?.fingerprint ?? '')] : []);
        },
      },
    });
    const both = { ...leaf, chainPem: intermediate.certificatePem + twin.certificatePem };
    await observe(await serving(both), { sources });
    expect(ways).toHaveLength(2);
    expect(new Set(ways.map(([, above]) => above))).toEqual(
      new Set([intermediate.fingerprint, twin.fingerprint]),
    );
  });

  it('covers the certificate of the other key type', async () => {
    const [ec, rsa] = (['P-256', 'RSA-2048'] as const).map((key) =>
      intermediate.issue({ dnsNames: ['site.test'], key }),
    );
    if (ec === undefined || rsa === undefined) throw new Error('two were issued');
    const server = createServer({
      cert: [ec, rsa].map(({ certificatePem, chainPem }) => certificatePem + chainPem),
      key: [ec.keyPem, rsa.keyPem],
    });
    const peer = await listening(server);
    running.push(peer);
    const { sources, questions } = recordingSources();
    const observation = await observe(peer.port, { sources, withPosture: true });
    expect(observation.posture?.alternates).toMatchObject([{ keyType: 'rsa' }]);
    const path = (one: { fingerprint: string }) => [
      one.fingerprint,
      intermediate.fingerprint,
      root.fingerprint,
    ];
    expect(questions).toEqual([
      ['revocation', path(ec), null],
      ['renewal', ec.fingerprint],
      ['revocation', path(rsa), null],
      ['renewal', rsa.fingerprint],
    ]);
    expect(observation.revocation).toEqual([unreachable(ec.fingerprint), unreachable(rsa.fingerprint)]);
  });
});

describe('A failing CA source', () => {
  it('is aborted at its deadline and not awaited any longer', async () => {
    const { sources } = recordingSources({
      intermediates: { complete: () => new Promise(() => undefined) },
      revocation: {
        evidence: ({ signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve([unreachable(leaf.fingerprint)])),
          ),
      },
      renewal: { renewal: () => new Promise(() => undefined) },
    });
    const timeouts = { intermediates: 100, status: 100 };
    const held = await observe(await serving(leaf), { sources, timeouts });
    expect(held).toMatchObject({ revocation: [unreachable(leaf.fingerprint)], renewal: [] });
    const cut = await observe(await serving(alone), { sources, timeouts });
    expect(cut).toMatchObject({
      addresses: [{ outcome: 'handshake' }],
      authorities: [],
      authoritiesPending: true,
    });
    expect(held).not.toHaveProperty('authoritiesPending');
  });

  it('a failing CA source that throws is reported, and the probe completes', async () => {
    const faults: unknown[] = [];
    const fault = new Error('a bug');
    const { sources } = recordingSources({ revocation: { evidence: () => Promise.reject(fault) } });
    const onFault = (error: unknown): void => void faults.push(error);
    const observation = await observe(await serving(leaf), { sources, onFault });
    expect(observation).toMatchObject({ revocation: [], renewal: [{ outcome: 'unsupported' }] });
    expect(faults).toEqual([fault]);
  });

  it('is aborted at the deadline of the check and when the caller aborts', async () => {
    let queries = 0;
    const { sources } = recordingSources({
      revocation: {
        evidence: () => {
          queries += 1;
          return new Promise(() => undefined);
        },
      },
    });
    const port = await serving(leaf);
    const seen = { addresses: [{ outcome: 'handshake' }], revocation: [] };
    stopTimers();
    const late = observe(port, { sources, timeouts: { check: 300 } });
    await expect.poll(() => queries, STOPPED).toBe(1);
    vi.advanceTimersByTime(300);
    expect(await late).toMatchObject(seen);
    const controller = new AbortController();
    const pending = observe(port, { sources, signal: controller.signal });
    await expect.poll(() => queries, STOPPED).toBe(2);
    controller.abort();
    expect(await pending).toMatchObject(seen);
  });
});
