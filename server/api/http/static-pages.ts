import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  landingFile,
  LISTED_PATHS,
  loginFile,
  PAGE_PATHS,
  type PagePath,
  PLACEHOLDERS,
  PRERENDERED_FOLDER,
  shellFile,
  STATUS_FILE,
  statusSlug,
} from '../../../contract/pages.ts';
import type { PublicConfig } from '../../../contract/public-config.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { fillIn, pageDocument, type PageDocument } from './page-document.ts';
import { namesFile } from './request-watch.ts';

const YEAR_SECONDS = 31_536_000;

type PublishedPage = { title: string; listed: boolean };

export interface StaticPages {
  /** The folder of the built pages. */
  webRoot: string;
  publicUrl: URL;
  publicConfig: PublicConfig;
  /** Whether the browser may be signed in: it shows a cookie of a session, good or not. */
  maybeSignedIn: (c: AppContext) => boolean;
  /** Whether the session cookie belongs to a live session. Reads the database. */
  isSignedIn: (c: AppContext) => Promise<boolean>;
  /** Of the status page with this address; null where nobody may see one. */
  statusPage: (slug: string) => Promise<PublishedPage | null>;
}

/** Serves the built pages: files as they are, and an HTML page at every address that the page's router knows. */
export function staticPages(app: Hono<AppEnv>, options: StaticPages): void {
  const { webRoot, maybeSignedIn, isSignedIn, statusPage } = options;
  app.notFound((c) => c.text('Not found\n', 404, { 'Cache-Control': 'no-store' }));
  if (!existsSync(join(webRoot, 'index.html'))) return;

  const files = { root: webRoot, precompressed: true };
  app.use('/assets/*', async (c, next) => {
    // The build puts a hash of the content into these names: what is cached can never be stale.
    c.header('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    await next();
  });
  app.get('/assets/*', serveStatic(files), (c) => c.notFound());

  const { nowhere, documentOf, statusOf } = documents(options);
  app.get('*', async (c, next) => {
    const path = pathOf(c.req.path);
    // A missing file must not come back as a page: a script tag would try to run it.
    if (path === '/index.html' || path.startsWith(`/${PRERENDERED_FOLDER}/`)) return c.notFound();
    if (namesFile(path)) return next();
    const slug = statusSlug(path);
    if (slug !== null) {
      const page = await statusPage(slug);
      if (page === null) return nowhere(c, 404);
      if (!page.listed) c.header('X-Robots-Tag', 'noindex');
      // Asked for while its code is on the way.
      c.header('Link', `</api/status/${slug}>; rel=preload; as=fetch; crossorigin=use-credentials`);
      return statusOf(path, page.title)(c);
    }
    if (!isPage(path)) return nowhere(c, 404);
    const address = new URL(c.req.url);
    const moved = withTokenInFragment(path, address.searchParams);
    if (moved !== null) {
      c.header('Cache-Control', 'no-store');
      return c.redirect(moved, 302);
    }
    if (path === '/' || path === '/login') {
      c.header('Vary', 'Cookie');
      c.header('Cache-Control', 'no-cache');
      if (path === '/login' && (await isSignedIn(c))) return c.redirect('/dashboard', 302);
      if (path === '/' && !maybeSignedIn(c)) return c.redirect(`/landing${address.search}`, 302);
    }
    if (!LISTED_PATHS.includes(path) && path !== '/') c.header('X-Robots-Tag', 'noindex');
    return documentOf(path, address.search !== '')(c);
  });

  app.use('*', etag(), async (c, next) => {
    c.header('Cache-Control', 'no-cache');
    await next();
  });
  app.get('*', serveStatic(files), (c) => c.notFound());
}

/** Reads a path as the page's router does: in any case, with or without slashes at the end. */
function pathOf(path: string): string {
  return path.toLowerCase().replace(/(?<!\/)\/+$/, '') || '/';
}

function isPage(path: string): path is PagePath {
  return (PAGE_PATHS as readonly string[]).includes(path);
}

/** The parameter that carried the token of links mailed before migration 0019. */
const OLD_TOKEN_NAMES: Partial<Record<PagePath, string>> = {
  '/unsubscribe': 'token',
  '/confirm-recipient': 'token',
  '/signup': 'invite',
};

/**
 * Returns the address of a page with its token moved from the query into the fragment; null where the query has none. Whether the token
 * still works is decided by the call that gets it.
 */
function withTokenInFragment(path: PagePath, search: URLSearchParams): string | null {
  const name = OLD_TOKEN_NAMES[path];
  const token = name === undefined ? null : search.get(name);
  if (name === undefined || token === null) return null;
  const rest = new URLSearchParams(search);
  rest.delete(name);
  const query = rest.size === 0 ? '' : `?${rest}`;
  // Ours are made of these characters; anything else is no token.
  return `${path}${query}${/^[\w.-]+$/.test(token) ? `#${token}` : ''}`;
}

/** Of pages that were asked for: each takes a few kB. */
const MOST_STATUS_DOCUMENTS = 500;

/** Read once: neither files nor settings change while the server runs. */
function documents({ webRoot, publicUrl, publicConfig }: StaticPages) {
  const filled = (template: string, path: string, statusTitle = '') =>
    pageDocument(
      fillIn(template, {
        [PLACEHOLDERS.productName]: publicConfig.product_name,
        [PLACEHOLDERS.address]: new URL(path, publicUrl).href,
        [PLACEHOLDERS.config]: JSON.stringify(publicConfig),
        [PLACEHOLDERS.statusTitle]: statusTitle,
      }),
    );
  const nowhere = filled(readFileSync(join(webRoot, 'index.html'), 'utf8'), '/');
  const built = (path: PagePath, name: string | null): PageDocument | null => {
    if (name === null) return null;
    const file = join(webRoot, PRERENDERED_FOLDER, name);
    return existsSync(file) ? filled(readFileSync(file, 'utf8'), path) : null;
  };
  const statusTemplate = join(webRoot, PRERENDERED_FOLDER, STATUS_FILE);
  const status = existsSync(statusTemplate) ? readFileSync(statusTemplate, 'utf8') : null;
  const statusDocuments = new Map<string, PageDocument>();
  const statusOf = (path: string, title: string): PageDocument => {
    if (status === null) return nowhere;
    const key = JSON.stringify([path, title]);
    const made = statusDocuments.get(key) ?? filled(status, path, title);
    if (statusDocuments.size >= MOST_STATUS_DOCUMENTS) statusDocuments.clear();
    statusDocuments.set(key, made);
    return made;
  };
  const shells = new Map(PAGE_PATHS.map((path) => [path, built(path, shellFile(path))]));
  const landing = built('/landing', landingFile(publicConfig));
  const login = built('/login', loginFile(publicConfig));

  const drawn = (path: PagePath, isAskedMore: boolean): PageDocument | null => {
    if (path === '/landing') return landing;
    // What its address asks for stands in its links.
    return path === '/login' && !isAskedMore ? login : null;
  };
  return {
    nowhere,
    statusOf,
    /** Where there is no HTML of a page, the browser draws it itself. */
    documentOf: (path: PagePath, isAskedMore: boolean) =>
      drawn(path, isAskedMore) ?? shells.get(path) ?? nowhere,
  };
}
