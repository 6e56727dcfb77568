import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls, exchange } from '../../server/egress/exchange.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import type { ExchangeOptions } from '../../server/egress/exchange-request.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { subjectKeyIdentifier } from '../kit/certificates/certificate-extensions.ts';
import { keyIdentifier, mintAuthority } from '../kit/certificates/mint.ts';
import { closing, dripping, flooding, greeting, silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { listening, startTlsServer } from '../kit/peers/tls-server.ts';

const never = new AbortController().signal;
const root = mintAuthority();

let names: DnsServer;
beforeAll(async () => {
  names = await startDnsServer({ 'ca.test': { addresses: ['127.0.0.1'] } });
});
afterAll(() => names.stop());

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(serve: Serve): Promise<number> {
  const peer = await listening(createServer(serve));
  onTestFinished(() => peer.stop());
  return peer.port;
}

function ask(url: string, more: Partial<ExchangeOptions> = {}, allow = ['127.0.0.0/8']) {
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: [names.address], policy });
  return exchange({
    url: new URL(url),
    resolver,
    policy,
    signal: never,
    deadlineMs: 60_000,
    maxBytes: 1_000,
    ...more,
  });
}

const encoded =
  (coding: string, body: Buffer): Serve =>
  (_request, response) =>
    void response.writeHead(200, { 'content-encoding': coding }).end(body);

describe('an HTTP exchange', () => {
  it('sends one request with only the necessary headers, and reads the answer', async () => {
    const seen: string[] = [];
    const port = await serving((request, response) => {
      request.on('data', (chunk: Buffer) => seen.push(chunk.toString('latin1')));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url}`, ...Object.keys(request.headers).toSorted());
        response.writeHead(200, { etag: '"1"' }).end('hello');
      });
    });
    const body = Buffer.from('question');
    const headers = { 'content-type': 'application/ocsp-request' };
    const answer = await ask(`http://ca.test:${port}/a?b=c#d`, { method: 'POST', body, headers });
    expect(answer).toMatchObject({ ok: true, status: 200, headers: { etag: '"1"' } });
    expect(answer.ok && answer.body.toString()).toBe('hello');
    expect(seen).toEqual([
      'question',
      'POST /a?b=c',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
  });

  it('does not follow a redirect, and does not read its body', async () => {
    let asked = 0;
    const port = await serving((_request, response) => {
      asked++;
      response.writeHead(302, { location: '/other' });
      const flood = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', flood);
      };
      flood();
    });
    const answer = await ask(`http://ca.test:${port}/`);
    expect(answer).toMatchObject({ ok: true, status: 302, headers: { location: '/other' } });
    expect(answer.ok && answer.body.length).toBe(0);
    expect(asked).toBe(1);
  });

  it('ends after the headers if the caller does not want the body', async () => {
    const port = await serving((_request, response) => {
      response
        .writeHead(202, { 'content-encoding': 'gzip', 'retry-after': '3' })
        .write('packed, and never ends');
    });
    const answer = await ask(`http://ca.test:${port}/`, { maxBytes: 0 });
    expect(answer).toMatchObject({ ok: true, status: 202, headers: { 'retry-after': '3' } });
    expect(answer.ok && answer.body.length).toBe(0);
  });

  it.each([
    ['gzip', gzipSync('hello')],
    ['X-GZIP', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['deflate', deflateRawSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['gzip', Buffer.alloc(0)],
    ['none', Buffer.from('hello')],
  ])('reads a body of a server that sends the Content-Encoding %s unasked', async (coding, sent) => {
    const answer = await ask(`http://ca.test:${await serving(encoded(coding, sent))}/`);
    expect(answer.ok && answer.body.toString()).toBe(sent.length === 0 ? '' : 'hello');
  });

  it.each([
    ['compressed', gzipSync(Buffer.alloc(500_000, 'a'))],
    ['compressed and incomplete', gzipSync(Buffer.alloc(500_000, 'a')).subarray(0, -3)],
  ])('keeps the first bytes of a longer body that is %s if the caller wants that', async (_name, sent) => {
    const answer = await ask(`http://ca.test:${await serving(encoded('gzip', sent))}/`, { longer: 'cut' });
    expect(answer.ok && answer.body.toString()).toBe('a'.repeat(1_000));
  });

  it('verifies a server over HTTPS against the given roots and the name', async () => {
    const serve: Serve = (_request, response) => response.end('hello');
    const start = async (certificate: ReturnType<typeof root.issue>): Promise<number> => {
      const peer = await startTlsServer({ '*': certificate }, { serve });
      onTestFinished(() => peer.stop());
      return peer.port;
    };
    const right = await start(root.issue({ dnsNames: ['ca.test'], ipAddresses: ['127.0.0.1'] }));
    const secure = createVerifiedTls([root.certificatePem]);
    expect(await ask(`https://ca.test:${right}/`, { secure })).toMatchObject({ ok: true, status: 200 });
    expect(await ask(`https://127.0.0.1:${right}/`, { secure })).toMatchObject({ ok: true, status: 200 });

    const insecure = { ok: false, reason: 'insecure' };
    // This request is verified against the public roots, none of which issued the certificate.
    expect(await ask(`https://ca.test:${right}/`)).toEqual(insecure);
    const expired = await start(root.issue({ dnsNames: ['ca.test'], notAfter: Date.now() - 60_000 }));
    expect(await ask(`https://ca.test:${expired}/`, { secure })).toEqual(insecure);
    const other = await start(root.issue({ dnsNames: ['other.test'] }));
    expect(await ask(`https://ca.test:${other}/`, { secure })).toEqual(insecure);
    expect(await ask(`https://127.0.0.1:${other}/`, { secure })).toEqual(insecure);
  });

  it('survives a forged root on a non-NIST curve, which crashes Node.js without our workaround', async () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' });
    const forged = mintAuthority({
      key,
      keyIdentifiers: null,
      extraExtensions: [subjectKeyIdentifier(keyIdentifier(root.key))],
    });
    const leaf = root.intermediate().issue({ dnsNames: ['ca.test'] });
    const certificate = { ...leaf, chainPem: leaf.chainPem + forged.certificatePem };
    const serve: Serve = (_request, response) => response.end('hello');
    const peer = await startTlsServer({ '*': certificate }, { serve });
    onTestFinished(() => peer.stop());
    const secure = createVerifiedTls([root.certificatePem]);
    expect(await ask(`https://ca.test:${peer.port}/`, { secure })).toMatchObject({ ok: true, status: 200 });
  });

  it('uses unusual ports only if the address is open or the caller permits them', async () => {
    const seen: string[] = [];
    const port = await serving((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    const refused = { ok: false, reason: 'not_allowed' };
    expect(await ask(`http://ca.test:${port}/opened`)).toMatchObject({ ok: true });
    expect(await ask(`http://ca.test:${port}/listed`, { ports: [port] })).toMatchObject({ ok: true });
    expect(await ask(`http://ca.test:${port}/unlisted`, { ports: [443] })).toEqual(refused);
    // Under this policy, the address counts as public.
    const open = createAddressPolicy(['127.0.0.0/8'], () => []);
    const policy = { ...open, opens: () => false };
    expect(await ask(`http://ca.test:${port}/public`, { policy })).toEqual(refused);
    expect(await ask(`http://ca.test:${port}/high`, { policy, ports: 'high' })).toMatchObject({ ok: true });
    expect(await ask('http://ca.test:25/low', { policy, ports: 'high' })).toEqual(refused);
    expect(seen).toEqual(['/opened', '/listed', '/high']);
  });

  it.each([
    'ftp://ca.test/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70/',
    'data:text/plain,hello',
    'http://user@ca.test/',
    'http://user:secret@ca.test/',
    `http://ca.test/${'a'.repeat(2_100)}`,
  ])('refuses %s without a DNS query', async (url) => {
    names.questions.length = 0;
    expect(await ask(url)).toEqual({ ok: false, reason: 'not_allowed' });
    expect(names.questions).toEqual([]);
  });
});

describe('an HTTP exchange with a hostile peer', () => {
  const write =
    (head: string): Serve =>
    (_request, response) =>
      void response.socket?.write(head);

  it.each<[string, string, Serve]>([
    [
      'announces a body above the size limit',
      'too_large',
      (_, response) => void response.writeHead(200, { 'content-length': '99999' }).write('a'),
    ],
    ['exceeds the size limit', 'too_large', (_, response) => void response.end(Buffer.alloc(1_001))],
    [
      'closes before the announced Content-Length',
      'unreachable',
      (_, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('a');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    ['sends a gzip bomb', 'too_large', encoded('gzip', gzipSync(Buffer.alloc(500_000)))],
    ['sends a brotli bomb', 'too_large', encoded('br', brotliCompressSync(Buffer.alloc(500_000)))],
    [
      'pads a small compressed body above the size limit',
      'too_large',
      encoded('gzip', Buffer.concat(Array.from({ length: 60 }, () => gzipSync('')))),
    ],
    ['breaks off its compressed body', 'malformed', encoded('gzip', gzipSync('hello').subarray(0, -3))],
    ['sends a body that is not in its coding', 'malformed', encoded('br', Buffer.from('hello'))],
    [
      'sends endless headers',
      'too_large',
      (_, response) => void response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`),
    ],
    [
      'sends two Content-Length headers',
      'malformed',
      write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    ],
    ['sends a negative Content-Length', 'malformed', write('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
    ['speaks another protocol', 'malformed', write('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'switches protocols unasked',
      'unreachable',
      write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['hangs up', 'unreachable', (request) => void request.socket.destroy()],
    ['never answers', 'timeout', () => undefined],
  ])('ends within its limits if the peer %s', async (_name, reason, serve) => {
    const limit = reason === 'timeout' ? { deadlineMs: 100 } : {};
    expect(await ask(`http://ca.test:${await serving(serve)}/`, limit)).toEqual({
      ok: false,
      reason,
    });
  });

  it('times out if the body arrives byte by byte or 100 Continue never ends', async () => {
    const drip: Serve = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('a'), 5);
      response.on('close', () => clearInterval(timer));
    };
    const continuing: Serve = (_request, response) => {
      const timer = setInterval(() => response.writeContinue(), 5);
      response.on('close', () => clearInterval(timer));
    };
    for (const serve of [drip, continuing])
      expect(await ask(`http://ca.test:${await serving(serve)}/`, { deadlineMs: 100 })).toEqual({
        ok: false,
        reason: 'timeout',
      });
  });

  it.each([
    ['stays silent', silent, 'timeout'],
    ['sends byte by byte', dripping, 'timeout'],
    ['sends a greeting', greeting, 'insecure'],
    ['closes the connection', closing, 'insecure'],
    ['floods the connection', flooding(Buffer.alloc(65_536)), 'insecure'],
  ] as const)(
    'ends within its limits if the peer %s in place of a TLS handshake',
    async (_name, manners, reason) => {
      const peer = await startRawPeer(manners);
      onTestFinished(() => peer.stop());
      const limit = reason === 'timeout' ? { deadlineMs: 100 } : {};
      expect(await ask(`https://ca.test:${peer.port}/`, limit)).toEqual({ ok: false, reason });
    },
  );

  it('ends at once when its caller aborts', async () => {
    const stopping = new AbortController();
    const port = await serving(() => stopping.abort());
    for (const signal of [stopping.signal, AbortSignal.abort()])
      expect(await ask(`http://ca.test:${port}/`, { signal })).toEqual({ ok: false, reason: 'timeout' });
  });
});
