import { serve, type ServerType } from '@hono/node-server';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { TokenScope } from '../../contract/token.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { sendTo, signUp } from '../kit/product/people.ts';
import { mailedToken } from './identity-acts.ts';
import { startApi } from './test-api.ts';

const guide = readFileSync(new URL('../../docs/api/README.md', import.meta.url), 'utf8');
const script = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]).join('\n');

async function listening(server: ServerType): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

describeAnyDatabase('The API guide', (open) => {
  it('has an HTML page with an article for every call and valid links within the page', async () => {
    const api = await startApi(open);
    const page = await api.send('/api/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await page.text();
    for (const name of Object.keys(CALLS)) expect(text).toContain(`<article id="${name}">`);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const inside = [...text.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(inside.filter((id) => !ids.includes(id))).toEqual([]);
    expect(text.match(/<script\b[^>]*>/g)).toEqual(['<script src="/theme.js">']);
  });

  it('has curl commands that run as written; those with an Idempotency-Key fail without KEY and are replayed with the same KEY', async () => {
    const api = await startApi(open);
    const url = await listening(serve({ fetch: (request, env) => api.fetch(request, env), port: 0 }));
    const { alice } = await api.cast();
    const body = { name: 'Docs', scopes: ['read', 'write'] as TokenScope[], expires_in_days: 90 };
    const { secret } = (await alice.ask(CALLS.makeToken, { body })).ok.data;
    const text = await (await api.send('/api/docs')).text();
    const lines = [...text.matchAll(/<pre tabindex="0"><code>(curl[^<]*)</g)]
      .map(([, line = '']) =>
        line.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
      )
      .map((line) => line.replaceAll('http://localhost:8080', url));
    const run = (line: string | undefined, env = {}) =>
      promisify(execFile)('sh', ['-eu', '-c', line ?? ''], {
        env: { PATH: process.env['PATH'], TOKEN: secret, ...env },
      });
    const window = lines.find((line) => line.includes('Idempotency-Key') && line.includes('/maintenance"'));
    await expect(run(window)).rejects.toThrow('KEY');
    const { stdout } = await run(window, { KEY: 'order-1' });
    expect(stdout).toContain('"starts_at"');
    expect((await run(window, { KEY: 'order-1' })).stdout).toBe(stdout);
    const address = lines.find((line) => line.includes('slug='));
    expect((await run(address)).stdout).toContain('"available":true');
  });

  it('has a shell script that works as written with curl', async () => {
    const api = await startApi(open);
    const url = await listening(serve({ fetch: (request, env) => api.fetch(request, env), port: 0 }));
    const charlie = await signUp(sendTo(url), { name: 'Charlie' });

    const running = promisify(execFile)('sh', ['-eu', '-c', script], {
      env: { ...process.env, BASE: url },
    });
    const reader = await vi.waitUntil(
      () =>
        api.store.db
          .selectFrom('mails')
          .select('recipient')
          .where('recipient', 'like', 'ada-%')
          .executeTakeFirst(),
      { timeout: 60_000 },
    );
    running.child.stdin?.end(`${await mailedToken(api.store, reader.recipient, 'verify_email')}\n`);
    const { stdout } = await running;
    expect(stdout).toContain('"company_name":"Analytical Engines"');
    expect(stdout).toContain('"hostname":"example.com"');
    expect(stdout).toContain('"tags":["prod","shop"]');
    expect(stdout).toContain('"name":"Nightly job"');
    expect(stdout).toMatch(/ratelimit: .*"token";r=\d+/i);
    expect(stdout).toContain('The token is no longer valid.');
    expect(stdout).toContain('/status/orchard-status"');
    expect(stdout).toMatch(/^certlantern_domain\w*\{.*domain="example\.com"/m);
    const once = [...stdout.matchAll(/"id":"([^"]*)","domain":null,"starts_at":"2026-02-01T02/g)];
    expect(new Set(once.map(([, id]) => id)).size).toBe(1);
    expect(stdout).toContain('"problem":"domain_exists"');
    expect(stdout).toContain('example.com,443,pending');
    expect(stdout).toContain('"repeats":"weekly"');
    expect(stdout).toContain('"title":"Test message from Certlantern"');
    expect(stdout).toContain('END:VCALENDAR');
    expect(stdout).toContain(': open');
    expect(stdout).toContain('"full_name":"Ada Lovelace"');
    const left = await api.store.db.selectFrom('accounts').select('id').execute();
    expect(left).toEqual([{ id: charlie.id }]);
  });
});
