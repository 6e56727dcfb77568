import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpChannels } from '../../server/channels/http-channels.ts';
import type { StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { normaliseEndpoint } from '../../server/core/endpoint.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createDiskCache } from '../../server/probe/sources/disk-cache.ts';
import { createDomainSource } from '../../server/probe/sources/domain-source.ts';
import { createIconSource } from '../../server/probe/icons/icon-source.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { Requester } from '../../server/probe/sources/sources.ts';
import { createRenewalSource } from '../../server/probe/sources/renewal-source.ts';
import { alertContentOf } from '../kit/product/alert-content.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import {
  type Dials,
  HOSTILE_NAMES,
  HOSTILE_URLS,
  hostileAuthorities,
  INSIDE,
  OUTSIDE,
  watchDials,
} from '../kit/peers/ssrf-corpus.ts';
import { listening, type Peer } from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

const root = mintAuthority();
const issuer = root.intermediate();
const trustStore = createTrustStore([root.der]);
const never = new AbortController().signal;

let dns: DnsServer;
/** Ports of 127.0.0.1, by scheme. All names below ca.test and flip.test lead there. */
let ports: { http: number; https: number };
/** How this server behaves. Tests set it. */
let serve: RequestListener;
let asked: string[];
let reachedInside = 0;
let dials: Dials;
const peers: Peer[] = [];

beforeAll(async () => {
  dns = await startDnsServer(HOSTILE_NAMES);
  const onRequest: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    serve(request, response);
  };
  const hangUp = (socket: Socket): void => {
    reachedInside++;
    socket.destroy();
  };
  const dnsNames = ['ca.test', '*.ca.test', '*.flip.test'];
  const { certificatePem, chainPem, keyPem } = issuer.issue({ dnsNames, ipAddresses: [OUTSIDE] });
  const http = await listening(createServer(onRequest));
  const https = await listening(createTlsServer({ cert: certificatePem + chainPem, key: keyPem }, onRequest));
  ports = { http: http.port, https: https.port };
  // The internal servers have the same ports, so that only the address differs.
  const inside = [http, https].map(({ port }) => listening(createTcpServer(hangUp), INSIDE, port));
  peers.push(http, https, ...(await Promise.all(inside)));
});
afterAll(() => Promise.all([dns.stop(), ...peers.map((peer) => peer.stop())]));
beforeEach(() => {
  asked = [];
  serve = (_request, response) => response.writeHead(404).end();
  dials = watchDials();
});
afterEach(() => {
  dials.stop();
  expect(reachedInside).toBe(0);
});

/** Returns everything that opens connections, with a policy that permits the ranges in `allow`. */
function world(allow: readonly string[]) {
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: [dns.address], policy });
  const reader = createDnsReader({ servers: [dns.address], now: Date.now });
  const sources = createSources({ resolver, reader, policy, cacheFolder: null });
  const probe = createProbe({ resolver, policy, now: Date.now, sources });
  const icons = createIconSource({ resolver, policy });
  const look = { signal: never, trustStore, withPosture: false };
  // Each query has a requester of its own, so that no rate limit interferes.
  let askers = 0;
  const request = () => ({ now: Date.now(), signal: never, requester: new Requester(`a${++askers}.test`) });
  const secure = createVerifiedTls([root.certificatePem]);
  const json = () => ({ resolver, policy, secure, stop: never, cache: createDiskCache(null) });
  const channels = createHttpChannels({ resolver, policy, secure });
  const alert = (channel: StoredChannelConfig) =>
    channels.deliver(channel, { content: alertContentOf(), messageId: '1', now: Date.now() }, never);
  const evidence = (points: { crlUrls?: string[]; ocspUrls?: string[] }) => {
    const path = [issuer.issue({ dnsNames: ['a.test'], ...points }), issuer, root];
    return sources.revocation.evidence({
      path: path.map(({ der }) => parseCertificate(der)),
      sent: [],
      isPublic: true,
      staple: null,
      isThorough: false,
      ...request(),
    });
  };
  return {
    probe: {
      /** Probes a host that is written as a person would type it. */
      async typed(text: string) {
        const { permitsLocalNames } = policy;
        const permits = { permitsAddress: (ip: string) => policy.permits(ip), permitsLocalNames };
        const normalised = normaliseEndpoint(text, permits);
        if (normalised.ok) await probe.observe(normalised.endpoint, look);
      },
      host: (host: string, port: number) => probe.observe({ host, port, protocol: 'https' }, look),
    },
    icon: (host: string, port: number) => icons.find({ host, port }, never),
    ntfy: (server: string) => alert({ kind: 'ntfy', server, topic: 'alerts' }),
    ways: {
      'a missing intermediate (AIA)': (url: string) => {
        const leaf = issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: [url] });
        return sources.intermediates.complete({
          chain: [parseCertificate(leaf.der)],
          trustStore,
          ...request(),
        });
      },
      'a CRL': (url: string) => evidence({ crlUrls: [url] }),
      OCSP: (url: string) => evidence({ ocspUrls: [url] }),
      'a renewal window (ARI)': (directory: string) => {
        const leaf = parseCertificate(issuer.issue({ dnsNames: ['a.test'] }).der);
        const authorities = [{ organization: 'Certlantern Tests', directory }];
        return createRenewalSource(json(), authorities).renewal({ leaf, ...request() });
      },
      'a registry (RDAP)': (bootstrapUrl: string) =>
        createDomainSource({ ...json(), reader, bootstrapUrl }).registration({
          host: 'example.com',
          ...request(),
        }),
      'a webhook': (url: string) => alert({ kind: 'webhook', url, secrets: [] }),
      'a chat': (url: string) => alert({ kind: 'teams', url }),
    },
  };
}
const closed = () => world([]);
type Way = keyof ReturnType<typeof world>['ways'];
const WAYS: readonly [Way, keyof typeof ports][] = [
  ['a missing intermediate (AIA)', 'http'],
  ['a CRL', 'http'],
  ['OCSP', 'http'],
  ['a renewal window (ARI)', 'https'],
  ['a registry (RDAP)', 'https'],
  ['a webhook', 'http'],
  ['a chat', 'https'],
];

describe('No connection to a forbidden address is tried', () => {
  it.each(WAYS)('no connection to a forbidden address is tried for %s', async (way, scheme) => {
    const dial = closed().ways[way];
    const urls = hostileAuthorities(ports[scheme]).flatMap((authority) => [
      `http://${authority}/x`,
      `https://${authority}/x`,
    ]);
    await Promise.all([...urls, ...HOSTILE_URLS].map((url) => dial(url)));
    expect(dials.attempts).toEqual([]);
  });

  it('no connection to a forbidden address is tried for an ntfy server', async () => {
    const { ntfy } = closed();
    const urls = hostileAuthorities(ports.http).flatMap((authority) => [
      `http://${authority}`,
      `https://${authority}/`,
    ]);
    await Promise.all([...urls, ...HOSTILE_URLS].map((url) => ntfy(url)));
    expect(dials.attempts).toEqual([]);
  });

  it('no connection to a forbidden address is tried for a host that somebody typed', async () => {
    const { probe } = closed();
    const authorities = hostileAuthorities(ports.https);
    const texts = [
      ...authorities,
      ...authorities.flatMap((authority) => [
        `https://${authority}/`,
        `smtp://${authority}`,
        `//${authority}`,
      ]),
      ...HOSTILE_URLS,
    ];
    await Promise.all(texts.map((text) => probe.typed(text)));
    expect(dials.attempts).toEqual([]);
    promise('egress');
  });

  it('no connection to a forbidden address is tried for a stored host and its icon', async () => {
    const { probe, icon } = closed();
    const hosts = hostileAuthorities(ports.https).map((authority) => authority.replace(/:\d+$/, ''));
    const unbracketed = hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1'));
    await Promise.all(
      [...hosts, ...unbracketed].map(async (host) => {
        await probe.host(host, ports.https);
        // Some hosts make no valid URL. No part of them may be contacted either.
        if (URL.canParse(`https://${host}:1/`)) await icon(host, ports.https);
      }),
    );
    expect(dials.attempts).toEqual([]);
  });
});

/** In these tests only 127.0.0.1 is permitted. */
describe('A permitted peer', () => {
  const half = () => world([`${OUTSIDE}/32`]);
  const elsewhere = () => dials.attempts.filter((attempt) => !attempt.startsWith(`${OUTSIDE}:`));

  it.each(WAYS)('is reached for %s, which shows that requests work', async (way, scheme) => {
    await half().ways[way](`${scheme}://${OUTSIDE}:${ports[scheme]}/x`);
    expect(asked).toEqual(['/x']);
    expect(dials.attempts).toEqual([`${OUTSIDE}:${ports[scheme]}`]);
  });

  it.each(WAYS)('may be internal for %s if the policy permits it', async (way, scheme) => {
    await world(['127.0.0.0/8']).ways[way](`${scheme}://inside.test:${ports[scheme]}/x`);
    expect(elsewhere()).toEqual([`${INSIDE}:${ports[scheme]}`]);
    reachedInside = 0;
  });

  /** Sends one request for each location to the permitted peer. Each request has its own host name and path. */
  async function askForEach(way: Way, scheme: keyof typeof ports, locations: readonly string[]) {
    const dial = half().ways[way];
    await Promise.all(
      locations.map((_, index) => {
        dns.entries.set(`${index}.ca.test`, { addresses: [OUTSIDE] });
        return dial(`${scheme}://${index}.ca.test:${ports[scheme]}/${index}`);
      }),
    );
  }
  const locationsOn = (scheme: keyof typeof ports): string[] => [
    ...hostileAuthorities(ports[scheme])
      .filter((authority) => /[:@#?/\\]/.test(authority))
      .map((authority) => `${scheme}://${authority}/x`),
    ...HOSTILE_URLS,
    `//${INSIDE}:${ports[scheme]}/`,
    '/elsewhere',
  ];

  it.each(WAYS)('cannot redirect the request for %s to a forbidden address', async (way, scheme) => {
    const locations = locationsOn(scheme);
    serve = (request, response) => {
      const location = locations[Number(request.url?.slice(1))] ?? '';
      response.writeHead(302, { location: encodeURI(location) }).end();
    };
    await askForEach(way, scheme, locations);
    // A slow CRL may still be fetched after its request has ended.
    const isStart = (path: string): boolean => /^\/\d+$/.test(path);
    await expect.poll(() => new Set(asked.filter(isStart)).size).toBe(locations.length);
    expect(elsewhere()).toEqual([]);
    promise('egress');
  });

  it.each<[Way, (location: string) => unknown]>([
    ['a renewal window (ARI)', (renewalInfo) => ({ renewalInfo })],
    ['a registry (RDAP)', (base) => ({ services: [[['com'], [base]]] })],
  ])(
    'cannot lead the request for %s to a forbidden address through its directory',
    async (way, directory) => {
      // These names lead to the peer itself, which is permitted.
      const locations = locationsOn('https').filter((location) => !/localhost|mixed|last/i.test(location));
      serve = (request, response) => {
        const location = locations[Number(request.url?.slice(1))] ?? '';
        response.setHeader('content-type', 'application/json').end(JSON.stringify(directory(location)));
      };
      await askForEach(way, 'https', locations);
      expect(elsewhere()).toEqual([]);
      expect(asked).toHaveLength(locations.length);
    },
  );

  it('cannot redirect the probe of a page or its icon to a forbidden address', async () => {
    const locations = locationsOn('https').filter((location) => !/localhost/i.test(location));
    serve = ({ headers: { host = '' } }, response) => {
      const location = locations[Number(host.split('.')[0])] ?? '';
      response.writeHead(302, { location: encodeURI(location) }).end();
    };
    const { probe, icon } = half();
    await Promise.all(
      locations.map(async (_, index) => {
        dns.entries.set(`${index}.ca.test`, { addresses: [OUTSIDE] });
        await probe.host(`${index}.ca.test`, ports.https);
        await icon(`${index}.ca.test`, ports.https);
      }),
    );
    expect(elsewhere()).toEqual([]);
  });

  it.each(WAYS)(
    'is the only address that is contacted for %s if its name has forbidden ones too',
    async (way, scheme) => {
      dns.entries.set('mixed.ca.test', { addresses: [INSIDE, OUTSIDE, '::1'] });
      await half().ways[way](`${scheme}://mixed.ca.test:${ports[scheme]}/x`);
      expect(asked).toEqual(['/x']);
      expect(elsewhere()).toEqual([]);
    },
  );

  it('is the only address that a check contacts and names if its name has forbidden ones too', async () => {
    dns.entries.set('mixed.ca.test', { addresses: [INSIDE, OUTSIDE, '::1'] });
    const { probe, icon } = half();
    const observation = await probe.host('mixed.ca.test', ports.https);
    await icon('mixed.ca.test', ports.https);
    expect(elsewhere()).toEqual([]);
    expect(observation.resolution).toEqual({ ok: true, addresses: [OUTSIDE], leftOut: 2 });
    const report = JSON.stringify(judge(observation, Date.now(), trustStore));
    expect(report).toContain('address_left_out');
    expect(report).not.toMatch(/127\.0\.0\.2|::1/);
    expect(JSON.stringify(observation)).not.toMatch(/127\.0\.0\.2|::1/);
  });

  it('cannot lead any request to a forbidden address by DNS rebinding', async () => {
    const { ways, probe, icon } = half();
    const queries = new Map<string, number>();
    dns.onQuestion = (type, name) => {
      if (!name.endsWith('flip.test')) return;
      const count = (queries.get(type + name) ?? 0) + 1;
      queries.set(type + name, count);
      dns.entries.set(name, { addresses: [count === 1 ? OUTSIDE : INSIDE], ttlSeconds: 0 });
    };
    for (const [index, [way, scheme]] of WAYS.entries())
      for (const path of ['first', 'second'])
        await ways[way](`${scheme}://${index}.flip.test:${ports[scheme]}/${path}`);
    expect(asked).toEqual(WAYS.map(() => '/first'));
    for (let look = 0; look < 3; look++) {
      await probe.host('p.flip.test', ports.https);
      await icon('i.flip.test', ports.https);
    }
    expect(elsewhere()).toEqual([]);
    promise('egress');
  });
});
