import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe, type ProbeOptions } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { answering, drippingText, endlessBody, endlessHeaders } from '../kit/peers/http-peers.ts';
import { closing, silent } from '../kit/peers/raw-peers.ts';
import { PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { type Peer, startTlsServer, type TlsPeer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';
import type { Protocol } from '../../contract/protocols.ts';

const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority();
const leaf = root.issue({ dnsNames: ['site.test'] });

const running: Peer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
});

async function site(serve: RequestListener, options: TlsPeerOptions = {}): Promise<TlsPeer> {
  const peer = await startTlsServer({ '*': leaf }, { ...options, serve });
  running.push(peer);
  return peer;
}
async function raw(behave: TlsPeerOptions['manners']): Promise<TlsPeer> {
  const peer = await startTlsServer({ '*': leaf }, { manners: behave });
  running.push(peer);
  return peer;
}

interface Look {
  protocol?: Protocol;
  addresses?: string[];
  timeouts?: ProbeOptions['timeouts'];
  signal?: AbortSignal;
}
function observe(port: number, look: Look = {}): Promise<Observation> {
  const { protocol = 'https', addresses = ['127.0.0.1'] } = look;
  const timeouts = { ...PATIENT, ...look.timeouts };
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses }) };
  return createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES, timeouts }).observe(
    { host: 'site.test', port, protocol },
    {
      signal: look.signal ?? new AbortController().signal,
      trustStore: createTrustStore([]),
      withPosture: false,
    },
  );
}
const answered = (method: string, status: number) => ({ outcome: 'answered', method, status });

describe('The HTTP request of a probe', () => {
  it('is a HEAD of / with our User-Agent, on the connection of the handshake', async () => {
    const requests: unknown[] = [];
    const peer = await site(({ method, url, headers }, response) => {
      requests.push({ method, url, headers });
      response.end();
    });
    const observation = await observe(peer.port);
    expect(observation.http).toMatchObject({ ...answered('HEAD', 200), address: '127.0.0.1' });
    expect(peer.accepted()).toBe(1);
    expect(requests).toEqual([
      {
        method: 'HEAD',
        url: '/',
        headers: {
          host: `site.test:${peer.port}`,
          'user-agent': 'Certlantern (uptime)',
          accept: '*/*',
          connection: 'close',
        },
      },
    ]);
  });

  it.each([200, 204, 301, 401, 403, 404, 429, 600, 999])(
    'accepts status %i as an answer and follows no redirect',
    async (status) => {
      const peer = await site((_request, response) =>
        response.writeHead(status, { location: 'https://127.0.0.1:1/elsewhere' }).end(),
      );
      expect((await observe(peer.port)).http).toMatchObject(answered('HEAD', status));
      expect(peer.accepted()).toBe(1);
    },
  );

  it.each([405, 500, 501, 503])('is repeated with GET if HEAD gets %i', async (status) => {
    const peer = await site(({ method }, response) =>
      response.writeHead(method === 'HEAD' ? status : 200).end('hello'),
    );
    expect((await observe(peer.port)).http).toMatchObject(answered('GET', 200));
    expect(peer.accepted()).toBe(2);
  });

  it('is repeated with GET if the connection ends without an answer', async () => {
    const peer = await site(({ method, socket }, response) =>
      method === 'HEAD' ? socket.destroy() : response.end('hello'),
    );
    expect((await observe(peer.port)).http).toMatchObject(answered('GET', 200));
  });

  it('is repeated with GET if HEAD gets no answer within its time', async () => {
    const asked = Promise.withResolvers<void>();
    const peer = await site(({ method }, response) =>
      method === 'HEAD' ? asked.resolve() : response.end('hello'),
    );
    stopTimers();
    const pending = observe(peer.port, { timeouts: { http: 2_500 } });
    await asked.promise;
    vi.advanceTimersByTime(1_000);
    expect((await pending).http).toMatchObject(answered('GET', 200));
  });

  it('reports the failure status if GET gets one, too', async () => {
    const peer = await site((_request, response) => response.writeHead(503).end());
    expect((await observe(peer.port)).http).toMatchObject(answered('GET', 503));
  });

  it('reports the answer to HEAD if a second connection is refused', async () => {
    const peer = await site((_request, response) => {
      response.writeHead(405).end();
      void peer.stop();
    });
    expect((await observe(peer.port)).http).toMatchObject(answered('HEAD', 405));
  });

  it('goes only to the first address with a completed handshake', async () => {
    let requests = 0;
    const peer = await site(
      (_request, response) => {
        requests++;
        response.end();
      },
      { host: '0.0.0.0' },
    );
    const observation = await observe(peer.port, { addresses: ['127.0.0.1', '127.0.0.2', '127.0.0.3'] });
    expect(observation.addresses.map(({ outcome }) => outcome)).toEqual([
      'handshake',
      'handshake',
      'handshake',
    ]);
    expect(observation.http).toMatchObject(answered('HEAD', 200));
    expect(requests).toBe(1);
  });

  it('is not sent for other protocols or without a handshake', async () => {
    let requests = 0;
    const peer = await site((_request, response) => {
      requests++;
      response.end();
    });
    expect((await observe(peer.port, { protocol: 'tls' })).http).toBeNull();
    expect(requests).toBe(0);
    await peer.stop();
    expect((await observe(peer.port)).http).toBeNull();
  });

  it('measures the time to the status line, separately from the handshake', async () => {
    const peer = await site((_request, response) => void setTimeout(() => response.end(), 100));
    const { http, addresses, durationMs } = await observe(peer.port);
    expect(http?.durationMs).toBeGreaterThanOrEqual(99);
    // Each time is rounded to a millisecond. If the handshake time included the response, the sum would exceed the total.
    expect((http?.durationMs ?? 0) + (addresses[0]?.durationMs ?? 0)).toBeLessThanOrEqual(durationMs + 2);
  });

  it('has no result if the server requires a client certificate', async () => {
    const peer = await site((_request, response) => response.end(), {
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
    });
    expect(await observe(peer.port)).toMatchObject({ addresses: [{ outcome: 'handshake' }], http: null });
  });
});

describe('The HTTP answer', () => {
  it.each([
    ['an interim answer first', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 200],
    ['no reason phrase', 'HTTP/1.1 404\r\n\r\n', 404],
    ['bare line feeds', 'HTTP/1.0 200 OK\nserver: old\n\n', 200],
    ['a status line alone', 'HTTP/1.1 200 OK\r\n', 200],
    ['control characters', 'HTTP/1.1 200 \x07\x1b[31m<script>\r\nx: \0\r\n\r\n', 200],
  ])('may have %s', async (_name, text, status) => {
    const peer = await raw(answering(text));
    expect((await observe(peer.port)).http).toMatchObject({ outcome: 'answered', status });
  });

  it.each([
    ['nothing', closing, 'closed'],
    ['half a status line', answering('HTTP/1.1 20'), 'closed'],
    ['another protocol', answering('220 mail.example ESMTP\r\n'), 'not_http'],
    ['HTTP/2 frames', answering('\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'), 'not_http'],
    ['an invalid status', answering('HTTP/1.1 000 Zero\r\n\r\n'), 'not_http'],
    ['a status line without an end', answering(`HTTP/1.1 200 ${'x'.repeat(20_000)}`), 'too_large'],
  ])('is invalid if it is %s', async (_name, manners, reason) => {
    const peer = await raw(manners);
    const observation = await observe(peer.port);
    expect(observation).toMatchObject({
      addresses: [{ outcome: 'handshake' }],
      http: { outcome: 'failed', reason },
    });
  });

  it('is accepted although its headers exceed our limit or never end', async () => {
    const large = await site((_request, response) => response.setHeader('x-large', 'x'.repeat(20_000)).end());
    expect((await observe(large.port)).http).toMatchObject(answered('HEAD', 200));
    const endless = await raw(endlessHeaders);
    expect((await observe(endless.port)).http).toMatchObject(answered('HEAD', 200));
  });

  it('is accepted although its body never ends', async () => {
    const peer = await raw(endlessBody('HTTP/1.1 405 No\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'));
    expect((await observe(peer.port)).http).toMatchObject(answered('GET', 200));
  });

  it.each([
    ['is silent', silent],
    ['drips its status line', drippingText('HTTP/1.1 200 OK and so on and so on and so on')],
    ['drips its headers', drippingText(`HTTP/1.1 200 OK\r\n${'x-more: of it\r\n'.repeat(50)}`)],
  ])('times out at the request’s deadline if the server %s', async (_name, manners) => {
    const peer = await raw(manners);
    const observation = await observe(peer.port, { timeouts: { http: 300 } });
    expect(observation.http).toMatchObject({ outcome: 'failed', reason: 'timeout' });
    expect(observation.http?.durationMs).toBeGreaterThanOrEqual(299);
  });

  it('counts as a timeout at the check’s deadline or when the caller aborts', async () => {
    let requests = 0;
    const peer = await raw((socket) => socket.once('data', () => (requests += 1)));
    const ended = { addresses: [{ outcome: 'handshake' }], http: { outcome: 'failed', reason: 'timeout' } };
    stopTimers();
    const late = observe(peer.port, { timeouts: { check: 300 } });
    await expect.poll(() => requests, STOPPED).toBe(1);
    vi.advanceTimersByTime(300);
    expect(await late).toMatchObject(ended);
    const controller = new AbortController();
    const pending = observe(peer.port, { signal: controller.signal });
    await expect.poll(() => requests, STOPPED).toBe(2);
    controller.abort();
    expect(await pending).toMatchObject(ended);
  });
});
