import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** The programs that tests start many times, and the threads that these start. Paths are relative to the project. */
export const PROGRAMS = [
  'server/main.ts',
  'server/probe/examiner-thread.ts',
  'server/store/db/checkpoint-thread.ts',
  'server/store/db/search-thread.ts',
  'scripts/admin.ts',
  'scripts/backup.ts',
  'scripts/check.ts',
  'scripts/expect.ts',
  'scripts/import.ts',
  'scripts/move.ts',
  'scripts/restore.ts',
  'tests/faults/mail-ledger.ts',
  'tests/faults/webhook-ledger.ts',
];

/** Name of a program's bundle, without the extension. */
export const bundleName = (path: string): string => basename(path, '.ts');

/** Returns the file to start for a program: its bundle if `npm test` has made one, else its source. */
export function programFile(path: string): string {
  const bundles = process.env['TEST_BUNDLES'];
  return bundles === undefined || !PROGRAMS.includes(path)
    ? join(root, path)
    : join(bundles, `${bundleName(path)}.js`);
}
