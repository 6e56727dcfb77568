import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Absolute path of the project. */
export const ROOT = resolve(import.meta.dirname, '..', '..');

/** Returns the source without comments, with all line breaks and strings: enough to find imports and count lines. */
export function withoutComments(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

export interface Import {
  from: string;
  /** Path of the imported file relative to the project, or name of the package. */
  to: string;
  typeOnly: boolean;
  /** Whether the import is dynamic. */
  isDynamic: boolean;
  /** Whether the statement is an export of another file's names. */
  isReexport: boolean;
}

/** Returns the imports and re-exports of a source file. `path` is relative to the project. */
export function importsOf(path: string): Import[] {
  const source = withoutComments(readFileSync(join(ROOT, path), 'utf8'));
  const statements = source.matchAll(
    /(?:^|\n)\s*(import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g,
  );
  return Array.from(statements, ([, keyword, type, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? '';
    const to = specifier.startsWith('.') ? pathFrom(path, specifier) : packageName(specifier);
    return {
      from: path,
      to,
      typeOnly: type !== undefined,
      isDynamic: fixed === undefined,
      isReexport: keyword === 'export',
    };
  });
}

/**
 * Returns the files that a source file starts as threads or processes, such as the one in `new Worker(new
 * URL('./x-thread.ts', import.meta.url))`.
 */
export function startedBy(path: string): string[] {
  const source = withoutComments(readFileSync(join(ROOT, path), 'utf8'));
  const files = source.matchAll(/new URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url,?\s*\)/g);
  return Array.from(files, ([, file = '']) => pathFrom(path, file));
}

/** Returns the path of a relative specifier in the file `path`, relative to the project. */
function pathFrom(path: string, specifier: string): string {
  return relative(ROOT, resolve(ROOT, dirname(path), specifier))
    .split(sep)
    .join('/');
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier.split('/')[0] ?? specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
