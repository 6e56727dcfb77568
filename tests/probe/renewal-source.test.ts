import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeForecast } from '../../server/core/forecast/make-forecast.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { renewalInfoId } from '../../server/pki/renewal-info.ts';
import { createDiskCache } from '../../server/probe/sources/disk-cache.ts';
import { createRenewalSource, RENEWAL_AUTHORITIES } from '../../server/probe/sources/renewal-source.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type AriHandler, ariJson, type AriServer, startAriServer } from '../kit/peers/ari-server.ts';
import { cacheFolder } from '../kit/peers/sources.ts';
import { healthySite } from '../kit/product/renewal-site.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

/* Tests against a fake CA that offers ARI as RFC 9773 defines it, over real TLS. */

const now = Date.now();
const root = mintAuthority();
const issuer = mintAuthority({ organization: 'Example CA' });
const leaf = parseCertificate(issuer.issue({ dnsNames: ['a.example'] }).der);
const start = '2026-01-02T04:00:00Z';
const end = '2026-01-03T04:00:00Z';
const window = { start: Date.parse(start), end: Date.parse(end), explanationUrl: null };

let ca: AriServer;

const suggested = (more = {}, headers = {}) =>
  ariJson({ suggestedWindow: { start, end }, ...more }, 200, headers);

beforeAll(async () => {
  ca = await startAriServer(root.issue({ ipAddresses: ['127.0.0.1'] }));
});
afterAll(() => ca.stop());
beforeEach(() => {
  ca.asked = [];
  ca.directory = ariJson({ renewalInfo: `https://127.0.0.1:${ca.port}/renewal-info/` });
  ca.renewalInfo = suggested({}, { 'retry-after': '21600' });
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
  return createRenewalSource(way, [{ organization: 'Example CA', directory: ca.directoryUrl }]);
}

const ask = (from: ReturnType<typeof source>, at = now, certificate = leaf) =>
  from.renewal({ leaf: certificate, now: at, signal: AbortSignal.timeout(60_000) });
const questions = () => ca.asked.filter((path) => path !== '/directory').length;

describe('A renewal window (ARI)', () => {
  it('is requested by the certificate’s id at the address in the CA’s directory', async () => {
    expect(await ask(source())).toEqual({
      fingerprint: leaf.fingerprint,
      at: now,
      outcome: 'window',
      ...window,
    });
    expect(ca.asked).toEqual(['/directory', `/renewal-info/${renewalInfoId(leaf)}`]);
  });

  it('is the day on which a forecast expects the renewal', async () => {
    const asked = await ask(source());
    const { evidence, context } = healthySite('a.example');
    const { start: from, end: to } = window;
    const notBefore = from - 60 * DAY_MS;
    const certificate = { ...context.certificate, notBefore, notAfter: to + 30 * DAY_MS };
    const renewalWindow = asked?.outcome === 'window' ? asked : null;
    const about = { ...context, certificate, renewalWindow, now: from - 10 * DAY_MS };
    const forecast = makeForecast({ ...evidence, at: about.now }, about);
    expect(forecast.expectedBy).toBe('ari');
    expect(forecast.expectedAt).toBeGreaterThanOrEqual(from);
    expect(forecast.expectedAt).toBeLessThanOrEqual(to);
  });

  it('comes with the CA’s explanation URL if it is https', async () => {
    ca.renewalInfo = suggested({ explanationURL: 'https://ca.example/incident' });
    expect(await ask(source())).toMatchObject({ explanationUrl: 'https://ca.example/incident' });
    ca.renewalInfo = suggested({ explanationURL: 'javascript:alert(1)' });
    expect(await ask(source())).toMatchObject({ explanationUrl: null });
  });

  it('is read if the CA compresses its answers unasked', async () => {
    const packed = (content: unknown): AriHandler => {
      const headers = { 'content-encoding': 'gzip' };
      return (_, response) => response.writeHead(200, headers).end(gzipSync(JSON.stringify(content)));
    };
    ca.directory = packed({ renewalInfo: `https://127.0.0.1:${ca.port}/renewal-info/` });
    ca.renewalInfo = packed({ suggestedWindow: { start, end } });
    expect(await ask(source())).toMatchObject({ outcome: 'window', ...window });
  });

  it('is requested once for concurrent requests', async () => {
    const one = source();
    await Promise.all(Array.from({ length: 20 }, () => ask(one)));
    expect(ca.asked).toHaveLength(2);
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
    ca.renewalInfo = suggested({}, headers);
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
    expect(ca.asked).toHaveLength(2);
  });

  it('stays known while the CA does not answer', async () => {
    const one = source();
    await ask(one);
    ca.renewalInfo = ariJson({}, 503);
    const later = now + 7 * HOUR_MS;
    expect(await ask(one, later)).toMatchObject({ outcome: 'window', at: now });
    await ask(one, later + 14 * 60_000);
    expect(questions()).toBe(2);
    ca.renewalInfo = suggested();
    expect(await ask(one, later + 15 * 60_000)).toMatchObject({ at: later + 15 * 60_000 });
  });

  it('is not requested from a CA server with an untrusted certificate', async () => {
    expect(await ask(source({ trusted: issuer }))).toMatchObject({ outcome: 'unavailable' });
    expect(ca.asked).toEqual([]);
  });
});

describe('The renewal source (ARI)', () => {
  it('requests no window for certificates of unknown CAs', async () => {
    const other = parseCertificate(mintAuthority({ organization: 'Other CA' }).issue({}).der);
    expect(await ask(source(), now, other)).toBeNull();
    const nameless = parseCertificate(issuer.issue({ keyIdentifiers: null }).der);
    expect(await ask(source(), now, nameless)).toBeNull();
    expect(ca.asked).toEqual([]);
  });

  it('reports a certificate that the CA does not know as unsupported, and caches that answer for a week', async () => {
    ca.renewalInfo = ariJson({ type: 'urn:ietf:params:acme:error:malformed' }, 404);
    const one = source();
    expect(await ask(one)).toMatchObject({ outcome: 'unsupported' });
    await ask(one, now + 6.9 * DAY_MS);
    expect(questions()).toBe(1);
    ca.renewalInfo = suggested();
    expect(await ask(one, now + 7 * DAY_MS)).toMatchObject({ outcome: 'window' });
  });

  it('requests no window if the CA’s directory names no ARI service', async () => {
    ca.directory = ariJson({ newOrder: 'https://127.0.0.1/' });
    expect(await ask(source())).toMatchObject({ outcome: 'unsupported' });
    expect(questions()).toBe(0);
  });

  it.each<[string, AriHandler]>([
    ['an error', ariJson({}, 500)],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/directory' }).end()],
    ['an answer that is no JSON', (_, response) => response.end('<html>')],
    ['a window that ends before it starts', ariJson({ suggestedWindow: { start: end, end: start } })],
    ['a body that is too large', (_, response) => response.end(`"${'x'.repeat(70_000)}"`)],
    ['a hang-up', (_, response) => response.destroy()],
  ])('reports no window after %s, and retries the request later', async (_, handler) => {
    ca.renewalInfo = handler;
    const one = source();
    expect(await ask(one)).toMatchObject({ outcome: 'unavailable' });
    expect(await ask(one, now + 60_000)).toMatchObject({ outcome: 'unavailable' });
    expect(questions()).toBe(1);
    ca.renewalInfo = suggested();
    expect(await ask(one, now + 6 * HOUR_MS)).toMatchObject({ outcome: 'window' });
  });

  it.each([
    [429, { 'retry-after': '3600' }, HOUR_MS],
    [429, {}, 15 * 60_000],
    [503, { 'retry-after': '3600' }, HOUR_MS],
  ])(
    'reports no window for any certificate of a CA after status %i with %o until the retry is due',
    async (status, headers, ms) => {
      ca.renewalInfo = ariJson({}, status, headers);
      const one = source();
      await ask(one);
      ca.renewalInfo = suggested();
      const other = parseCertificate(issuer.issue({ dnsNames: ['b.example'] }).der);
      expect(await ask(one, now + ms - 1, other)).toMatchObject({ outcome: 'unavailable' });
      expect(questions()).toBe(1);
      expect(await ask(one, now + ms, other)).toMatchObject({ outcome: 'window' });
      expect(await ask(one, now + ms)).toMatchObject({ outcome: 'window' });
    },
  );

  it('requests no window over plain HTTP', async () => {
    ca.directory = ariJson({ renewalInfo: `http://127.0.0.1:${ca.port}/renewal-info` });
    expect(await ask(source())).toMatchObject({ outcome: 'unavailable' });
    expect(questions()).toBe(0);
  });

  it('returns no window if the CA has not answered by the caller’s deadline', async () => {
    ca.renewalInfo = () => undefined;
    const one = source();
    const signal = AbortSignal.timeout(50);
    expect(await one.renewal({ leaf, now, signal })).toMatchObject({ outcome: 'unavailable' });
  });
});

it('All ARI directories have https addresses', () => {
  expect(RENEWAL_AUTHORITIES.every(({ directory: url }) => url.startsWith('https://'))).toBe(true);
});
