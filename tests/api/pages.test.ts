import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createTransport } from 'nodemailer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PAGE_PATHS } from '../../contract/pages.ts';
import { freshStore } from '../kit/databases/database.ts';
import { SECRETS, startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const open = () => freshStore('sqlite');

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'certlantern-pages-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('Static pages', () => {
  const page = (title: string) => `<!doctype html><title>${title}</title>`;

  async function startPages(config: Parameters<typeof startApi>[1] = {}, more: Record<string, string> = {}) {
    const webRoot = join(folder(), 'web');
    mkdirSync(join(webRoot, 'assets'), { recursive: true });
    mkdirSync(join(webRoot, 'prerendered'));
    writeFileSync(join(webRoot, 'index.html'), page('{{product_name}}'));
    for (const kind of ['open-sold-try-it', 'open-none-try-it', 'closed-sold'])
      writeFileSync(
        join(webRoot, 'prerendered', `${kind}.html`),
        `${page(`${kind} {{product_name}}`)}<link href="{{address}}"><div data-config="{{config}}"></div>`,
      );
    for (const [name, html] of Object.entries(more))
      writeFileSync(join(webRoot, 'prerendered', `${name}.html`), html);
    writeFileSync(join(webRoot, 'favicon.svg'), '<svg/>');
    writeFileSync(join(webRoot, 'assets', 'main-abc123.js'), 'run()');
    writeFileSync(join(webRoot, 'assets', 'main-abc123.js.br'), brotliCompressSync('run()'));
    writeFileSync(join(webRoot, '..', 'secret.txt'), 'secret');
    return startApi(open, { ...config, webRoot });
  }

  it('are served at every path of the page router, with ETag and no-cache', async () => {
    const api = await startPages();
    for (const path of PAGE_PATHS.filter((path) => path !== '/')) {
      const response = await api.send(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.text()).toContain('Certlantern</title>');
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const etag = response.headers.get('etag') ?? '';
      const again = await api.send(path, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    for (const path of ['/Login', '/login/', '/login?trial=1'])
      expect((await api.send(path)).status).toBe(200);
    expect((await api.send('/favicon.svg')).headers.get('content-type')).toContain('image/svg+xml');
  });

  it('answer 404 with the app’s page at unknown paths', async () => {
    const api = await startPages();
    for (const path of ['/no/such/page', '/dashboards', '/landing/more']) {
      const response = await api.send(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).toBe(page('Certlantern'));
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
    }
  });

  it('have noindex if they are not public', async () => {
    const api = await startPages();
    const isHidden = async (path: string) => (await api.send(path)).headers.get('x-robots-tag') === 'noindex';
    for (const path of ['/dashboard', '/profile', '/verify', '/reset-password', '/signed-in'])
      expect([path, await isHidden(path)]).toEqual([path, true]);
    for (const path of ['/landing', '/login', '/signup', '/privacy'])
      expect([path, await isHidden(path)]).toEqual([path, false]);
  });

  it('redirect / to the landing page only without a session cookie', async () => {
    const api = await startPages();
    const stranger = await api.send('/?utm_source=example');
    expect([stranger.status, stranger.headers.get('location')]).toEqual([302, '/landing?utm_source=example']);
    expect(stranger.headers.get('vary')).toContain('Cookie');
    expect(stranger.headers.get('cache-control')).toBe('no-cache');
    for (const use of ['session', 'refresh']) {
      const id = '0190a0a0-0000-7000-8000-000000000000';
      const known = await api.send('/', {
        headers: { cookie: `__Host-certlantern-${use}=${id}.${'s'.repeat(43)}` },
      });
      expect([use, known.status]).toEqual([use, 200]);
      expect(known.headers.get('vary')).toContain('Cookie');
    }
  });

  it('redirect old mailed links so that the token moves into the fragment', async () => {
    const api = await startPages();
    const token = `${crypto.randomUUID()}.email.-.${'Ab3_'.repeat(10)}-_`;
    for (const [old, current] of [
      [`/unsubscribe?token=${token}`, `/unsubscribe#${token}`],
      [`/Unsubscribe/?token=${token}&utm=x`, `/unsubscribe?utm=x#${token}`],
      [`/confirm-recipient?token=${token}`, `/confirm-recipient#${token}`],
      [`/signup?trial=1&invite=${token}&host=a.example`, `/signup?trial=1&host=a.example#${token}`],
      ['/unsubscribe?token=', '/unsubscribe'],
      ['/unsubscribe?token=%0d%0aSet-Cookie:%20a=b', '/unsubscribe'],
      ['/signup?invite=//evil.example', '/signup'],
    ] as const) {
      const { status, headers } = await api.send(old);
      const found = [status, headers.get('location'), headers.get('cache-control')];
      expect([old, ...found]).toEqual([old, 302, current, 'no-store']);
    }
    for (const path of ['/login?token=x', '/signup?token=x', '/unsubscribe?invite=x'])
      expect([path, (await api.send(path)).status]).toEqual([path, 200]);
  });

  it('include a prerendered landing page for each kind of deployment', async () => {
    for (const [config, kind] of [
      [{}, 'open-sold-try-it'],
      [{ billing: { mode: 'none' } }, 'open-none-try-it'],
      [{ signups: 'closed' }, 'closed-sold'],
      [
        { signups: 'invite', billing: { mode: 'paddle', clientToken: 'test_1', environment: 'sandbox' } },
        'closed-sold',
      ],
    ] as const) {
      const api = await startPages({ config });
      const html = await (await api.send('/landing')).text();
      expect(html).toContain(`<title>${kind} Certlantern</title>`);
      expect(html).toContain('<link href="http://localhost:8080/landing">');
    }
  });

  it('use the app’s page as landing page if none was prerendered', async () => {
    const api = await startPages({ config: { billing: { mode: 'unset' } } });
    expect(await (await api.send('/landing')).text()).toBe(page('Certlantern'));
  });

  it('include the full login page as HTML, but only its shell if its content depends on the query or on sign-in providers', async () => {
    const made = (title: string) => `${page(title)}<div data-config="{{config}}"></div>`;
    const google = {
      id: 'google',
      name: 'Google',
      issuer: 'https://accounts.example',
      clientId: 'a',
      clientSecret: 'b',
    };
    for (const [config, path, title] of [
      [{}, '/login', 'as HTML'],
      [{}, '/Login/', 'as HTML'],
      // The links of the login page repeat the query, so the page that was rendered without a query does not fit.
      [{}, '/login?host=a.example', 'shell of the login'],
      [{ oidc: [google] }, '/login', 'shell of the login'],
      [{}, '/dashboard', 'shell of the dashboard'],
      [{}, '/signup', 'Certlantern'],
    ] as const) {
      const api = await startPages(
        { config },
        {
          login: made('as HTML'),
          'shell-login': page('shell of the login'),
          'shell-dashboard': page('shell of the dashboard'),
        },
      );
      expect(await (await api.send(path)).text()).toContain(`<title>${title}</title>`);
    }
  });

  it('escape the product name, so that it adds no script and no placeholder', async () => {
    const productName = `"><script>alert('1')</script>{{config}}&`;
    const api = await startPages({ config: { productName } });
    const html = await (await api.send('/landing')).text();
    expect(html).not.toContain('<script>');
    expect(html).toContain(
      'open-sold-try-it &quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;{{config}}&amp;</title>',
    );
    const unescape = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&#39;': "'", '&amp;': '&' } as const;
    const json = (/data-config="([^"]*)"/.exec(html)?.[1] ?? '').replaceAll(
      /&(?:quot|lt|gt|#39|amp);/g,
      (entity) => unescape[entity as keyof typeof unescape],
    );
    expect(JSON.parse(json)).toEqual(
      ((await (await api.send('/api/config')).json()) as { data: object }).data,
    );
    expect((await api.send('/login')).headers.get('content-security-policy')).toContain("script-src 'self';");
  });

  it('are compressed with the encoding that the browser accepts', async () => {
    const api = await startPages();
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip;q=1.0, br;q=0', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await api.send('/landing', { headers: { 'accept-encoding': accepted } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      const body = Buffer.from(await response.arrayBuffer());
      const text = encoding === 'br' ? brotliDecompressSync(body) : encoding ? gunzipSync(body) : body;
      expect(text.toString()).toContain('open-sold-try-it Certlantern');
    }
  });

  it('files with a hash in their name may be cached forever and are sent compressed', async () => {
    const api = await startPages();
    const plain = await api.send('/assets/main-abc123.js');
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toContain('javascript');
    expect(await plain.text()).toBe('run()');
    const packed = await api.send('/assets/main-abc123.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers.get('content-encoding')).toBe('br');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(packed.headers.get('content-type')).toContain('javascript');
  });

  it('answer 404 for missing files and for paths outside the web root', async () => {
    const api = await startPages();
    for (const path of [
      '/assets/gone.js',
      '/gone.js',
      '/index.html',
      '/prerendered/open-sold-try-it.html',
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%5c..%5csecret.txt',
      '/%00.js',
    ]) {
      const response = await api.send(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.text()).toBe('Not found\n');
    }
  });
});

describe('The mail page', () => {
  const key = SECRETS.mailPage;

  async function withMail(subject: string, html: string, text = 'plain') {
    const mailFolder = folder();
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await composer.sendMail({
      from: 'Certlantern <alerts@localhost>',
      to: 'charlie@example.test',
      subject,
      html,
      text,
      attachments: [
        {
          filename: 'logo.png',
          cid: 'logo@certlantern',
          content: Buffer.from('png'),
          contentType: 'image/png',
        },
      ],
    });
    writeFileSync(join(mailFolder, 'one@localhost.eml'), message as Buffer);
    return mailFolder;
  }

  it('lists and shows stored mails to clients with the key', async () => {
    const subject = 'bücher.example läuft in 2 Tagen ab — Zertifikat von Test Authority, ein langer Betreff';
    const html = '<p>Grüße = <b>2 days</b> <img src="cid:logo@certlantern"></p>';
    const api = await startApi(open, { mailFolder: await withMail(subject, html, 'Grüße') });
    const list = await api.send(`/dev/mail?key=${key}`);
    expect(list.status).toBe(200);
    expect(list.headers.get('cache-control')).toBe('no-store');
    expect(list.headers.get('referrer-policy')).toBe('no-referrer');
    const listed = await list.text();
    expect(listed).toContain(subject);
    expect(listed).toContain('charlie@example.test');

    const href = /href="([^"]+message=[^"]+)"/.exec(listed)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const page = await (await api.send(href)).text();
    expect(page).toContain('Grüße = &lt;b&gt;2 days');
    expect(page).toContain(`data:image/png;base64,${Buffer.from('png').toString('base64')}`);
    expect(page).toMatch(/<pre>Grüße\s*<\/pre>/);
  });

  it('escapes mails and runs none of their scripts', async () => {
    const html = '"><script>alert(1)</script>';
    const api = await startApi(open, { mailFolder: await withMail('<script>alert(2)</script>', html) });
    const response = await api.send(`/dev/mail?key=${key}&message=one@localhost.eml`);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(response.headers.get('content-security-policy')).not.toContain('script-src');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('lists the newest mail first and skips unfinished files', async () => {
    const mailFolder = await withMail('old', 'old');
    writeFileSync(join(mailFolder, 'two@localhost.eml'), 'Subject: new\r\nTo: x@example.test\r\n\r\nnew');
    utimesSync(join(mailFolder, 'one@localhost.eml'), 1_000, 1_000);
    writeFileSync(join(mailFolder, '.three@localhost.eml.partial'), 'Subject: unfinished');
    const api = await startApi(open, { mailFolder });
    const page = await (await api.send(`/dev/mail?key=${key}`)).text();
    expect(page.indexOf('>new<')).toBeLessThan(page.indexOf('>old<'));
    expect(page).not.toContain('unfinished');
  });

  it('answers 404 without the key, through proxies, at other host names and if mail is sent over SMTP', async () => {
    const mailFolder = await withMail('secret', 'secret');
    const api = await startApi(open, { mailFolder, config: { insecureHttp: true } });
    for (const [path, headers] of [
      ['/dev/mail', {}],
      [`/dev/mail?key=${key.slice(1)}`, {}],
      [`/dev/mail?key=${key}`, { host: '192.168.1.5:8080' }],
      [`/dev/mail?key=${key}`, { host: 'rebound.example' }],
      [`/dev/mail?key=${key}`, { 'x-forwarded-for': '127.0.0.1' }],
      [`/dev/mail?key=${key}`, { forwarded: 'for=127.0.0.1' }],
      [`/dev/mail?key=${key}`, { via: '1.1 proxy' }],
      [`/dev/mail?key=${key}&message=../secrets.json`, {}],
    ] as [string, Record<string, string>][]) {
      const response = await api.send(path, { headers });
      expect([path, headers, response.status]).toEqual([path, headers, 404]);
      expect(await response.text()).not.toContain('secret');
    }
    const withServer = await startApi(open, { mailFolder: null });
    expect((await withServer.send(`/dev/mail?key=${key}`)).status).toBe(404);
    promise('mail-page');
  });
});
