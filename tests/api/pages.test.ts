import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createTransport } from 'nodemailer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshStore } from '../kit/database.ts';
import { SECRETS, startApi } from './test-api.ts';

const open = () => freshStore('sqlite');

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'certlantern-pages-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('The built pages', () => {
  async function startPages() {
    const webRoot = join(folder(), 'web');
    mkdirSync(join(webRoot, 'assets'), { recursive: true });
    writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>Certlantern</title>');
    writeFileSync(join(webRoot, 'favicon.svg'), '<svg/>');
    writeFileSync(join(webRoot, 'assets', 'main-abc123.js'), 'run()');
    writeFileSync(join(webRoot, 'assets', 'main-abc123.js.br'), brotliCompressSync('run()'));
    writeFileSync(join(webRoot, '..', 'secret.txt'), 'secret');
    return startApi(open, { webRoot });
  }

  it('answer every address of the page router with the page, asked for anew each time', async () => {
    const api = await startPages();
    for (const path of ['/', '/dashboard', '/login', '/no/such/page', '/index.html']) {
      const response = await api.send(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>Certlantern</title>');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const etag = response.headers.get('etag') ?? '';
      expect((await api.send(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    }
    expect((await api.send('/favicon.svg')).headers.get('content-type')).toContain('image/svg+xml');
  });

  it('keep what has a hash in its name for ever, compressed where the browser can', async () => {
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

  it('are no way to other files, and a missing file is no page', async () => {
    const api = await startPages();
    for (const path of [
      '/assets/gone.js',
      '/gone.js',
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

  it('shows what is kept, to whoever has the key', async () => {
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

  it('keeps a stranger’s script from running', async () => {
    const html = '"><script>alert(1)</script>';
    const api = await startApi(open, { mailFolder: await withMail('<script>alert(2)</script>', html) });
    const response = await api.send(`/dev/mail?key=${key}&message=one@localhost.eml`);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(response.headers.get('content-security-policy')).not.toContain('script-src');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('lists the newest mail first', async () => {
    const mailFolder = await withMail('old', 'old');
    writeFileSync(join(mailFolder, 'two@localhost.eml'), 'Subject: new\r\nTo: x@example.test\r\n\r\nnew');
    utimesSync(join(mailFolder, 'one@localhost.eml'), 1_000, 1_000);
    writeFileSync(join(mailFolder, '.three@localhost.eml.partial'), 'Subject: unfinished');
    const api = await startApi(open, { mailFolder });
    const page = await (await api.send(`/dev/mail?key=${key}`)).text();
    expect(page.indexOf('>new<')).toBeLessThan(page.indexOf('>old<'));
    expect(page).not.toContain('unfinished');
  });

  it('is there for nobody else', async () => {
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
  });
});
