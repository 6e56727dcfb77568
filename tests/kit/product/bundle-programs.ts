import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import { bundleName, PROGRAMS } from './programs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** The same in each run, because Node's compile cache knows files by their paths. */
const FOLDER = join(root, 'node_modules', '.cache', 'test-programs');

/**
 * Makes bundled modules find what their sources find: files beside the source, and the bundles of their threads. Throws for
 * any other use of `import.meta` in our sources.
 */
export const keepPaths = {
  name: 'keep-paths',
  // Runs before Vite, which would rewrite the same expressions.
  enforce: 'pre',
  transform(code: string, id: string): string | null {
    const isOurs = id.startsWith(root) && !id.includes('/node_modules/');
    if (!isOurs || !code.includes('import.meta.')) return null;
    const folder = dirname(id);
    const kept = code
      .replaceAll(/new URL\('([^']+)', import\.meta\.url\)/g, (expression, name: string) => {
        const path = join(folder, name);
        const isProgram = PROGRAMS.includes(relative(root, path));
        if (name.endsWith('.ts') && !isProgram) return expression;
        const file = isProgram ? join(FOLDER, `${bundleName(path)}.js`) : path;
        return `new URL(${JSON.stringify(pathToFileURL(file).href)})`;
      })
      .replaceAll('import.meta.dirname', JSON.stringify(folder));
    const [other] = /.*import\.meta\..*/.exec(kept) ?? [];
    if (other !== undefined) throw new Error(`A bundle would not do the same as ${id}: ${other.trim()}`);
    return kept;
  },
} satisfies Plugin;

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
  }).finally(() => {
    // Vite sets it, and then the tests would run React's production build.
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
  });
  process.env['TEST_BUNDLES'] = FOLDER;
}
