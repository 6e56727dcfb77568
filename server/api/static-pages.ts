import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import { existsSync } from 'node:fs';
import type { AppEnv } from './app-env.ts';

const YEAR_SECONDS = 31_536_000;

/** Serves the built pages. Addresses without a file are the page router's: it knows which of them exist. */
export function staticPages(app: Hono<AppEnv>, webRoot: string): void {
  app.notFound((c) => c.text('Not found\n', 404, { 'Cache-Control': 'no-store' }));
  if (!existsSync(webRoot)) return;

  const files = { root: webRoot, precompressed: true };
  app.use('/assets/*', async (c, next) => {
    // The build puts a hash of the content into these names: what is cached can never be stale.
    c.header('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    await next();
  });
  app.get('/assets/*', serveStatic(files), (c) => c.notFound());
  app.use('*', etag(), async (c, next) => {
    c.header('Cache-Control', 'no-cache');
    await next();
  });
  app.get('*', serveStatic(files));
  // A missing file must not come back as a page: a script tag would try to run it.
  app.get('*', async (c, next) => (/\.[^/]*$/.test(c.req.path) ? c.notFound() : next()));
  app.get('*', serveStatic({ ...files, path: 'index.html' }));
}
