import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { PAGE_PATHS } from '../../contract/pages.ts';
import { freshStore } from '../kit/databases/database.ts';
import { HOSTILE_ADDRESSES } from '../kit/product/searched-routes.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** Query parameters that programs commonly use for the address to redirect to. */
const REDIRECT_NAMES = [
  'next',
  'redirect',
  'redirectTo',
  'redirect_uri',
  'returnTo',
  'return_to',
  'url',
  'continue',
  'callbackURL',
  'errorCallbackURL',
  'newUserCallbackURL',
  'state',
  'error',
  'token',
  'invite',
];

/** Returns a folder with the one file that the server needs to serve pages. */
function builtPages(): string {
  const webRoot = mkdtempSync(join(tmpdir(), 'certlantern-pages-'));
  onTestFinished(() => rmSync(webRoot, { recursive: true, force: true }));
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>{{product_name}}</title>');
  return webRoot;
}

const open = () => freshStore('sqlite');

describe('The server, given hostile addresses and parameters,', () => {
  it('redirects only to its own origin, at every path and redirect parameter', async () => {
    const acme = { id: 'acme', name: 'Acme', clientId: 'c', clientSecret: 's' };
    const api = await startApi(open, {
      webRoot: builtPages(),
      openId: [{ ...acme, issuer: 'http://127.0.0.1:1' }],
      log: { info: () => {}, warn: () => {}, error: (...entry: unknown[]) => expect(entry).toEqual([]) },
    });
    const { alice } = await api.cast();
    const served = api.routes
      .filter(({ method, path }) => method === 'GET' && !path.includes('*'))
      .map(({ path }) => path.replaceAll(/:id\b/g, 'acme').replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x'));
    const paths = [...new Set([...served, ...PAGE_PATHS])].filter((path) => !path.startsWith('/api/events'));
    expect(paths).toContain('/api/identity/oauth2/callback/acme');
    let redirects = 0;
    for (const [index, address] of HOSTILE_ADDRESSES.entries()) {
      const query = new URLSearchParams(REDIRECT_NAMES.map((name) => [name, address]));
      // From another network each time, so that no rate limit interferes.
      const send = api.sendFrom(`198.18.${index}.7`);
      for (const path of paths)
        for (const client of [
          createClient(send),
          ...(index < 3 ? [createClient(send, alice.cookies)] : []),
        ]) {
          const headers = { accept: 'text/html' };
          const answer = await client.send(`${path}?${query}`, { headers });
          expect(answer.status).not.toBe(429);
          const location = answer.headers.get('location');
          if (location === null) continue;
          redirects += 1;
          const base = 'http://localhost:8080/';
          expect([path, new URL(location, base).origin]).toEqual([path, new URL(base).origin]);
        }
    }
    expect(redirects).toBeGreaterThan(0);
    promise('redirects');
  });

  it.each([
    '//evil.example',
    '/\\evil.example/',
    '/%5Cevil.example/',
    '/%2F%2Fevil.example/',
    '/https://evil.example/',
    '/login//evil.example/',
  ])('answers 404 without a redirect at %s', async (path) => {
    const api = await startApi(open, { webRoot: builtPages() });
    const response = await api.fetch(new Request(`http://localhost:8080${path}`));
    expect([response.status, response.headers.get('location')]).toEqual([404, null]);
  });

  it('lists the allowed values when a query parameter has an unknown value', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const choices = Object.entries(CALLS).flatMap(([name, call]) =>
      enumsOf('query' in call ? call.query : null).map(([field, values]) => ({ name, call, field, values })),
    );
    expect(choices.map(({ name, field }) => `${name} ${field}`)).toEqual(
      Object.entries({
        listDomains: ['sort', 'direction'],
        domainIds: ['sort', 'direction'],
        domainGroups: ['by', 'sort'],
        exportDomains: ['sort', 'direction'],
        listCertificates: ['sort', 'direction'],
        exportCertificates: ['sort', 'direction'],
      }).flatMap(([name, own]) => ['status', 'without', ...own].map((field) => `${name} ${field}`)),
    );
    for (const { name, call, field, values } of choices) {
      const required: Record<string, string> = name === 'domainGroups' ? { by: 'tag' } : {};
      for (const value of ['bogus', '', 'newest,name', 'constructor']) {
        const { status, problem } = await alice.ask(call, { query: { ...required, [field]: value } });
        expect([status, problem.code]).toEqual([400, 'invalid_request']);
        expect(problem.detail).toContain(`“${field}”`);
        for (const known of values) expect(problem.detail).toContain(`"${known}"`);
      }
    }
  });
});

/** Returns the fields of a query schema that are enums, with their values. */
function enumsOf(query: unknown): [field: string, values: string[]][] {
  const { shape = {} } = (query ?? {}) as { shape?: Record<string, unknown> };
  return Object.entries(shape).flatMap(([field, schema]) => {
    let inner = schema as { options?: string[]; unwrap?: () => unknown };
    while (inner.options === undefined && inner.unwrap) inner = inner.unwrap() as typeof inner;
    return inner.options === undefined ? [] : [[field, inner.options]];
  });
}
