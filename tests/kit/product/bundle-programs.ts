import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import { bundleName, PROGRAMS } from './programs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** The same in each run, because Node's compile cache knows files by their paths. */
const FOLDER = join(root, 'node_modules', '.cache', 'test-programs');

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
 * Bundles the programs for the tests that this process starts. Throws if that fails. Measured: a bundled server starts with half of the
 * CPU time, because Node loads sixty files instead of a thousand and strips no types.
 */
export async function bundlePrograms(): Promise<void> {
  const { NODE_ENV } = process.env;
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [keepPaths],
    // `main`: the file of a package that Node chooses, too.
    ssr: { noExternal: true, external: ['pg-native'], resolve: { mainFields: ['main'] } },
    build: {
      ssr: true,
      outDir: FOLDER,
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
  process.env['TEST_BUNDLES'] = FOLDER;
  // Vite sets it, and then the tests would run React's production build.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
}
