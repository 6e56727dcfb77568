import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const exists = (path: string): boolean => existsSync(join(root, path));

const { scripts, engines }: { scripts: Record<string, string>; engines: { node: string } } = JSON.parse(
  read('package.json'),
);
const oldestNode = engines.node.replace('>=', '');

interface Workflow {
  permissions: Record<string, string>;
  concurrency: unknown;
  jobs: Record<string, Job>;
}
interface Job {
  'timeout-minutes': number;
  container: { image: string };
  strategy: { matrix: Record<string, string[]> };
  steps: { uses?: string; run?: string }[];
}

const readWorkflow = (file: string): Workflow => parse(read(join('.github/workflows', file)));

/** Returns what the job's steps run, for each value in the matrix. */
function commandsOf({ strategy, steps }: Job): string[] {
  const values = Object.entries(strategy.matrix).flatMap(([name, all]) => all.map((value) => [name, value]));
  return steps.flatMap(({ run }) =>
    run === undefined
      ? []
      : values.map(([name, value = '']) => run.replaceAll(`\${{ matrix.${name} }}`, value)),
  );
}

describe.each(readdirSync(join(root, '.github/workflows')))('.github/workflows/%s', (file) => {
  const { permissions, concurrency, jobs } = readWorkflow(file);

  it('may only read the repository and uses no secret', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job).not.toHaveProperty('permissions');
    expect(read(join('.github/workflows', file))).not.toMatch(/secrets\.|pull_request_target/);
  });

  it('cancels its older run and stops at a time limit', () => {
    expect(concurrency).toMatchObject({ group: expect.any(String), 'cancel-in-progress': true });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
  });

  it('runs on the oldest supported Node and pins each action to a commit', () => {
    for (const { container, steps } of Object.values(jobs)) {
      expect(container.image).toContain(`node:${oldestNode}.`);
      for (const { uses } of steps)
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    }
  });

  it('runs only commands of this project', () => {
    for (const command of Object.values(jobs).flatMap(commandsOf)) {
      const [, program = '', script] = /^(\.ci\/run|npm run ([\w:]+))(?: [\w/-]+)*$/.exec(command) ?? [];
      expect(script === undefined ? exists(program) : script in scripts, command).toBe(true);
    }
  });
});

it('CI runs each quarter of the tests once', () => {
  expect(Object.values(readWorkflow('ci.yml').jobs).flatMap(commandsOf)).toEqual(
    [1, 2, 3, 4].map((part) => `.ci/run --shard ${part}/4`),
  );
});

it('.ci/run passes its arguments to npm test and sets CI=true', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "CI=$CI" "$@"\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const { stdout } = spawnSync(join(root, '.ci/run'), ['--shard', '1/4'], { encoding: 'utf8', env });
  expect(stdout).toBe('CI=true test -- --shard 1/4\n');
});

describe('the templates of issues and pull requests', () => {
  it('parse, and give each field an id of its own', () => {
    expect(parse(read('.github/ISSUE_TEMPLATE/config.yml'))).toEqual({ blank_issues_enabled: false });
    for (const form of ['bug.yml', 'feature.yml']) {
      const { body }: { body: { type: string; id?: string }[] } = parse(
        read(join('.github/ISSUE_TEMPLATE', form)),
      );
      const fields = body.filter(({ type }) => type !== 'markdown');
      expect(new Set(fields.map(({ id = form }) => id)).size).toBe(fields.length);
    }
  });

  it('name only npm commands that exist', () => {
    for (const file of globSync('.github/{*.md,ISSUE_TEMPLATE/*}', { cwd: root }))
      for (const [, script = ''] of read(file).matchAll(/\bnpm run ([\w:]+)/g))
        expect(scripts).toHaveProperty(script);
  });
});

describe('the settings of editors', () => {
  it('.editorconfig has the line length of Prettier', () => {
    const { printWidth }: { printWidth: number } = JSON.parse(read('.prettierrc.json'));
    expect(read('.editorconfig')).toContain(`\nmax_line_length = ${printWidth}\n`);
  });

  it('.vscode/launch.json starts only files that exist', () => {
    const { configurations }: { configurations: { program?: string; args?: string[] }[] } = JSON.parse(
      read('.vscode/launch.json'),
    );
    const files = configurations
      .flatMap(({ program = '', args = [] }) => [program.replace('${workspaceFolder}/', ''), ...args])
      .filter((word) => /\.m?[jt]s$/.test(word));
    expect(files).toContain('server/main.ts');
    expect(files.filter((file) => !exists(file))).toEqual([]);
  });

  it('.devcontainer/devcontainer.json has the Node of the Dockerfile and forwards the default port', () => {
    const { image, forwardPorts }: { image: string; forwardPorts: number[] } = JSON.parse(
      read('.devcontainer/devcontainer.json'),
    );
    const [, node] = /^ARG NODE_IMAGE=(node:[\d.]+)-/m.exec(read('Dockerfile')) ?? [];
    expect(image).toContain(`${node}-`);
    const [, port] = /^PORT=(\d+)$/m.exec(read('.env.example')) ?? [];
    expect(forwardPorts).toContain(Number(port));
  });
});

describe('renovate.json', () => {
  interface Patterns {
    matchFileNames?: string[];
    managerFilePatterns?: string[];
  }
  const config: Record<'packageRules' | 'customManagers', Patterns[]> = JSON.parse(read('renovate.json'));

  it('pins exact versions and never merges by itself', () => {
    expect(config).toMatchObject({ rangeStrategy: 'pin' });
    expect(read('renovate.json')).not.toMatch(/"automerge\w*": true/);
  });

  it('covers the packages in tests, which the recommended preset ignores', () => {
    expect(globSync('tests/**/package.json', { cwd: root, exclude: ['**/node_modules'] })).not.toEqual([]);
    expect(config).toMatchObject({ ignorePresets: [':ignoreModulesAndTests'] });
    expect(config).not.toHaveProperty('ignorePaths');
  });

  it('names only files that exist', () => {
    const patterns = [...config.packageRules, ...config.customManagers].flatMap(
      ({ matchFileNames = [], managerFilePatterns = [] }) => [...matchFileNames, ...managerFilePatterns],
    );
    expect(patterns.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).toEqual([]);
  });
});
