import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { askHttpChallenge, type HttpChallengeOptions } from '../../server/probe/forecast/http-challenge.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { answering, drippingText, endlessBody, endlessHeaders } from '../kit/peers/http-peers.ts';
import { keep } from '../kit/peers/loopback.ts';
import { closing, type PeerBehaviour, resetting, silent, startRawPeer } from '../kit/peers/raw-peers.ts';
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

const never = new AbortController().signal;
const PATH = /^\/\.well-known\/acme-challenge\/[\w-]{43}$/;
const PATIENT = { hop: 300_000, address: 300_000 };

let dns: DnsServer;
let ports: { http: number; https: number };
/** How the servers at OUTSIDE behave. Tests set it. */
let serve: RequestListener;
let asked: { host: string; path: string; agent: string }[];
let dials: Dials;
const peers: Peer[] = [];

beforeAll(async () => {
  dns = await startDnsServer({ ...HOSTILE_NAMES, 'site.test': { addresses: [OUTSIDE] } });
  const onRequest: RequestListener = (request, response) => {
    const { host = '', 'user-agent': agent = '' } = request.headers;
    asked.push({ host: host.replace(/:\d+$/, ''), path: request.url ?? '', agent });
    serve(request, response);
  };
  // Of another name and expired, as CAs accept.
  const { certificatePem, keyPem } = selfSigned({ dnsNames: ['other.test'], notAfter: Date.now() - 1_000 });
  const http = await listening(createServer(onRequest));
  const https = await listening(createTlsServer({ cert: certificatePem, key: keyPem }, onRequest));
  ports = { http: http.port, https: https.port };
  const inside = [http, https].map(({ port }) =>
    listening(
      createTcpServer((socket) => socket.destroy()),
      INSIDE,
      port,
    ),
  );
  peers.push(http, https, ...(await Promise.all(inside)));
});
afterAll(() => Promise.all([dns.stop(), ...peers.map((peer) => peer.stop())]));
beforeEach(() => {
  asked = [];
  serve = (_request, response) => response.writeHead(404).end('nothing');
  dials = watchDials();
});
afterEach(() => dials.stop());

interface AskOptions extends Pick<HttpChallengeOptions, 'host' | 'addresses' | 'reach' | 'signal'> {
  allow: string[];
  http: number;
  limits: typeof PATIENT;
}

/** Asks the host as a CA does. Only 127.0.0.1 is permitted, and 127.0.0.2 stands for an internal address. */
async function ask({
  host = 'site.test',
  addresses = [OUTSIDE],
  allow = [`${OUTSIDE}/32`],
  reach = 'all',
  http = ports.http,
  limits = PATIENT,
  signal = never,
}: Partial<AskOptions> = {}) {
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: [dns.address], policy });
  const options = { host, addresses, resolver, policy, reach, signal, limits };
  const { results } = await askHttpChallenge({ ...options, ports: { ...ports, http } });
  return results.map(({ result }) => result);
}
const redirectingTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location }).end();
const elsewhere = () => dials.attempts.filter((attempt) => !attempt.startsWith(`${OUTSIDE}:`));

describe('The request of http-01', () => {
  it('asks each address for a random token, with the host and our name', async () => {
    const url = expect.stringMatching(/^http:\/\/site\.test:\d+\/\.well-known\//);
    const answered = { outcome: 'answered', status: 404, url, isPage: false };
    expect(await ask({ addresses: [OUTSIDE, OUTSIDE] })).toEqual([answered, answered]);
    expect(asked).toMatchObject([{ host: 'site.test' }, { host: 'site.test' }]);
    for (const { path, agent } of asked) {
      expect(path).toMatch(PATH);
      expect(agent).toBe('Certlantern (forecast)');
    }
    expect(asked[0]?.path).not.toBe(asked[1]?.path);
  });

  it.each([
    ['a password', 401, 'Who are you?', false],
    ['an error', 503, 'Busy', false],
    ['a page for every path', 200, '<!doctype html><title>Shop</title>', true],
    ['an empty page', 200, '', true],
  ])('reports that the path answers with %s', async (_name, status, body, isPage) => {
    serve = (_request, response) => response.writeHead(status).end(body);
    expect(await ask()).toMatchObject([{ outcome: 'answered', status, isPage }]);
  });

  it('does not treat the key authorization of a stateless server as a page', async () => {
    serve = ({ url = '' }, response) => response.end(`${url.split('/').at(-1)}.thumbprint`);
    expect(await ask()).toMatchObject([{ outcome: 'answered', status: 200, isPage: false }]);
  });

  it.each([301, 302, 307, 308])(
    'follows a redirect with status %s to https and keeps the path',
    async (status) => {
      serve = ({ url = '', headers: { host = '' } }, response) =>
        host.endsWith(`:${ports.http}`)
          ? response.writeHead(status, { location: `https://site.test:${ports.https}${url}` }).end()
          : response.writeHead(404).end();
      const url = expect.stringContaining(`https://site.test:${ports.https}/.well-known/`);
      expect(await ask()).toEqual([{ outcome: 'answered', status: 404, url, isPage: false }]);
      expect(asked).toHaveLength(2);
    },
  );

  it('does not follow a redirect with status 303, as CAs do not', async () => {
    serve = redirectingTo('/there', 303);
    expect(await ask()).toMatchObject([{ outcome: 'answered', status: 303, isPage: false }]);
    expect(asked).toHaveLength(1);
  });

  it('follows ten redirects, but not eleven', async () => {
    const upTo =
      (last: number): RequestListener =>
      ({ url = '' }, response) => {
        const next = Number(/\d+$/.exec(url.replace(PATH, '/0'))?.[0]) + 1;
        if (next > last) response.writeHead(404).end();
        else response.writeHead(302, { location: `/${next}` }).end();
      };
    serve = upTo(10);
    expect(await ask()).toMatchObject([{ outcome: 'answered', url: expect.stringMatching(/\/10$/) }]);
    serve = upTo(11);
    expect(await ask()).toMatchObject([
      { outcome: 'bad_redirect', why: 'too_many', url: expect.stringMatching(/\/11$/) },
    ]);
  });

  it.each([
    ['port', 'http://site.test:8080/'],
    ['scheme', 'ftp://site.test/'],
    ['address', `http://${OUTSIDE}/`],
    ['address', 'http://[2606:4700::1]/'],
    ['unresolved', 'http://gone.test:HTTP/'],
    ['unresolved', 'http://inside.test:HTTP/'],
  ])('reports that a redirect is not followed because of its %s: %s', async (why, location) => {
    serve = redirectingTo(location.replace('HTTP', String(ports.http)));
    expect(await ask()).toMatchObject([{ outcome: 'bad_redirect', why }]);
    expect(asked).toHaveLength(1);
  });

  it('shows no password of a redirect, and at most 300 characters', async () => {
    serve = redirectingTo(`ftp://user:secret@site.test/${'a'.repeat(1_000)}`);
    const [result] = await ask();
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(result).toMatchObject({ url: expect.stringMatching(/^ftp:\/\/site\.test\/a{200,}$/) });
    expect(result?.outcome === 'bad_redirect' && result.url.length).toBe(300);
  });
});

describe('A peer without a proper answer to http-01', () => {
  const reach = async (behave: PeerBehaviour, limits = PATIENT) => {
    const { port } = keep(await startRawPeer(behave));
    return ask({ http: port, limits });
  };

  it('gives no connection if it refuses connections', async () => {
    const peer = await startRawPeer(silent);
    await peer.stop();
    expect(await ask({ http: peer.port })).toEqual([{ outcome: 'no_connection', why: 'refused' }]);
  });

  it.each<[string, PeerBehaviour, string]>([
    ['closes the connection', closing, 'closed'],
    ['resets the connection', resetting, 'closed'],
    ['speaks another protocol', answering('220 mail.example ESMTP\r\n'), 'not_http'],
    ['sends endless headers', endlessHeaders, 'not_http'],
  ])('gives no answer if it %s', async (_name, behave, why) => {
    expect(await reach(behave)).toEqual([{ outcome: 'no_answer', why }]);
  });

  it.each<[string, PeerBehaviour]>([
    ['is silent', silent],
    ['sends one byte at a time', drippingText(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(10_000)}`)],
  ])('gives no answer in time if it %s', async (_name, behave) => {
    for (const limits of [
      { ...PATIENT, hop: 100 },
      { ...PATIENT, address: 100 },
    ])
      expect(await reach(behave, limits)).toEqual([{ outcome: 'no_answer', why: 'timeout' }]);
  });

  it('is left after 256 bytes of an endless page', async () => {
    expect(await reach(endlessBody('', 'HTTP/1.1 200 OK\r\n\r\n'))).toMatchObject([
      { outcome: 'answered', status: 200, isPage: true },
    ]);
  });

  it('is left at once if the forecast is cancelled', async () => {
    await ask({ signal: AbortSignal.abort() });
    expect(dials.attempts).toEqual([]);
  });
});

describe('No request of http-01', () => {
  it('goes to a forbidden address of the host', async () => {
    const addresses = [INSIDE, '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.2', '64:ff9b::7f00:2'];
    const unroutable = { outcome: 'no_connection', why: 'unroutable' };
    expect(await ask({ addresses })).toEqual(addresses.map(() => unroutable));
    expect(dials.attempts).toEqual([]);
    promise('egress');
  });

  it('goes to an address that is not public, even if the operator opened its range', async () => {
    const allow = ['0.0.0.0/0', '::/0'];
    expect(await ask({ allow, reach: 'public', addresses: [OUTSIDE, '10.0.0.1'] })).toEqual([
      { outcome: 'no_connection', why: 'unroutable' },
      { outcome: 'no_connection', why: 'unroutable' },
    ]);
    expect(dials.attempts).toEqual([]);
  });

  it('goes to a public address of this machine', async () => {
    const policy = createAddressPolicy([], () => ['8.8.8.8']);
    const resolver = createResolver({ servers: [dns.address], policy });
    const own = { host: 'site.test', addresses: ['8.8.8.8'], resolver, policy };
    const { results } = await askHttpChallenge({ ...own, reach: 'public', signal: never });
    expect(results).toEqual([{ address: '8.8.8.8', result: { outcome: 'not_tested' } }]);
  });

  it('is redirected to a forbidden address', async () => {
    const locations = [
      ...hostileAuthorities(ports.http).map((authority) => `http://${authority}/x`),
      ...HOSTILE_URLS,
      `//${INSIDE}:${ports.http}/`,
    ].filter((location) => !/localhost|mixed|last/i.test(location));
    serve = ({ headers: { host = '' } }, response) => {
      const location = locations[Number(host.split('.')[0])] ?? '';
      response.writeHead(302, { location: encodeURI(location) }).end();
    };
    await Promise.all(locations.map((_, index) => ask({ host: `${index}.ca.test` })));
    expect(elsewhere()).toEqual([]);
    promise('egress');
  });

  it('is led to a forbidden address by DNS rebinding', async () => {
    let answers = 0;
    dns.onQuestion = (_type, name) => {
      if (name === 'flip.test')
        dns.entries.set(name, { addresses: [answers++ < 2 ? OUTSIDE : INSIDE], ttlSeconds: 0 });
    };
    serve = ({ url = '' }, response) =>
      response.writeHead(302, { location: `http://flip.test:${ports.http}/${url.length}` }).end();
    expect(await ask({ host: 'flip.test' })).toMatchObject([{ outcome: 'bad_redirect', why: 'unresolved' }]);
    expect(elsewhere()).toEqual([]);
    promise('egress');
  });
});
