import react from '@vitejs/plugin-react';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { Plugin, Rolldown } from 'vite';
import {
  PAGE_PATHS,
  PLACEHOLDERS,
  PRERENDERED_FOLDER,
  shellFile,
  STATUS_FILE,
} from '../../contract/pages.ts';
import type { PagePath } from '../../contract/pages.ts';
import type * as prerender from '../app/prerender.tsx';
import { drawnDocument, preloading, statusDocument, styleWithoutScript } from './page-documents.ts';

const SIGNED_IN = 'app/protected.tsx';
const DASHBOARD = 'features/domains/dashboard-page.tsx';
const LEGAL = 'features/legal/legal-page.tsx';
const PUBLIC_STATUS = 'features/status/public/public-status-page.tsx';

/** What the router loads for each page. */
const MODULES: Record<PagePath, string[]> = {
  // Only who may be signed in gets it.
  '/': ['app/home.tsx', SIGNED_IN, DASHBOARD],
  '/landing': ['features/landing/landing-page.tsx'],
  '/login': ['features/session/login-page.tsx'],
  '/signup': ['features/session/signup-page.tsx'],
  '/forgot-password': ['features/session/forgot-password-page.tsx'],
  '/reset-password': ['features/session/reset-password-page.tsx'],
  '/verify': ['features/session/verify-page.tsx'],
  '/signed-in': ['features/session/signed-in-page.tsx'],
  '/terms': [LEGAL],
  '/terms-of-use': [LEGAL],
  '/privacy': [LEGAL],
  '/privacy-policy': [LEGAL],
  '/dashboard': [SIGNED_IN, DASHBOARD],
  '/profile': [SIGNED_IN, 'features/profile/profile-page.tsx'],
  '/alerts': [SIGNED_IN, 'features/alerts/alerts-page.tsx'],
  '/status-page': [SIGNED_IN, 'features/status/settings/status-settings-page.tsx'],
  '/unsubscribe': ['features/alerts/mailed/unsubscribe-page.tsx'],
  '/confirm-recipient': ['features/alerts/mailed/confirm-recipient-page.tsx'],
  '/billing-test': [SIGNED_IN, 'features/billing/billing-test-page.tsx'],
};

/**
 * Renders the landing and the login page at build time, once for each kind of deployment, so that they can be read before
 * any script has run; and makes each other page a shell that has its code on the way.
 */
export function prerenderPages(): Plugin {
  let root = '';
  let outDir = '';
  let files: Map<PagePath, string[]> | null = null;
  let statusFiles: string[] = [];
  return {
    name: 'prerender-pages',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      outDir = resolve(config.root, config.build.outDir);
    },
    transformIndexHtml: (html) => html.replaceAll('Certlantern', PLACEHOLDERS.productName),
    writeBundle(_options, bundle) {
      files = new Map(PAGE_PATHS.map((path) => [path, filesOf(bundle, MODULES[path])]));
      statusFiles = filesOf(bundle, [PUBLIC_STATUS]);
    },
    async closeBundle() {
      // Nothing was written where the build failed.
      if (files === null) return;
      const filesAt = (path: PagePath) => files?.get(path) ?? [];
      const template = await readFile(join(outDir, 'index.html'), 'utf8');
      const style = await styleWithoutScript(root);
      const folder = join(outDir, PRERENDERED_FOLDER);
      await mkdir(folder);
      for (const path of PAGE_PATHS)
        await writeFile(join(folder, shellFile(path)), preloading(template, filesAt(path)));
      await writeFile(join(folder, STATUS_FILE), statusDocument(template, statusFiles));
      const { landing, login } = await renderedPages(root);
      for (const { pages, path, ...rest } of [
        {
          pages: landing,
          path: '/landing',
          title: 'Never miss an SSL certificate expiry',
          needsScript: false,
        },
        { pages: login, path: '/login', title: 'Login', needsScript: true },
      ] as const)
        for (const [name, body] of pages)
          await writeFile(
            join(folder, name),
            drawnDocument(template, { ...rest, body, style, files: filesAt(path) }),
          );
    },
  };
}

/** The chunks of the modules, and all that they import at once. */
function filesOf(bundle: Rolldown.OutputBundle, modules: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const files = new Set<string>();
  const add = (fileName: string): void => {
    if (files.has(fileName)) return;
    files.add(fileName);
    chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(add);
  };
  for (const module of modules) {
    const entry = chunks.find((chunk) => chunk.facadeModuleId?.endsWith(`/${module}`));
    if (!entry) throw new Error(`The build has no chunk of ${module}`);
    add(entry.fileName);
  }
  return [...files];
}

interface Rendered {
  landing: Map<string, string>;
  login: Map<string, string>;
}

/** Builds the page for Node in a folder of its own, and lets it render itself. */
async function renderedPages(root: string): Promise<Rendered> {
  const folder = await mkdtemp(join(tmpdir(), 'certlantern-prerender-'));
  try {
    await build({
      configFile: false,
      root,
      logLevel: 'warn',
      plugins: [react()],
      ssr: { noExternal: true },
      // Node has one that warns when it is asked; here nothing is stored.
      define: { localStorage: 'undefined' },
      build: { ssr: 'app/prerender.tsx', outDir: folder, emptyOutDir: false, copyPublicDir: false },
    });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const built = (await import(pathToFileURL(join(folder, 'prerender.js')).href)) as typeof prerender;
    return { landing: await built.prerenderLanding(), login: await built.prerenderLogin() };
  } finally {
    await rm(folder, { recursive: true });
  }
}
