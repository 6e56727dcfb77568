import type { RequestListener } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assessUptime } from '../../server/core/check/uptime.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe, type ProbeOptions } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import {
  HOSTILE_HTTP2,
  http2Frame,
  OK_HEADERS,
  sending,
  SETTINGS,
  speakingHttp2,
} from '../kit/peers/http2-peers.ts';
import { PATIENT, stopTimers } from '../kit/peers/loopback.ts';
import { closing, type PeerBehaviour, startRawPeer } from '../kit/peers/raw-peers.ts';
import { listening, type Peer, startTlsServer } from '../kit/peers/tls-server.ts';

const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const leaf = mintAuthority().issue({ dnsNames: ['site.test'] });

const running: Peer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
});

type Serve = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Starts a Node.js server that speaks only HTTP/2; with `allowHTTP1`, also HTTP/1.1. */
async function site(serve: Serve, options: SecureServerOptions = {}) {
  const server: Http2SecureServer = createSecureServer(
    { cert: leaf.certificatePem, key: leaf.keyPem, ...options },
    serve,
  );
  server.on('sessionError', () => undefined);
  const peer = await listening(server);
  running.push(peer);
  return { server, port: peer.port };
}

function observe(
  port: number,
  timeouts: ProbeOptions['timeouts'] = {},
  host = 'site.test',
): Promise<Observation> {
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
  const probe = createProbe({
    resolver,
    policy,
    now: Date.now,
    sources: NO_SOURCES,
    timeouts: { ...PATIENT, ...timeouts },
  });
  return probe.observe(
    { host, port, protocol: 'https' },
    { signal: new AbortController().signal, trustStore: createTrustStore([]), withPosture: false },
  );
}
const answered = (method: string, status: number) => ({ outcome: 'answered', method, status });

describe('A probe of a server with HTTP/2 alone', () => {
  it('sends a HEAD of / with the fields of a browser’s request', async () => {
    const requests: unknown[] = [];
    const { port } = await site(({ headers, httpVersion }, response) => {
      requests.push({ ...Object.fromEntries(Object.entries(headers)), httpVersion });
      response.end();
    });
    expect(await observe(port)).toMatchObject({
      addresses: [{ outcome: 'handshake', alpn: 'h2' }],
      http: answered('HEAD', 200),
    });
    expect(requests).toEqual([
      {
        ':method': 'HEAD',
        ':scheme': 'https',
        ':path': '/',
        ':authority': `site.test:${port}`,
        'user-agent': 'Certlantern (uptime)',
        accept: '*/*',
        httpVersion: '2.0',
      },
    ]);
  });

  it.each([[`${'long.'.repeat(24)}test`], [`${'long.'.repeat(48)}test`], ['::1'], ['192.0.2.1']])(
    'sends %s and its port as the authority',
    async (host) => {
      const authorities: unknown[] = [];
      const { port } = await site(({ authority }, response) => {
        authorities.push(authority);
        response.end();
      });
      expect((await observe(port, {}, host)).http).toMatchObject(answered('HEAD', 200));
      expect(authorities).toEqual([`${host === '::1' ? '[::1]' : host}:${port}`]);
    },
  );

  it.each([200, 204, 301, 302, 399, 401, 403, 404, 418, 429])(
    'accepts status %i as an answer',
    async (status) => {
      const { port } = await site((_request, response) => void response.writeHead(status).end());
      expect((await observe(port)).http).toMatchObject(answered('HEAD', status));
    },
  );

  it.each([405, 500, 501, 503])('repeats the request with GET if HEAD gets %i', async (status) => {
    const { port } = await site(({ method }, response) => {
      response.writeHead(method === 'HEAD' ? status : 200).end('hello');
    });
    expect((await observe(port)).http).toMatchObject(answered('GET', 200));
  });

  it('skips interim responses', async () => {
    const { port } = await site((_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeEarlyHints({ link: '</b.css>; rel=preload' });
      response.writeHead(302).end();
    });
    expect((await observe(port)).http).toMatchObject(answered('HEAD', 302));
  });

  it('repeats the request with GET if the server resets its stream', async () => {
    const { port } = await site(({ method }, response) => {
      if (method === 'HEAD') response.stream.close(2);
      else response.end('hello');
    });
    expect((await observe(port)).http).toMatchObject(answered('GET', 200));
  });

  it('repeats the request with GET if HEAD gets no answer within its time', async () => {
    const asked = Promise.withResolvers<void>();
    const { port } = await site(({ method }, response) => {
      if (method === 'HEAD') asked.resolve();
      else response.end('hello');
    });
    stopTimers();
    const pending = observe(port, { http: 2_500 });
    await asked.promise;
    vi.advanceTimersByTime(1_000);
    expect((await pending).http).toMatchObject(answered('GET', 200));
  });
});

describe('A probe of a server with HTTP/2', () => {
  it('prefers HTTP/2 to HTTP/1.1, and uses HTTP/1.1 if the server chooses that or ignores ALPN', async () => {
    const both = await site((_request, response) => response.end(), { allowHTTP1: true });
    const serve: RequestListener = ({ httpVersion }, response) => {
      response.writeHead(httpVersion === '1.1' ? 200 : 505).end();
    };
    const old = await startTlsServer({ '*': leaf }, { serve, ALPNProtocols: ['http/1.1'] });
    const without = await startTlsServer({ '*': leaf }, { serve });
    running.push(old, without);
    for (const [port, alpn] of [
      [both.port, 'h2'],
      [old.port, 'http/1.1'],
      [without.port, null],
    ] as const)
      expect(await observe(port)).toMatchObject({
        addresses: [{ outcome: 'handshake', alpn }],
        http: answered('HEAD', 200),
      });
  });

  it('repeats the request by HTTP/1.1 if the server demands it, and then offers only HTTP/1.1', async () => {
    const requests: string[] = [];
    const { port } = await site(
      ({ httpVersion, method }, response) => {
        requests.push(`${method} ${httpVersion}`);
        if (httpVersion === '2.0') response.stream.close(13);
        else response.writeHead(method === 'HEAD' ? 405 : 200).end();
      },
      { allowHTTP1: true },
    );
    expect(await observe(port)).toMatchObject({
      addresses: [{ alpn: 'h2' }],
      http: { ...answered('GET', 200), http2Faults: ['http1_required'] },
    });
    expect(requests).toEqual(['HEAD 2.0', 'HEAD 1.1', 'GET 1.1']);
  });

  it('ends the connection with GOAWAY and an orderly close', async () => {
    const { server, port } = await site((_request, response) => response.end());
    const ended = Promise.withResolvers<unknown[]>();
    server.on('session', (session) => {
      const seen: unknown[] = [];
      session.on('goaway', (code) => seen.push(`goaway ${code}`));
      session.on('error', (error) => seen.push(error));
      session.on('close', () => ended.resolve(seen));
    });
    await observe(port);
    expect(await ended.promise).toEqual(['goaway 0']);
  });

  it.each([
    ['compresses its status', 418, [http2Frame(1, 5, [0x08, 0x83, 0x68, 0x2f, 0x7f])]],
    ['adds its status to the table', 302, [http2Frame(1, 5, [0x48, 0x82, 0x64, 0x02])]],
    [
      'spells out the name of its status',
      301,
      [http2Frame(1, 5, [0, 7, ...Buffer.from(':status'), 3, ...Buffer.from('301')])],
    ],
    ['changes the size of the table first', 200, [http2Frame(1, 5, [0x20, 0x3f, 0xe1, 0x1f, 0x88])]],
    [
      'splits its headers anywhere',
      404,
      [http2Frame(1, 1), http2Frame(9, 0, [0x08]), http2Frame(9, 4, [3, ...Buffer.from('404')])],
    ],
    ['pads its headers and gives a priority', 204, [http2Frame(1, 0x2d, [2, 0, 0, 0, 0, 9, 0x89, 0, 0])]],
    [
      'says that it goes away soon',
      200,
      [http2Frame(7, 0, [0x7f, 255, 255, 255, 0, 0, 0, 0], 0), OK_HEADERS],
    ],
    ['sends frames of unknown types', 200, [http2Frame(0xee, 0xff, [1, 2, 3], 77), OK_HEADERS]],
  ])('reads the status of a server that %s', async (_name, status, frames) => {
    const peer = await startTlsServer(
      { '*': leaf },
      { ALPNProtocols: ['h2'], manners: sending(SETTINGS, ...frames) },
    );
    running.push(peer);
    expect((await observe(peer.port)).http).toMatchObject(answered('HEAD', status));
  });

  it('reads the status of a response whose headers exceed our limit', async () => {
    const { port } = await site((_request, response) => {
      response.writeHead(503, { 'x-large': '<'.repeat(20_000) }).end();
    });
    expect((await observe(port)).http).toMatchObject(answered('GET', 503));
  });

  it('repeats the request with GET if only the answer to HEAD breaks HTTP/2', async () => {
    let connections = 0;
    const peer = await startTlsServer(
      { '*': leaf },
      {
        ALPNProtocols: ['h2'],
        manners: (socket) => sending(SETTINGS, connections++ === 0 ? http2Frame(1, 5) : OK_HEADERS)(socket),
      },
    );
    running.push(peer);
    expect((await observe(peer.port)).http).toMatchObject(answered('GET', 200));
  });

  it('counts the site as down if its answer to HTTP/2 is HTTP/1.1', async () => {
    const peer = await startTlsServer(
      { '*': leaf },
      { ALPNProtocols: ['h2'], manners: sending(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')) },
    );
    running.push(peer);
    expect(assessUptime(await observe(peer.port))).toMatchObject({
      state: 'down',
      cause: { message: `site.test:${peer.port} agreed on HTTP/2 but did not answer by it.` },
    });
  });

  it('reads a body only as far as its own flow-control window reaches', async () => {
    const { port } = await site(({ method }, response) => {
      response.writeHead(method === 'HEAD' ? 405 : 200).end(Buffer.alloc(method === 'HEAD' ? 0 : 200_000));
    });
    expect((await observe(port)).http).toMatchObject(answered('GET', 200));
  });
});

describe('A probe of a server whose HTTP/2 fails', () => {
  /** Starts a server that answers by HTTP/1.1. The nth connection with HTTP/2 is handled by the nth of these. */
  async function failingSite(...http2: PeerBehaviour[]) {
    let connections = 0;
    const peer = await startTlsServer(
      { '*': leaf },
      {
        ALPNProtocols: ['h2', 'http/1.1'],
        http2: (socket) => http2[Math.min(connections++, http2.length - 1)]?.(socket),
        serve: (_request, response) => response.end('ok'),
      },
    );
    running.push(peer);
    return peer;
  }

  it('counts the site as down if it answers by HTTP/1.1 and HTTP/2 fails a second time', async () => {
    const peer = await failingSite(closing);
    const seen = await observe(peer.port);
    expect(seen.http).toMatchObject({ outcome: 'failed', reason: 'closed', http2Faults: ['no_answer'] });
    expect(assessUptime(seen)).toMatchObject({ state: 'down', cause: { code: 'not_http2' } });
    expect(peer.accepted()).toBe(4);
  });

  it('counts the site as up if HTTP/2 works at the second attempt', async () => {
    const peer = await failingSite(closing, closing, speakingHttp2);
    const { http } = await observe(peer.port);
    expect(http).toMatchObject(answered('GET', 200));
    expect(http).not.toHaveProperty('http2Faults');
    expect(peer.accepted()).toBe(4);
  });

  it('asks by HTTP/1.1 if HTTP/2 gets no answer in time', async () => {
    const asked = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const peer = await failingSite(
      ...asked.map(
        ({ resolve }): PeerBehaviour =>
          (socket) =>
            void socket.once('data', () => resolve()),
      ),
    );
    stopTimers();
    const pending = observe(peer.port, { http: 2_500 });
    for (const [index, ms] of [1_000, 2_500, 1_000].entries()) {
      await asked[index]?.promise;
      vi.advanceTimersByTime(ms);
    }
    expect((await pending).http).toMatchObject({ reason: 'timeout', http2Faults: ['no_answer'] });
  });

  it('says nothing about HTTP/2 if HTTP/1.1 fails too', async () => {
    const peer = await startTlsServer({ '*': leaf }, { ALPNProtocols: ['h2', 'http/1.1'], manners: closing });
    running.push(peer);
    expect((await observe(peer.port)).http).not.toHaveProperty('http2Faults');
    expect(peer.accepted()).toBe(3);
  });

  it('says nothing about HTTP/2 if the answer exceeds our own limits', async () => {
    const pings = Array.from({ length: 300 }, () => http2Frame(6, 0, Buffer.alloc(8), 0));
    const peer = await failingSite(sending(SETTINGS, ...pings, OK_HEADERS));
    const { http } = await observe(peer.port);
    expect(http).toMatchObject({ outcome: 'failed', reason: 'too_large' });
    expect(http).not.toHaveProperty('http2Faults');
    expect(peer.accepted()).toBe(1);
  });

  it('makes no further connection if HTTP/2 works', async () => {
    const peer = await failingSite(speakingHttp2);
    expect((await observe(peer.port)).http).toMatchObject(answered('HEAD', 200));
    expect(peer.accepted()).toBe(1);
  });
});

describe('A probe of a server that refuses the ALPN offer of browsers', () => {
  it('fails with the alert, and is not repeated without ALPN', async () => {
    const peer = await startTlsServer({ '*': leaf }, { ALPNProtocols: ['stun.turn'] });
    running.push(peer);
    expect(await observe(peer.port)).toMatchObject({
      addresses: [{ outcome: 'failed', stage: 'handshake', reason: 'tls_alert', tlsAlert: 120 }],
      http: null,
    });
    expect(peer.accepted()).toBe(1);
  });

  it('fails if the server closes the connection at once', async () => {
    const peer = await startRawPeer(closing);
    running.push(peer);
    expect(await observe(peer.port)).toMatchObject({
      addresses: [{ outcome: 'failed', stage: 'handshake', reason: 'closed' }],
    });
    expect(peer.accepted()).toBe(1);
  });
});

describe('A probe of a hostile server that agrees on HTTP/2', () => {
  it.each(HOSTILE_HTTP2)('that %s has the result %3$s', async (_name, manners, outcome) => {
    const peer = await startTlsServer({ '*': leaf }, { ALPNProtocols: ['h2'], manners });
    running.push(peer);
    const timeouts = outcome === 'timeout' ? { http: 300 } : {};
    const { addresses, http } = await observe(peer.port, timeouts);
    expect(addresses).toMatchObject([{ outcome: 'handshake', alpn: 'h2' }]);
    expect(http).toMatchObject(
      outcome === 'answered' ? answered('HEAD', 200) : { outcome: 'failed', reason: outcome },
    );
  });
});
