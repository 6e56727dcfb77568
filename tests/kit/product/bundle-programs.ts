import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import { bundleName, PROGRAMS } from './programs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** Makes bundled modules find what their sources find: files beside the source, and the bundles of their threads. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  // Runs before Vite, which would rewrite the same expressions.
  enforce: 'pre',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    const urlBeside = (name: string): string => JSON.stringify(pathToFileURL(join(dirname(id), name)).href);
    return code
      .replaceAll(
        /new URL\('\.\/([\w-]+-thread)\.ts', import\.meta\.url\)/g,
        "new URL('./$1.js', import.meta.url)",
      )
      .replaceAll(
        /new URL\('([\w-]+\.png)', import\.meta\.url\)/g,
        (_, name: string) => `new URL(${urlBeside(name)})`,
      )
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)));
  },
};

/**
 * Bundles the programs into `folder`, for the tests that this process starts. Measured: a bundled server starts with half of the
 * CPU time, because Node loads sixty files instead of a thousand and strips no types.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [keepPaths],
    ssr: { noExternal: true, external: ['pg-native'] },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input: Object.fromEntries(PROGRAMS.map((path) => [bundleName(path), join(root, path)])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  process.env['TEST_BUNDLES'] = folder;
}
