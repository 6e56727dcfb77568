import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createIconSource } from '../../server/probe/icons/icon-source.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { icoOf, pngIcon } from '../kit/peers/icons.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { dripping, flooding, plainHttp, silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { listening } from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

const PNG = pngIcon(32);
const never = new AbortController().signal;
// An expired certificate for another name, as watched hosts often have.
const broken = mintAuthority().issue({
  dnsNames: ['other.test'],
  notAfter: Date.now() - 86_400_000,
  notBefore: Date.now() - 2 * 86_400_000,
});

let names: DnsServer;
beforeAll(async () => {
  names = await startDnsServer({
    'site.test': { addresses: ['127.0.0.1'] },
    'inside.test': { addresses: ['127.0.0.2'] },
    'cloud.test': { addresses: ['169.254.169.254'] },
  });
});
afterAll(() => names.stop());

type Serve = (request: IncomingMessage, response: ServerResponse) => void;
/** Answers by path. Every other path gets a 404. */
type Site = Record<
  string,
  Serve | { type?: string; body: Buffer | string; headers?: Record<string, string>; status?: number }
>;

async function startSite(site: Site) {
  const asked: string[] = [];
  const server = createServer({ cert: broken.certificatePem, key: broken.keyPem }, (request, response) => {
    asked.push(request.url ?? '');
    const entry = site[request.url ?? ''];
    if (typeof entry === 'function') return entry(request, response);
    if (entry === undefined) return void response.writeHead(404).end('nothing');
    response
      .writeHead(entry.status ?? 200, { 'content-type': entry.type ?? 'text/html', ...entry.headers })
      .end(entry.body);
  });
  const peer = await listening(server);
  onTestFinished(() => peer.stop());
  return { port: peer.port, asked };
}

/** Searches for the icon. Only 127.0.0.1 is permitted, and 127.0.0.2 stands for an internal address. */
function find(port: number, { host = 'site.test', deadlineMs = 60_000, signal = never } = {}) {
  const policy = createAddressPolicy(['127.0.0.1/32'], () => []);
  const resolver = createResolver({ servers: [names.address], policy });
  return createIconSource({ resolver, policy, deadlineMs }).find({ host, port }, signal);
}
const icon = { contentType: 'image/png', content: PNG };
const png = (headers?: Record<string, string>) => ({
  type: 'application/octet-stream',
  body: PNG,
  ...(headers && { headers }),
});
const redirect = (location: string) => ({ status: 302, body: '', headers: { location } });
const page = (href: string) => ({ body: `<!doctype html><head><link rel="icon" href="${href}">` });

describe('The icon of a site', () => {
  it('is the one that its page names, even if the site’s certificate is invalid', async () => {
    const { port, asked } = await startSite({ '/': page('/i.png'), '/i.png': png() });
    expect(await find(port)).toEqual(icon);
    expect(asked).toEqual(['/', '/i.png']);
  });

  it('is /favicon.ico if the page names no usable icon or cannot be fetched', async () => {
    const body = icoOf(PNG);
    for (const start of [{ body: '<p>Hi' }, page('/gone.png'), page('/i.svg'), { status: 500, body: '' }]) {
      const { port } = await startSite({ '/': start, '/favicon.ico': { type: 'text/plain', body } });
      expect(await find(port)).toEqual({ contentType: 'image/x-icon', content: body });
    }
  });

  it('is fetched through two redirects, but not three', async () => {
    const site: Site = {
      '/': redirect('/a'),
      '/a': redirect('/b/'),
      '/b/': page('i.png'),
      '/b/i.png': png(),
    };
    expect(await find((await startSite(site)).port)).toEqual(icon);
    const { port, asked } = await startSite({
      '/favicon.ico': redirect('/1'),
      '/1': redirect('/2'),
      '/2': redirect('/3'),
      '/3': png(),
    });
    expect(await find(port)).toBeNull();
    expect(asked).not.toContain('/3');
  });

  it('is requested without cookies, with five headers only', async () => {
    let headers: IncomingMessage['headers'] = {};
    const { port } = await startSite({
      '/': (request, response) => {
        ({ headers } = request);
        response.end();
      },
    });
    await find(port);
    expect(headers).toMatchObject({ host: `site.test:${port}`, 'accept-encoding': 'identity' });
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('is not requested at ports of other protocols', async () => {
    names.questions.length = 0;
    expect(await find(993)).toBeNull();
    expect(names.questions).toEqual([]);
  });
});

describe('The icon source', () => {
  it.each<[string, Site[string]]>([
    ['an SVG', { type: 'image/png', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }],
    ['a page', { type: 'image/png', body: '<!doctype html><script>alert(1)</script>' }],
    [
      'an image of 30,000 × 30,000 pixels',
      { type: 'image/png', body: pngIcon(8, undefined, { width: 30_000, height: 30_000 }) },
    ],
    ['a compressed image', png({ 'content-encoding': 'gzip' })],
    ['an image with a Content-Length of 100 MB', png({ 'content-length': '100000000' })],
    ['an image that ends early', png({ 'content-length': String(PNG.length + 10) })],
    [
      'an image with endless headers',
      (_request, response) => response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end(PNG),
    ],
    ['an image with status 206', { status: 206, body: PNG }],
    ['an image that is too long', { type: 'image/png', body: Buffer.concat([PNG, Buffer.alloc(120_000)]) }],
    [
      'an endless image',
      (_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        response.write(PNG);
        more();
      },
    ],
  ])('does not accept %s', async (_name, body) => {
    const { port } = await startSite({ '/favicon.ico': body });
    expect(await find(port)).toBeNull();
    promise('icons');
  });

  it('gives up on a site that sends nothing or a byte at a time', async () => {
    const drip: Serve = (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const timer = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(timer));
    };
    for (const serve of [drip, () => undefined]) {
      const { port } = await startSite({ '/': serve });
      expect(await find(port, { deadlineMs: 300 })).toBeNull();
    }
  });

  it.each([
    ['stays silent', silent],
    ['sends a byte at a time', dripping],
    ['speaks plain HTTP', plainHttp],
    ['sends endless zeros', flooding(Buffer.alloc(65_536))],
  ])('gives up on a peer that %s instead of completing the handshake', async (_name, behave) => {
    const peer = await startRawPeer(behave);
    onTestFinished(() => peer.stop());
    expect(await find(peer.port, { deadlineMs: 300 })).toBeNull();
  });

  it('reads only the start of a huge page', async () => {
    const body = `${page('/i.png').body}${'<p>'.repeat(400_000)}`;
    const { port } = await startSite({ '/': { body }, '/i.png': png() });
    expect(await find(port)).toEqual(icon);
    const late = { body: `${'<p>'.repeat(30_000)}${page('/i.png').body}` };
    expect(await find((await startSite({ '/': late, '/i.png': png() })).port)).toBeNull();
  });

  it('fetches no icon from an internal address, another port or plain HTTP', async () => {
    const site: Site = {};
    const { port, asked } = await startSite(site);
    let reached = 0;
    const inside = await listening(
      createTcpServer(() => reached++),
      '127.0.0.2',
      port,
    );
    onTestFinished(() => inside.stop());
    const other = await startRawPeer(silent);
    onTestFinished(() => other.stop());
    for (const target of [
      `https://127.0.0.2:${port}/`,
      `https://inside.test:${port}/`,
      `https://cloud.test:${port}/`,
      'https://169.254.169.254/latest/meta-data/',
      `https://[::ffff:127.0.0.2]:${port}/`,
      `https://[::ffff:7f00:2]:${port}/`,
      `https://0x7f000002:${port}/`,
      `https://2130706434:${port}/`,
      `https://127.2:${port}/`,
      `https://localhost:${port}/`,
      `https://site.test:${other.port}/`,
      `https://user:secret@site.test:${port}/i.png`,
      `http://site.test:${other.port}/`,
      `http://site.test:${port}/i.png`,
      `//127.0.0.2:${port}/`,
      `\\\\127.0.0.2:${port}\\`,
      'file:///etc/passwd',
      'gopher://127.0.0.1:70/',
      'data:image/png;base64,AAAA',
    ]) {
      Object.assign(site, { '/favicon.ico': redirect(target), '/i.png': png() });
      for (const start of [redirect(target), page(target)]) {
        site['/'] = start;
        expect(await find(port), target).toBeNull();
      }
    }
    expect(new Set(asked)).toEqual(new Set(['/', '/favicon.ico']));
    expect([reached, other.accepted()]).toEqual([0, 0]);
    // Redirects as such are followed: here the address is refused.
    site['/'] = redirect(`https://127.0.0.1:${port}/page`);
    site['/page'] = page('/i.png');
    expect(await find(port)).toEqual(icon);
  });

  it('fetches no icon after the worker stops', async () => {
    const stopping = new AbortController();
    const { port } = await startSite({ '/': () => stopping.abort() });
    expect(await find(port, { signal: stopping.signal })).toBeNull();
    expect(await find(port, { signal: AbortSignal.abort() })).toBeNull();
  });
});
