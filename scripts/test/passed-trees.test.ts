import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { committedTree, hasPassed, recordPassed } from './passed-trees.ts';

beforeEach(() => {
  // Git sets these variables for the programs that its hooks run; git then ignores the current folder.
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-trees-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function git(folder: string, ...args: string[]): string {
  const settings = ['user.name=Alice', 'user.email=alice@orchard.example', 'commit.gpgsign=false'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  return execFileSync('git', [...options, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

/** Returns a folder with a repository of one commit. */
function repository(): string {
  const folder = temporaryFolder();
  git(folder, 'init', '--quiet');
  writeFileSync(join(folder, '.gitignore'), 'ignored\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'Begin');
  return folder;
}

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('committedTree', () => {
  it('returns the tree of HEAD if everything is committed', () => {
    const folder = repository();
    const tree = git(folder, 'rev-parse', 'HEAD^{tree}');
    expect(committedTree(folder)).toBe(tree);
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Change nothing');
    expect(committedTree(folder)).toBe(tree);
  });

  it('returns null if a file is changed or new', () => {
    const folder = repository();
    writeFileSync(join(folder, 'new'), '');
    expect(committedTree(folder)).toBeNull();
    rmSync(join(folder, 'new'));
    expect(committedTree(folder)).not.toBeNull();
    writeFileSync(join(folder, '.gitignore'), 'changed\n');
    expect(committedTree(folder)).toBeNull();
  });

  it('returns null without a commit, without a repository and in an ignored folder of another repository', () => {
    const empty = temporaryFolder();
    expect(committedTree(empty)).toBeNull();
    git(empty, 'init', '--quiet');
    expect(committedTree(empty)).toBeNull();
    const ignored = join(repository(), 'ignored');
    mkdirSync(ignored);
    expect(committedTree(ignored)).toBeNull();
  });

  it('returns null if git is not installed', () => {
    const folder = repository();
    vi.stubEnv('PATH', '/nowhere');
    expect(committedTree(folder)).toBeNull();
  });
});

describe('recordPassed', () => {
  function stateFolder(): string {
    const folder = temporaryFolder();
    vi.stubEnv('XDG_STATE_HOME', folder);
    return folder;
  }

  it('adds each tree once, and hasPassed then finds each of them', () => {
    const folder = stateFolder();
    expect(hasPassed('a1')).toBe(false);
    for (const tree of ['a1', 'b2', 'a1']) expect(recordPassed(tree)).toBe(true);
    expect(readFileSync(join(folder, 'certlantern', 'passed-trees'), 'utf8')).toBe('a1\nb2\n');
    expect([hasPassed('a1'), hasPassed('b2'), hasPassed('a')]).toEqual([true, true, false]);
  });

  it('returns false if the list cannot be written', () => {
    writeFileSync(join(stateFolder(), 'certlantern'), 'not a folder');
    expect(recordPassed('a1')).toBe(false);
    expect(hasPassed('a1')).toBe(false);
  });
});
