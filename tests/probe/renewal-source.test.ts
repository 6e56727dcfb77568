import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { renewalInfoId } from '../../server/pki/renewal-info.ts';
import { createDiskCache } from '../../server/probe/sources/disk-cache.ts';
import { createRenewalSource, RENEWAL_AUTHORITIES } from '../../server/probe/sources/renewal-source.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { cacheFolder } from '../kit/peers/sources.ts';
import { startTlsServer, type TlsPeer } from '../kit/peers/tls-server.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

/* Tests against a fake CA that offers ARI as RFC 9773 defines it, over real TLS. */

const now = Date.now();
const root = mintAuthority();
const issuer = mintAuthority({ organization: 'Example CA' });
const leaf = parseCertificate(issuer.issue({ dnsNames: ['a.example'] }).der);
const start = '2026-01-02T04:00:00Z';
const end = '2026-01-03T04:00:00Z';
const window = { start: Date.parse(start), end: Date.parse(end), explanationUrl: null };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let peer: TlsPeer;
let asked: string[] = [];
let directory: Handler;
let renewalInfo: Handler;

const json = (content: unknown, status = 200, headers = {}): Handler => {
  return (_, response) => response.writeHead(status, headers).end(JSON.stringify(content));
};
const suggested = (more = {}, headers = {}) =>
  json({ suggestedWindow: { start, end }, ...more }, 200, headers);

beforeAll(async () => {
  const certificate = root.issue({ ipAddresses: ['127.0.0.1'] });
  peer = await startTlsServer(
    { '*': certificate },
    {
      serve(request, response) {
        asked.push(request.url ?? '');
        (request.url === '/directory' ? directory : renewalInfo)(request, response);
      },
    },
  );
});
afterAll(() => peer.stop());
beforeEach(() => {
  asked = [];
  directory = json({ renewalInfo: `https://127.0.0.1:${peer.port}/renewal-info/` });
  renewalInfo = suggested({}, { 'retry-after': '21600' });
});

function source({ folder = null as string | null, trusted = root } = {}) {
  const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const way = {
    resolver: createResolver({ servers: [], policy }),
    policy,
    cache: createDiskCache(folder),
    stop: stopping.signal,
    secure: createVerifiedTls([trusted.certificatePem]),
  };
  return createRenewalSource(way, [
    { organization: 'Example CA', directory: `https://127.0.0.1:${peer.port}/directory` },
  ]);
}

const ask = (from: ReturnType<typeof source>, at = now, certificate = leaf) =>
  from.renewal({ leaf: certificate, now: at, signal: AbortSignal.timeout(60_000) });
const questions = () => asked.filter((path) => path !== '/directory').length;

describe('A renewal window (ARI)', () => {
  it('is requested by the certificate’s id at the address in the CA’s directory', async () => {
    expect(await ask(source())).toEqual({
      fingerprint: leaf.fingerprint,
      at: now,
      outcome: 'window',
      ...window,
    });
    expect(asked).toEqual(['/directory', `/renewal-info/${renewalInfoId(leaf)}`]);
  });

  it('comes with the CA’s explanation URL if it is https', async () => {
    renewalInfo = suggested({ explanationURL: 'https://ca.example/incident' });
    expect(await ask(source())).toMatchObject({ explanationUrl: 'https://ca.example/incident' });
    renewalInfo = suggested({ explanationURL: 'javascript:alert(1)' });
    expect(await ask(source())).toMatchObject({ explanationUrl: null });
  });

  it('is read if the CA compresses its answers unasked', async () => {
    const packed = (content: unknown): Handler => {
      const headers = { 'content-encoding': 'gzip' };
      return (_, response) => response.writeHead(200, headers).end(gzipSync(JSON.stringify(content)));
    };
    directory = packed({ renewalInfo: `https://127.0.0.1:${peer.port}/renewal-info/` });
    renewalInfo = packed({ suggestedWindow: { start, end } });
    expect(await ask(source())).toMatchObject({ outcome: 'window', ...window });
  });

  it('is requested once for concurrent requests', async () => {
    const one = source();
    await Promise.all(Array.from({ length: 20 }, () => ask(one)));
    expect(asked).toHaveLength(2);
  });

  it.each<[string, Record<string, string>, number, number]>([
    ['as often as the CA says', { 'retry-after': '21600' }, 6 * HOUR_MS - 1, 6 * HOUR_MS],
    ['daily if the CA says nothing', {}, DAY_MS - 1, DAY_MS],
    ['daily if the CA says a year', { 'retry-after': '31536000' }, DAY_MS - 1, DAY_MS],
    ['after a minute if the CA says at once', { 'retry-after': '0' }, 59_000, 60_000],
    [
      'at the date that the CA says',
      { 'retry-after': new Date(now + 7_200_000).toUTCString() },
      7_190_000,
      7_200_000,
    ],
    ['daily if the CA says nonsense', { 'retry-after': 'soon' }, DAY_MS - 1, DAY_MS],
  ])('is requested again %s', async (_, headers, before, then) => {
    renewalInfo = suggested({}, headers);
    const one = source();
    await ask(one);
    await ask(one, now + before);
    expect(questions()).toBe(1);
    expect(await ask(one, now + then)).toMatchObject({ at: now + then });
    expect(questions()).toBe(2);
  });

  it('is cached for the next process', async () => {
    const folder = cacheFolder();
    await ask(source({ folder }));
    expect(await ask(source({ folder }), now + HOUR_MS)).toMatchObject({ outcome: 'window', at: now });
    expect(asked).toHaveLength(2);
  });

  it('stays known while the CA does not answer', async () => {
    const one = source();
    await ask(one);
    renewalInfo = json({}, 503);
    const later = now + 7 * HOUR_MS;
    expect(await ask(one, later)).toMatchObject({ outcome: 'window', at: now });
    await ask(one, later + 14 * 60_000);
    expect(questions()).toBe(2);
    renewalInfo = suggested();
    expect(await ask(one, later + 15 * 60_000)).toMatchObject({ at: later + 15 * 60_000 });
  });

  it('is not requested from a CA server with an untrusted certificate', async () => {
    expect(await ask(source({ trusted: issuer }))).toMatchObject({ outcome: 'unavailable' });
    expect(asked).toEqual([]);
  });
});

describe('The renewal source (ARI)', () => {
  it('requests no window for certificates of unknown CAs', async () => {
    const other = parseCertificate(mintAuthority({ organization: 'Other CA' }).issue({}).der);
    expect(await ask(source(), now, other)).toBeNull();
    const nameless = parseCertificate(issuer.issue({ keyIdentifiers: null }).der);
    expect(await ask(source(), now, nameless)).toBeNull();
    expect(asked).toEqual([]);
  });

  it('reports a certificate that the CA does not know as unsupported, and caches that answer for a week', async () => {
    renewalInfo = json({ type: 'urn:ietf:params:acme:error:malformed' }, 404);
    const one = source();
    expect(await ask(one)).toMatchObject({ outcome: 'unsupported' });
    await ask(one, now + 6.9 * DAY_MS);
    expect(questions()).toBe(1);
    renewalInfo = suggested();
    expect(await ask(one, now + 7 * DAY_MS)).toMatchObject({ outcome: 'window' });
  });

  it('requests no window if the CA’s directory names no ARI service', async () => {
    directory = json({ newOrder: 'https://127.0.0.1/' });
    expect(await ask(source())).toMatchObject({ outcome: 'unsupported' });
    expect(questions()).toBe(0);
  });

  it.each<[string, Handler]>([
    ['an error', json({}, 500)],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/directory' }).end()],
    ['an answer that is no JSON', (_, response) => response.end('<html>')],
    ['a window that ends before it starts', json({ suggestedWindow: { start: end, end: start } })],
    ['a body that is too large', (_, response) => response.end(`"${'x'.repeat(70_000)}"`)],
    ['a hang-up', (_, response) => response.destroy()],
  ])('reports no window after %s, and retries the request later', async (_, handler) => {
    renewalInfo = handler;
    const one = source();
    expect(await ask(one)).toMatchObject({ outcome: 'unavailable' });
    expect(await ask(one, now + 60_000)).toMatchObject({ outcome: 'unavailable' });
    expect(questions()).toBe(1);
    renewalInfo = suggested();
    expect(await ask(one, now + 6 * HOUR_MS)).toMatchObject({ outcome: 'window' });
  });

  it.each([
    [429, { 'retry-after': '3600' }, HOUR_MS],
    [429, {}, 15 * 60_000],
    [503, { 'retry-after': '3600' }, HOUR_MS],
  ])(
    'reports no window for any certificate of a CA after status %i with %o until the retry is due',
    async (status, headers, ms) => {
      renewalInfo = json({}, status, headers);
      const one = source();
      await ask(one);
      renewalInfo = suggested();
      const other = parseCertificate(issuer.issue({ dnsNames: ['b.example'] }).der);
      expect(await ask(one, now + ms - 1, other)).toMatchObject({ outcome: 'unavailable' });
      expect(questions()).toBe(1);
      expect(await ask(one, now + ms, other)).toMatchObject({ outcome: 'window' });
      expect(await ask(one, now + ms)).toMatchObject({ outcome: 'window' });
    },
  );

  it('requests no window over plain HTTP', async () => {
    directory = json({ renewalInfo: `http://127.0.0.1:${peer.port}/renewal-info` });
    expect(await ask(source())).toMatchObject({ outcome: 'unavailable' });
    expect(questions()).toBe(0);
  });

  it('returns no window if the CA has not answered by the caller’s deadline', async () => {
    renewalInfo = () => undefined;
    const one = source();
    const signal = AbortSignal.timeout(50);
    expect(await one.renewal({ leaf, now, signal })).toMatchObject({ outcome: 'unavailable' });
  });
});

it('All ARI directories have https addresses', () => {
  expect(RENEWAL_AUTHORITIES.every(({ directory: url }) => url.startsWith('https://'))).toBe(true);
});
