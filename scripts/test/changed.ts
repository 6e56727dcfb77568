import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { type Import, importsOf, ROOT, startedBy } from '../house/imports.ts';
import { chooseTests } from './choose-tests.ts';

export interface Change {
  /** Commit that the files were compared with. */
  base: string;
  /** Files that each stage runs or checks. Checked files may have been deleted. A stage without files does not run. */
  files: Record<string, string[]>;
  /** Integration tests that import a changed file but are not run. */
  leftOut: string[];
}

/**
 * Returns what changed since a commit, and the tests for that. If `commit` is null, compares with the last commit that this branch
 * shares with origin/main, or with HEAD if there is no origin/main. Uncommitted and new files are changes too. Throws if git fails.
 */
export function findChange(commit: string | null): Change {
  const base = commit ?? commonCommit() ?? 'HEAD';
  const changed = [
    ...git('diff', '--name-only', '--relative', '--no-renames', '-z', base, '--').split('\0'),
    ...git('ls-files', '--others', '--exclude-standard', '-z').split('\0'),
  ].filter((path) => path !== '');
  const files = globSync('{contract,server,web,scripts,tests,bench}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  });
  const uses = files.flatMap((file) => [...importsOf(file), ...startsOf(file)]);
  const { leftOut, ...tests } = chooseTests(changed, files, uses);
  return { base, files: { checks: changed, ...tests }, leftOut };
}

/** Returns the threads and processes that a file starts, as if it imported them: a test of the file depends on them too. */
const startsOf = (from: string): Import[] =>
  startedBy(from).map((to) => ({
    from,
    to,
    typeOnly: false,
    isDynamic: true,
    isReexport: false,
  }));

function commonCommit(): string | null {
  try {
    return git('merge-base', 'HEAD', 'origin/main').trim();
  } catch {
    // There is no origin/main.
    return null;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
