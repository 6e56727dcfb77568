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
  shellFileName,
  STATUS_FILE,
  statusSlug,
} from '../../../contract/pages.ts';
import type { PublicConfig } from '../../../contract/public-config.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { fillTemplate, pageDocument, type PageDocument } from './page-document.ts';
import { namesFile } from './request-telemetry.ts';

const YEAR_SECONDS = 31_536_000;

type PublishedPage = { title: string; listed: boolean };

export interface StaticPages {
  /** Folder of the built web app. */
  webRoot: string;
  publicUrl: URL;
  publicConfig: PublicConfig;
  /** Returns whether the browser has a session or refresh cookie, valid or not. */
  maybeSignedIn: (c: AppContext) => boolean;
  /** Returns whether the session or refresh cookie of the browser is valid. Reads the database. */
  isSignedIn: (c: AppContext) => Promise<boolean>;
  /** Returns the published status page with this slug, or null. */
  statusPage: (slug: string) => Promise<PublishedPage | null>;
}

/**
 * Serves the built web app: its files, an HTML page at every path that the web app's router knows, and a 404 page at all
 * other paths. Serves nothing if the web app is not built.
 */
export function staticPageRoutes(app: Hono<AppEnv>, options: StaticPages): void {
  const { webRoot, maybeSignedIn, isSignedIn, statusPage } = options;
  app.notFound((c) => c.text('Not found\n', 404, { 'Cache-Control': 'no-store' }));
  if (!existsSync(join(webRoot, 'index.html'))) return;

  const files = { root: webRoot, precompressed: true };
  app.use('/assets/*', async (c, next) => {
    // File names contain a hash of the content, so a cached copy is never stale.
    c.header('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    await next();
  });
  app.get('/assets/*', serveStatic(files), (c) => c.notFound());

  const { indexPage, documentOf, statusOf } = documents(options);
  app.get('*', async (c, next) => {
    const path = pathOf(c.req.path);
    // Never serve these files as they are: they are templates with placeholders.
    if (path === '/index.html' || path.startsWith(`/${PRERENDERED_FOLDER}/`)) return c.notFound();
    // Never answer a missing file with a page: a script tag would try to run the HTML.
    if (namesFile(path)) return next();
    const slug = statusSlug(path);
    if (slug !== null) {
      const page = await statusPage(slug);
      if (page === null) return indexPage(c, 404);
      if (!page.listed) c.header('X-Robots-Tag', 'noindex');
      // Preload the data: the browser fetches it while it loads the code.
      c.header('Link', `</api/status/${slug}>; rel=preload; as=fetch; crossorigin=use-credentials`);
      return statusOf(path, page.title)(c);
    }
    if (!isPage(path)) return indexPage(c, 404);
    const address = new URL(c.req.url);
    const newAddress = withTokenInFragment(path, address.searchParams);
    if (newAddress !== null) {
      c.header('Cache-Control', 'no-store');
      return c.redirect(newAddress, 302);
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

/** Normalises a path as the web app's router does: lower case, no trailing slashes. */
function pathOf(path: string): string {
  return path.toLowerCase().replace(/(?<!\/)\/+$/, '') || '/';
}

function isPage(path: string): path is PagePath {
  return (PAGE_PATHS as readonly string[]).includes(path);
}

/** Query parameters that contained the token in links from before schema level 19, by page. */
const OLD_TOKEN_NAMES: Partial<Record<PagePath, string>> = {
  '/unsubscribe': 'token',
  '/confirm-recipient': 'token',
  '/signup': 'invite',
};

/**
 * Returns the URL of an old link with its token moved from the query into the fragment; null if the page takes no token
 * or the query has none. Does not verify the token: the call that receives it does.
 */
function withTokenInFragment(path: PagePath, search: URLSearchParams): string | null {
  const name = OLD_TOKEN_NAMES[path];
  const token = name === undefined ? null : search.get(name);
  if (name === undefined || token === null) return null;
  const rest = new URLSearchParams(search);
  rest.delete(name);
  const query = rest.size === 0 ? '' : `?${rest}`;
  // Our tokens consist of these characters only, so drop any other value.
  return `${path}${query}${/^[\w.-]+$/.test(token) ? `#${token}` : ''}`;
}

/** Maximum number of cached status pages, of a few kB each. */
const MAX_STATUS_DOCUMENTS = 500;

/**
 * Reads the page templates and fills them in at the start, because files and settings do not change while the server runs. Fills
 * in the template of status pages on request, and caches the result.
 */
function documents({ webRoot, publicUrl, publicConfig }: StaticPages) {
  const fill = (template: string, path: string, statusTitle = '') =>
    pageDocument(
      fillTemplate(template, {
        [PLACEHOLDERS.productName]: publicConfig.product_name,
        [PLACEHOLDERS.address]: new URL(path, publicUrl).href,
        [PLACEHOLDERS.config]: JSON.stringify(publicConfig),
        [PLACEHOLDERS.statusTitle]: statusTitle,
      }),
    );
  const indexPage = fill(readFileSync(join(webRoot, 'index.html'), 'utf8'), '/');
  const readPage = (path: PagePath, name: string | null): PageDocument | null => {
    if (name === null) return null;
    const file = join(webRoot, PRERENDERED_FOLDER, name);
    return existsSync(file) ? fill(readFileSync(file, 'utf8'), path) : null;
  };
  const statusTemplate = join(webRoot, PRERENDERED_FOLDER, STATUS_FILE);
  const status = existsSync(statusTemplate) ? readFileSync(statusTemplate, 'utf8') : null;
  const statusDocuments = new Map<string, PageDocument>();
  const statusOf = (path: string, title: string): PageDocument => {
    if (status === null) return indexPage;
    const key = JSON.stringify([path, title]);
    const page = statusDocuments.get(key) ?? fill(status, path, title);
    if (statusDocuments.size >= MAX_STATUS_DOCUMENTS) statusDocuments.clear();
    statusDocuments.set(key, page);
    return page;
  };
  const shells = new Map(PAGE_PATHS.map((path) => [path, readPage(path, shellFileName(path))]));
  const landing = readPage('/landing', landingFile(publicConfig));
  const login = readPage('/login', loginFile(publicConfig));

  const prerendered = (path: PagePath, hasQuery: boolean): PageDocument | null => {
    if (path === '/landing') return landing;
    // The prerendered login page only fits requests without a query, because its links contain the query.
    return path === '/login' && !hasQuery ? login : null;
  };
  return {
    indexPage,
    statusOf,
    /**
     * Returns the prerendered page of a path if there is one, else its shell, else index.html. The browser renders the page from
     * a shell or index.html.
     */
    documentOf: (path: PagePath, hasQuery: boolean) =>
      prerendered(path, hasQuery) ?? shells.get(path) ?? indexPage,
  };
}
