import react from '@vitejs/plugin-react';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { Plugin, Rolldown } from 'vite';
import { PLACEHOLDERS, PRERENDERED_FOLDER } from '../../contract/pages.ts';
import type * as prerender from '../app/prerender.tsx';

const LANDING_MODULE = 'features/landing/landing-page.tsx';
const LANDING_TITLE = `Never miss an SSL certificate expiry · ${PLACEHOLDERS.productName}`;

/** Renders the landing page at build time, once for each kind of deployment, so that it can be read before any script has run. */
export function prerenderLandingPage(): Plugin {
  let root = '';
  let outDir = '';
  let landingFiles: string[] | null = null;
  return {
    name: 'prerender-landing-page',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      outDir = resolve(config.root, config.build.outDir);
    },
    transformIndexHtml: (html) => html.replaceAll('Certlantern', PLACEHOLDERS.productName),
    writeBundle(_options, bundle) {
      landingFiles = filesOf(bundle, LANDING_MODULE);
    },
    async closeBundle() {
      // Nothing was written where the build failed.
      if (landingFiles === null) return;
      const template = await readFile(join(outDir, 'index.html'), 'utf8');
      const style = await styleWithoutScript(root);
      await mkdir(join(outDir, PRERENDERED_FOLDER));
      for (const [name, body] of await renderedPages(root))
        await writeFile(
          join(outDir, PRERENDERED_FOLDER, name),
          landingDocument(template, { body, style, files: landingFiles }),
        );
    },
  };
}

/** A module's chunk and all that it imports at once. */
function filesOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const files = new Set<string>();
  const add = (fileName: string): void => {
    if (files.has(fileName)) return;
    files.add(fileName);
    chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(add);
  };
  const entry = chunks.find((chunk) => chunk.facadeModuleId?.endsWith(module));
  if (!entry) throw new Error(`The build has no chunk of ${module}`);
  add(entry.fileName);
  return [...files];
}

/** Builds the page for Node in a folder of its own, and lets it render itself. */
async function renderedPages(root: string): Promise<Map<string, string>> {
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
    return await built.prerenderLanding();
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Parts {
  body: string;
  style: string;
  files: string[];
}

/** The shell of all pages, completed to the landing page: with its text, what search engines ask for, and its code on the way. */
function landingDocument(shell: string, { body, style, files }: Parts): string {
  const preloads = files
    .filter((file) => !shell.includes(`"/${file}"`))
    .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
  const description = /<meta\s+name="description"\s+content="([^"]*)"/.exec(shell)?.[1] ?? '';
  const head = [
    ...preloads,
    `<link rel="canonical" href="${PLACEHOLDERS.address}">`,
    `<meta property="og:type" content="website">`,
    `<meta property="og:site_name" content="${PLACEHOLDERS.productName}">`,
    `<meta property="og:title" content="${LANDING_TITLE}">`,
    `<meta property="og:description" content="${description}">`,
    `<meta property="og:url" content="${PLACEHOLDERS.address}">`,
    `<noscript><style>${style}</style></noscript>`,
  ];
  const replaced: [from: RegExp, to: string][] = [
    [/<title>[^<]*<\/title>/, `<title>${LANDING_TITLE}</title>`],
    // Its settings stand in the page itself.
    [/<!--[^>]*-->\s*<link\b[^>]*\/api\/config[^>]*>/, ''],
    [/<noscript>This page needs JavaScript\.<\/noscript>/, ''],
    [/<\/head>/, `${head.join('\n    ')}\n  </head>`],
    [/<div id="root"><\/div>/, `<div id="root" data-config="${PLACEHOLDERS.config}">${body}</div>`],
  ];
  return replaced.reduce((html, [from, to]) => {
    if (!from.test(html)) throw new Error(`index.html has no ${String(from)} to complete`);
    return html.replace(from, () => to);
  }, shell);
}

/** Without a script nothing sets the theme, and what needs one is of no use: the system's theme, and the text alone. */
async function styleWithoutScript(root: string): Promise<string> {
  const tokens = await readFile(join(root, 'styles', 'tokens.css'), 'utf8');
  const dark = [...tokens.matchAll(/^\[data-theme='dark'\] \{([^}]*)\}/gm)].map(([, block]) => block);
  if (dark.length === 0) throw new Error('tokens.css has no dark theme');
  const declarations = dark.join('').replaceAll(/\s+/g, ' ').trim();
  return `@media (prefers-color-scheme: dark) and (forced-colors: none) {:root { ${declarations} }} [data-needs-script] { display: none }`;
}
