import { basename, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..', '..');

/** The folder of the bundles. */
export const BUNDLES = join(ROOT, 'dist', 'programs');

/** The programs that are bundled, and the threads that these start. Paths are relative to the project. */
export const PROGRAMS = [
  'server/main.ts',
  'server/probe/examiner-thread.ts',
  'server/store/db/checkpoint-thread.ts',
  'server/store/db/search-thread.ts',
  'scripts/admin.ts',
  'scripts/backup.ts',
  'scripts/check.ts',
  'scripts/expect.ts',
  'scripts/check/forecast.ts',
  'scripts/import.ts',
  'scripts/invite.ts',
  'scripts/move.ts',
  'scripts/restore.ts',
];

/** Name of a program's bundle, without the extension. */
export const bundleName = (path: string): string => basename(path, '.ts');

/** Returns the arguments of Node that start a program: with BUNDLED_PROGRAMS its bundle, else its source. */
export function programArguments(path: string): string[] {
  return process.env['BUNDLED_PROGRAMS'] === undefined || !PROGRAMS.includes(path)
    ? [join(ROOT, path)]
    : ['--enable-source-maps', join(BUNDLES, `${bundleName(path)}.js`)];
}
