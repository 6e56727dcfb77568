import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type Context } from 'hono';
import { etag } from 'hono/etag';
import { existsSync } from 'node:fs';
import type { AppEnv } from './app-env.ts';

const YEAR_SECONDS = 31_536_000;

/** Serves the built pages. Addresses without a file are the page router's: it knows which of them exist. */
export function staticPages(webRoot: string): Hono<AppEnv> {
  const pages = new Hono<AppEnv>();
  pages.notFound((c) => c.text('Not found\n', 404, { 'Cache-Control': 'no-store' }));
  if (!existsSync(webRoot)) return pages;

  const files = { root: webRoot, precompressed: true };
  pages.get(
    '/assets/*',
    serveStatic({
      ...files,
      // The build puts a hash of the content into these names: what is cached can never be stale.
      onFound: (_, c) => c.header('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`),
    }),
    (c) => c.notFound(),
  );
  const onFound = (_: string, c: Context) => c.header('Cache-Control', 'no-cache');
  pages.use('*', etag());
  pages.get('*', serveStatic({ ...files, onFound }));
  // A missing file must not come back as a page: a script tag would try to run it.
  pages.get('*', async (c, next) => (/\.[^/]*$/.test(c.req.path) ? c.notFound() : next()));
  pages.get('*', serveStatic({ ...files, path: 'index.html', onFound }));
  return pages;
}
