import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { normaliseEndpoint } from '../../server/core/index.ts';
import { createAddressPolicy, createResolver } from '../../server/egress/index.ts';
import { createTrustStore, parseCertificate } from '../../server/pki/index.ts';
import { createIconSource, createProbe, createSources } from '../../server/probe/index.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import type { DnsServer } from '../kit/dns-server.ts';
import { mintAuthority } from '../kit/mint.ts';
import { HOSTILE_NAMES, HOSTILE_URLS, hostileAuthorities, INSIDE, watchDials } from '../kit/ssrf-corpus.ts';
import type { Dials } from '../kit/ssrf-corpus.ts';
import { listening, startTlsServer } from '../kit/tls-server.ts';
import type { Peer } from '../kit/tls-server.ts';

const OPEN = '127.0.0.1';
const root = mintAuthority();
const issuer = root.intermediate();
const trustStore = createTrustStore([root.der]);
const never = new AbortController().signal;

let dns: DnsServer;
let open: Peer;
let inside: Peer;
let reachedInside = 0;
/** What the open peer does; set by a test. */
let serve: RequestListener;
let asked: string[];
let dials: Dials;

beforeAll(async () => {
  dns = await startDnsServer(HOSTILE_NAMES);
  open = await listening(
    createServer((request, response) => {
      asked.push(request.url ?? '');
      serve(request, response);
    }),
  );
  // On the same port: an address that changes is all that lies between them.
  const hangUp = createTcpServer((socket) => {
    reachedInside++;
    socket.destroy();
  });
  inside = await listening(hangUp, INSIDE, open.port);
});
afterAll(() => Promise.all([dns.stop(), open.stop(), inside.stop()]));
beforeEach(() => {
  asked = [];
  serve = (_request, response) => response.writeHead(404).end();
  dials = watchDials();
});
afterEach(() => {
  dials.stop();
  expect(reachedInside).toBe(0);
});

/** Everything that leaves, on a policy that opens these ranges. */
function world(allow: readonly string[]) {
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: [dns.address], policy });
  const sources = createSources({ resolver, policy, cacheFolder: null });
  const probe = createProbe({ resolver, policy, now: Date.now, sources });
  const icons = createIconSource({ resolver, policy });
  const look = { signal: never, trustStore, withPosture: false };
  const request = { now: Date.now(), signal: never };
  const evidence = (points: { crlUrls?: string[]; ocspUrls?: string[] }) => {
    const path = [issuer.issue({ dnsNames: ['a.test'], ...points }), issuer, root];
    return sources.revocation.evidence({
      path: path.map(({ der }) => parseCertificate(der)),
      staple: null,
      ...request,
    });
  };
  return {
    probe: {
      /** As a person would write it. */
      async typed(text: string) {
        const { permitsLocalNames } = policy;
        const permits = { permitsAddress: (ip: string) => policy.permits(ip), permitsLocalNames };
        const normalised = normaliseEndpoint(text, permits);
        if (normalised.ok) await probe.observe(normalised.endpoint, look);
      },
      host: (host: string, port: number) => probe.observe({ host, port, protocol: 'https' }, look),
    },
    icon: (host: string, port: number) => icons.find({ host, port }, never),
    ways: {
      'an authority that is missing (AIA)': (url: string) => {
        const leaf = issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: [url] });
        return sources.authorities.complete({ chain: [parseCertificate(leaf.der)], trustStore, ...request });
      },
      'a CRL': (url: string) => evidence({ crlUrls: [url] }),
      OCSP: (url: string) => evidence({ ocspUrls: [url] }),
    },
  };
}
const closed = () => world([]);
const WAYS = ['an authority that is missing (AIA)', 'a CRL', 'OCSP'] as const;

describe('no connection is tried at all', () => {
  it.each(WAYS)('on the way to %s', async (way) => {
    const dial = closed().ways[way];
    const urls = hostileAuthorities(open.port).flatMap((authority) => [
      `http://${authority}/x`,
      `https://${authority}/x`,
    ]);
    await Promise.all([...urls, ...HOSTILE_URLS].map((url) => dial(url)));
    expect(dials.attempts).toEqual([]);
  });

  it('on the way to a host that somebody typed', async () => {
    const { probe } = closed();
    const authorities = hostileAuthorities(open.port);
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
  });

  it('on the way to a host as it stands in the store, and to its icon', async () => {
    const { probe, icon } = closed();
    const hosts = hostileAuthorities(open.port).map((authority) => authority.replace(/:\d+$/, ''));
    const unbracketed = hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1'));
    await Promise.all(
      [...hosts, ...unbracketed].map(async (host) => {
        await probe.host(host, open.port);
        // An address cannot always be made of it; nothing of it may be dialled.
        if (URL.canParse(`https://${host}:1/`)) await icon(host, open.port);
      }),
    );
    expect(dials.attempts).toEqual([]);
  });
});

/** Where only 127.0.0.1 is open: everything else is inside. */
describe('a permitted peer leads nowhere else', () => {
  const half = () => world([`${OPEN}/32`]);
  const elsewhere = () => dials.attempts.filter((attempt) => !attempt.startsWith(`${OPEN}:`));

  it.each(WAYS)('on the way to %s, which is open otherwise', async (way) => {
    await half().ways[way](`http://${OPEN}:${open.port}/x`);
    expect(asked).toEqual(['/x']);
    expect(dials.attempts).toEqual([`${OPEN}:${open.port}`]);
  });

  it('though the inside answers, where it is opened', async () => {
    await world(['127.0.0.0/8']).ways['a CRL'](`http://inside.test:${open.port}/x`);
    expect(elsewhere()).toEqual([`${INSIDE}:${open.port}`]);
    reachedInside = 0;
  });

  it.each(WAYS)('by redirects, on the way to %s', async (way) => {
    const targets = hostileAuthorities(open.port).map((authority) => `http://${authority}/x`);
    const locations = [...targets, ...HOSTILE_URLS, `//${INSIDE}:${open.port}/`, '/elsewhere'];
    serve = (request, response) => {
      const location = locations[Number(request.url?.slice(1))] ?? '';
      response.writeHead(302, { location: encodeURI(location) }).end();
    };
    const dial = half().ways[way];
    await Promise.all(
      locations.map((_, index) => {
        dns.entries.set(`${index}.ca.test`, { addresses: [OPEN] });
        return dial(`http://${index}.ca.test:${open.port}/${index}`);
      }),
    );
    expect(elsewhere()).toEqual([]);
    expect(asked).toHaveLength(locations.length);
  });

  it('by redirects, on the way to a page', async () => {
    const targets = hostileAuthorities(open.port).filter((authority) => !/localhost/i.test(authority));
    const locations = [...targets.map((authority) => `https://${authority}/x`), ...HOSTILE_URLS];
    const site = await startTlsServer(
      { '*': issuer.issue({ dnsNames: ['site.test'] }) },
      {
        serve: ({ headers: { host = '' } }, response) => {
          const location = locations[Number(host.split('.')[0])] ?? '';
          response.writeHead(302, { location: encodeURI(location) }).end();
        },
      },
    );
    const { probe, icon } = half();
    await Promise.all(
      locations.map(async (_, index) => {
        const host = `${index}.site.test`;
        dns.entries.set(host, { addresses: [OPEN] });
        await probe.host(host, site.port);
        await icon(host, site.port);
      }),
    );
    await site.stop();
    expect(elsewhere()).toEqual([]);
  });

  it('by a name that points inside as soon as it was judged', async () => {
    const { ways, probe, icon } = half();
    const queries = new Map<string, number>();
    dns.onQuestion = (type, name) => {
      if (!name.endsWith('flip.test')) return;
      const count = (queries.get(type + name) ?? 0) + 1;
      queries.set(type + name, count);
      dns.entries.set(name, { addresses: [count === 1 ? OPEN : INSIDE], ttlSeconds: 0 });
    };
    for (const way of WAYS) {
      const host = `${WAYS.indexOf(way)}.flip.test`;
      await ways[way](`http://${host}:${open.port}/first`);
      await ways[way](`http://${host}:${open.port}/second`);
    }
    expect(asked).toEqual(WAYS.map(() => '/first'));
    for (let look = 0; look < 3; look++) {
      await probe.host('p.flip.test', open.port);
      await icon('i.flip.test', open.port);
    }
    expect(elsewhere()).toEqual([]);
  });
});
