import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createDiskCache } from '../../server/probe/sources/disk-cache.ts';
import { createDomainSource } from '../../server/probe/sources/domain-source.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { cacheFolder } from '../kit/peers/sources.ts';
import { startTlsServer, type TlsPeer } from '../kit/peers/tls-server.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const now = Date.now();
const root = mintAuthority();

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let dns: DnsServer;
let peer: TlsPeer;
let asked: string[] = [];
let bootstrap: Handler;
let registry: Handler;

const json = (content: unknown, status = 200): Handler => {
  return (_, response) => response.writeHead(status).end(JSON.stringify(content));
};
const domainObject = (more = {}) => ({ objectClassName: 'domain', ldhName: 'EXAMPLE.COM', ...more });
const expiration = (eventDate: unknown) => ({
  events: [
    { eventAction: 'registration', eventDate: start },
    { eventAction: 'expiration', eventDate },
  ],
});
const start = '1995-08-14T04:00:00Z';

beforeAll(async () => {
  dns = await startDnsServer();
  peer = await startTlsServer(
    { '*': root.issue({ ipAddresses: ['127.0.0.1'] }) },
    {
      serve(request, response) {
        asked.push(request.url ?? '');
        (request.url === '/dns.json' ? bootstrap : registry)(request, response);
      },
    },
  );
});
afterAll(async () => {
  await peer.stop();
  await dns.stop();
});
beforeEach(() => {
  asked = [];
  dns.entries.clear();
  dns.questions.length = 0;
  const base = `https://127.0.0.1:${peer.port}/rdap`;
  bootstrap = json({
    version: '1.0',
    services: [
      [['net'], ['http://127.0.0.1/only-plain/']],
      [
        ['com', 'uk'],
        ['http://127.0.0.1/plain/', base],
      ],
    ],
  });
  registry = json(domainObject(expiration('2027-08-13T04:00:00Z')));
});

function source(folder: string | null = null) {
  const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  return createDomainSource({
    resolver: createResolver({ servers: [dns.address], policy }),
    reader: createDnsReader({ servers: [dns.address], now: Date.now }),
    policy,
    cache: createDiskCache(folder),
    stop: stopping.signal,
    secure: createVerifiedTls([root.certificatePem]),
    bootstrapUrl: `https://127.0.0.1:${peer.port}/dns.json`,
  });
}

const signal = () => AbortSignal.timeout(60_000);
const registration = (host: string, from = source(), at = now) =>
  from.registration({ host, now: at, signal: signal() });
const caa = (host: string) => source().caa({ host, signal: signal() });

describe('The expiry date of a registration', () => {
  const expires = {
    outcome: 'expires',
    domain: 'example.com',
    expiresAt: Date.UTC(2027, 7, 13, 4),
    registrar: null,
  };

  it('comes from the registry of the top-level domain, for the registrable domain', async () => {
    expect(await registration('www.shop.example.com')).toEqual(expires);
    expect(asked).toEqual(['/dns.json', '/rdap/domain/example.com']);
    expect(await registration('a.b.example.co.uk')).toMatchObject({ domain: 'example.co.uk' });
    expect(await registration('somebody.github.io')).toEqual({ outcome: 'unavailable', domain: 'github.io' });
  });

  it('comes with the registrar’s name, without control characters and at most 200 characters long', async () => {
    const card = (name: unknown) => [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', name],
      ],
    ];
    const entities = (name: unknown) => [
      { roles: ['abuse'], vcardArray: card('Abuse Desk') },
      { roles: ['registrar'], vcardArray: card(name) },
    ];
    const said = (name: unknown) => {
      registry = json(domainObject({ ...expiration('2027-08-13T04:00:00Z'), entities: entities(name) }));
      return registration('example.com');
    };
    expect(await said('Example Registrar, Inc.')).toEqual({
      ...expires,
      registrar: 'Example Registrar, Inc.',
    });
    expect(await said('Evil\r\nBcc: x@y\u202e')).toEqual({ ...expires, registrar: 'Evil Bcc: x@y' });
    expect(await said(5)).toEqual(expires);
    expect(await said('x'.repeat(5_000))).toMatchObject({ registrar: 'x'.repeat(200) });
  });

  it('is requested once a week, by all processes together', async () => {
    const folder = cacheFolder();
    const one = source(folder);
    await Promise.all(Array.from({ length: 10 }, () => registration('example.com', one)));
    expect(await registration('www.example.com', source(folder), now + 6 * DAY_MS)).toEqual(expires);
    expect(asked).toHaveLength(2);
    await registration('example.com', one, now + 7 * DAY_MS);
    expect(asked).toHaveLength(4);
  });

  it('is requested daily during the last 60 days, because alerts depend on it', async () => {
    const one = source();
    const end = Date.UTC(2027, 7, 13, 4);
    for (const [daysLeft, requests] of [
      [61, 1],
      [60.5, 1],
      [60, 2],
      [59, 3],
    ] as const) {
      await registration('example.com', one, end - daysLeft * DAY_MS);
      expect(asked.filter((path) => path.startsWith('/rdap/'))).toHaveLength(requests);
    }
  });

  it.each<[string, unknown]>([
    ['without events', domainObject()],
    ['with another event', domainObject({ events: [{ eventAction: 'last changed', eventDate: start }] })],
    ['with a date that is none', domainObject(expiration('never'))],
    ['with a number', domainObject(expiration(5))],
  ])('is reported as not published for an answer %s', async (_, content) => {
    registry = json(content);
    expect(await registration('example.com')).toEqual({ outcome: 'no_date', domain: 'example.com' });
  });

  it('is not_found for an unregistered name and not_applicable to local names and IP addresses', async () => {
    registry = json({ errorCode: 404 }, 404);
    expect(await registration('example.com')).toEqual({ outcome: 'not_found', domain: 'example.com' });
    for (const host of ['127.0.0.1', '::1', 'localhost', 'router.local', 'a.internal', 'com', 'co.uk']) {
      expect(await registration(host)).toEqual({ outcome: 'not_applicable' });
    }
  });

  it.each<[string, Handler]>([
    ['an error', json({}, 500)],
    ['status 429', json({}, 429)],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an answer that is no JSON', (_, response) => response.end('<html>')],
    ['an object of another class', json({ objectClassName: 'nameserver' })],
    ['an answer that is too large', json(domainObject({ remarks: 'x'.repeat(70_000) }))],
  ])('is unavailable after %s, and requested again later', async (_, handler) => {
    registry = handler;
    const one = source();
    const unavailable = { outcome: 'unavailable', domain: 'example.com' };
    expect(await registration('example.com', one)).toEqual(unavailable);
    expect(await registration('example.com', one, now + HOUR_MS - 1)).toEqual(unavailable);
    expect(asked).toHaveLength(2);
    registry = json(domainObject(expiration('2027-08-13T04:00:00Z')));
    expect(await registration('example.com', one, now + DAY_MS)).toEqual(expires);
  });

  it('is unavailable if the registry has no RDAP service over HTTPS', async () => {
    expect(await registration('example.org')).toEqual({ outcome: 'unavailable', domain: 'example.org' });
    expect(await registration('example.net')).toEqual({ outcome: 'unavailable', domain: 'example.net' });
    expect(asked.filter((path) => path !== '/dns.json')).toEqual([]);
  });

  it('is unavailable while the list of registries is invalid', async () => {
    bootstrap = json({ services: 'none' });
    expect(await registration('example.com')).toEqual({ outcome: 'unavailable', domain: 'example.com' });
  });
});

describe('The CAA lookup', () => {
  const issue = { tag: 'issue', value: 'ca.example' };
  const caaQuestions = () => dns.questions.flatMap((asked) => /^CAA (.*)$/.exec(asked)?.[1] ?? []);

  it('returns the records of the closest name that has any', async () => {
    dns.entries.set('example.com', {
      addresses: [],
      caa: [issue, { flags: 128, tag: 'issuewild', value: ';' }],
    });
    dns.entries.set('b.example.com', { addresses: ['8.8.8.8'] });
    expect(await caa('a.b.example.com')).toEqual({
      outcome: 'records',
      domain: 'example.com',
      records: [
        { critical: false, ...issue },
        { critical: true, tag: 'issuewild', value: ';' },
      ],
    });
    expect(caaQuestions()).toEqual(['a.b.example.com', 'b.example.com', 'example.com']);
  });

  it('returns none if no name below the top-level domain has any', async () => {
    expect(await caa('a.example.com')).toEqual({ outcome: 'none' });
    expect(caaQuestions().at(-1)).toBe('example.com');
  });

  it('is not applicable to an IP address', async () => {
    for (const host of ['192.0.2.7', '2001:db8::7'])
      expect(await caa(host)).toEqual({ outcome: 'not_applicable' });
    expect(dns.questions).toEqual([]);
  });

  it.each(['critical', 'type', '__proto__'])('reads a record with the tag %s', async (tag) => {
    dns.entries.set('example.com', { addresses: [], caa: [{ flags: 129, tag, value: 'x' }, issue] });
    const records = [
      { critical: true, tag, value: 'x' },
      { critical: false, ...issue },
    ];
    expect(await caa('a.example.com')).toEqual({ outcome: 'records', domain: 'example.com', records });
  });

  it('takes only bit 128 of the flags as critical, and returns at most 50 records', async () => {
    dns.entries.set('example.com', {
      addresses: [],
      caa: Array.from({ length: 60 }, () => ({ flags: 127, ...issue })),
    });
    const found = await caa('example.com');
    expect(found).toEqual({
      outcome: 'records',
      domain: 'example.com',
      records: Array.from({ length: 50 }, () => ({ critical: false, ...issue })),
    });
  });

  it('asks nothing about local names', async () => {
    for (const host of ['localhost', 'printer.internal', 'intranet'])
      expect(await caa(host)).toEqual({ outcome: 'none' });
    expect(dns.questions).toEqual([]);
  });

  it('is unavailable if the query of one name fails', async () => {
    dns.entries.set('example.com', { answer: 'servfail' });
    dns.entries.set('com', { addresses: [], caa: [issue] });
    expect(await caa('a.example.com')).toEqual({ outcome: 'unavailable' });
  });
});
