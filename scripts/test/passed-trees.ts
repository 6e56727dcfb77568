import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns the id of the tree of HEAD; null without git, without a repository, or if something in `folder` is not committed. */
export function committedTree(folder: string): string | null {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // Names the same tree as HEAD^{tree}, but fails if the folder is not part of the repository, for instance an ignored
    // folder in another project.
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD:./') : null;
  } catch {
    return null;
  }
}

/** Returns whether a full run passed on a tree on this machine. */
export function hasPassed(tree: string): boolean {
  try {
    return readFileSync(listPath(), 'utf8').split('\n').includes(tree);
  } catch {
    // There is no list, because no run has passed yet.
    return false;
  }
}

/** Adds a tree to the list of those that passed. Returns false if the list cannot be written. */
export function recordPassed(tree: string): boolean {
  if (hasPassed(tree)) return true;
  try {
    mkdirSync(dirname(listPath()), { recursive: true });
    appendFileSync(listPath(), `${tree}\n`);
    return true;
  } catch {
    return false;
  }
}

function listPath(): string {
  const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'certlantern', 'passed-trees');
}
