import react from '@vitejs/plugin-react';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import {
  PAGE_PATHS,
  type PagePath,
  PLACEHOLDERS,
  PRERENDERED_FOLDER,
  shellFileName,
  STATUS_FILE,
} from '../../contract/pages.ts';
import type * as prerender from '../app/prerender.tsx';
import { afterBuild, type BuildOutput, type BuiltChunk } from './after-build.ts';
import {
  prerenderedDocument,
  skeletonDocument,
  statusDocument,
  styleWithoutScript,
  withPreloads,
} from './page-documents.ts';

const ROUTER = 'app/router.tsx';
const CACHED = [ROUTER, 'app/query-cache-route.tsx'];
const SIGNED_IN = [...CACHED, 'app/protected.tsx'];
const DASHBOARD = [...SIGNED_IN, 'app/dashboard.tsx'];
const LEGAL = [ROUTER, 'features/legal/legal-page.tsx'];
const PUBLIC_STATUS = [...CACHED, 'features/status/public/public-status-page.tsx'];

/** The modules that each page loads first. */
const MODULES: Record<PagePath, string[]> = {
  // The page `/` loads these only if the visitor may be signed in.
  '/': [...DASHBOARD, 'app/home.tsx'],
  '/landing': ['app/landing.tsx'],
  '/login': [ROUTER, 'features/session/login-page.tsx'],
  '/signup': [ROUTER, 'features/session/signup-page.tsx'],
  '/forgot-password': [ROUTER, 'features/session/forgot-password-page.tsx'],
  '/reset-password': [ROUTER, 'features/session/reset-password-page.tsx'],
  '/verify': [...CACHED, 'features/session/verify-page.tsx'],
  '/signed-in': [ROUTER, 'features/session/signed-in-page.tsx'],
  '/terms': LEGAL,
  '/terms-of-use': LEGAL,
  '/privacy': LEGAL,
  '/privacy-policy': LEGAL,
  '/dashboard': DASHBOARD,
  '/profile': [...SIGNED_IN, 'features/profile/profile-page.tsx'],
  '/alerts': [...SIGNED_IN, 'features/alerts/alerts-page.tsx'],
  '/status-page': [...SIGNED_IN, 'features/status/settings/status-settings-page.tsx'],
  '/certificates': [...SIGNED_IN, 'features/certificates/certificates-page.tsx'],
  '/deadlines': [...SIGNED_IN, 'features/deadlines/deadlines-page.tsx'],
  '/unsubscribe': [...CACHED, 'features/alerts/mailed/unsubscribe-page.tsx'],
  '/confirm-recipient': [...CACHED, 'features/alerts/mailed/confirm-recipient-page.tsx'],
  '/billing-test': [...SIGNED_IN, 'features/billing/billing-test-page.tsx'],
};

/**
 * Renders the landing and login pages at build time, once per kind of deployment, so that visitors can read them before any
 * script runs. For every other page, writes an HTML shell that preloads the page's code.
 */
export function prerenderPages(): Plugin {
  return {
    ...afterBuild('prerender-pages', writePages),
    transformIndexHtml: (html) => html.replaceAll('Certlantern', PLACEHOLDERS.productName),
  };
}

async function writePages({ root, outDir, chunks }: BuildOutput): Promise<void> {
  const filesAt = (path: PagePath) => filesOf(chunks, MODULES[path]);
  const template = await readFile(join(outDir, 'index.html'), 'utf8');
  const style = await styleWithoutScript(root);
  const folder = join(outDir, PRERENDERED_FOLDER);
  await mkdir(folder);
  for (const path of PAGE_PATHS)
    await writeFile(join(folder, shellFileName(path)), withPreloads(template, filesAt(path)));
  await writeFile(join(folder, STATUS_FILE), statusDocument(template, filesOf(chunks, PUBLIC_STATUS)));
  const { landing, login, skeleton } = await renderPages(root);
  await writeFile(
    join(folder, shellFileName('/dashboard')),
    skeletonDocument(template, filesAt('/dashboard'), skeleton),
  );
  for (const { pages, path, ...rest } of [
    { pages: landing, path: '/landing', title: 'Never miss an SSL certificate expiry', needsScript: false },
    { pages: login, path: '/login', title: 'Login', needsScript: true },
  ] as const)
    for (const [name, body] of pages)
      await writeFile(
        join(folder, name),
        prerenderedDocument(template, { ...rest, body, style, files: filesAt(path) }),
      );
}

/** Returns the chunks of the modules and all their static imports. */
function filesOf(chunks: readonly BuiltChunk[], modules: readonly string[]): string[] {
  const files = new Set<string>();
  const add = (fileName: string): void => {
    if (files.has(fileName)) return;
    files.add(fileName);
    chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(add);
  };
  for (const module of modules) {
    const entry = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)));
    if (!entry) throw new Error(`The build has no chunk of ${module}`);
    add(entry.fileName);
  }
  return [...files];
}

interface Rendered {
  landing: Map<string, string>;
  login: Map<string, string>;
  /** HTML that the dashboard shows until its code has loaded. */
  skeleton: string;
}

/** Builds the page for Node in a separate folder and runs the rendering there. */
async function renderPages(root: string): Promise<Rendered> {
  const folder = await mkdtemp(join(tmpdir(), 'certlantern-prerender-'));
  try {
    await build({
      configFile: false,
      root,
      // Vite would warn that two pages, which this build renders together, share a module.
      logLevel: 'error',
      plugins: [react()],
      ssr: { noExternal: true },
      // Node's `localStorage` warns on access, and prerendering stores nothing.
      define: { localStorage: 'undefined' },
      build: { ssr: 'app/prerender.tsx', outDir: folder, emptyOutDir: false, copyPublicDir: false },
    });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const built = (await import(pathToFileURL(join(folder, 'prerender.js')).href)) as typeof prerender;
    const skeleton = built.prerenderSkeleton();
    return { landing: built.prerenderLanding(), login: await built.prerenderLogin(), skeleton };
  } finally {
    await rm(folder, { recursive: true });
  }
}
