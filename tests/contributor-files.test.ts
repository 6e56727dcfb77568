import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
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

/** Returns the commands that the steps of the job run, for each value of the matrix. */
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

  it('cancels older runs of its branch, and each of its jobs has a timeout', () => {
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

it('The four CI jobs each run one quarter of the tests', () => {
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

describe('Issue and pull request templates', () => {
  it('are valid YAML with unique field ids', () => {
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

describe('The editor settings', () => {
  it('the editor settings in .editorconfig have the line length of Prettier', () => {
    const { printWidth }: { printWidth: number } = JSON.parse(read('.prettierrc.json'));
    expect(read('.editorconfig')).toContain(`\nmax_line_length = ${printWidth}\n`);
  });

  it('the editor settings in .vscode/launch.json start only files that exist', () => {
    const { configurations }: { configurations: { program?: string; args?: string[] }[] } = JSON.parse(
      read('.vscode/launch.json'),
    );
    const files = configurations
      .flatMap(({ program = '', args = [] }) => [program.replace('${workspaceFolder}/', ''), ...args])
      .filter((word) => /\.m?[jt]s$/.test(word));
    expect(files).toContain('server/main.ts');
    expect(files.filter((file) => !exists(file))).toEqual([]);
  });

  it('the editor settings in .devcontainer/devcontainer.json have the Node of the Dockerfile and forward the default port', () => {
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

  it('pins exact versions and never merges an update without a person', () => {
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

/** Returns what a page shows as code, such as paths and names. */
const codeIn = (page: string): string[] =>
  Array.from(read(page).matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);

describe.each(globSync('docs/how-to/*.md', { cwd: root }))('%s', (page) => {
  const paths = codeIn(page).filter((code) => /^(?:\w[\w.-]*\/[\w./-]+|\w+\.md)$/.test(code));

  it('names only files and folders that exist', () => {
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  it('names only identifiers that occur in the files that the page names', () => {
    const files = paths.filter((path) => /\.\w+$/.test(path));
    const words = new Set(files.flatMap((path) => read(path).match(/\w+/g) ?? []));
    const identifiers = codeIn(page).filter((code) => /^\w+$/.test(code));
    expect(identifiers.length).toBeGreaterThan(5);
    expect(identifiers.filter((name) => !words.has(name))).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const records = globSync('docs/decisions/[0-9]*.md', { cwd: root })
    .toSorted()
    .map((path) => {
      const [heading = '', ...lines] = read(path).split('\n');
      return { file: basename(path), heading, sections: lines.filter((line) => line.startsWith('## ')) };
    });

  it('have imperative titles, and file names that repeat the titles', () => {
    for (const { file, heading } of records) {
      expect(heading).toMatch(/^# \d{4}: [A-Z][a-z]+(?: [\w-]+,?)+$/);
      // An instruction begins neither with a noun's article nor with "Sharing", "Shares" or "How".
      expect(heading).not.toMatch(/: (?:An?|The|One|Our|How|What|Where|Why|\w+ing|\w+[^s]s) /);
      const words = heading
        .slice(2)
        .toLowerCase()
        .split(/[^a-z0-9]+/);
      expect(file).toBe(`${words.join('-')}.md`);
    }
  });

  it('are numbered without gaps', () => {
    expect(records.map(({ file }) => Number(file.slice(0, 4)))).toEqual(records.map((_, index) => index + 1));
  });

  it('have the sections context, decision and consequences', () => {
    for (const { file, sections } of records)
      expect([file, ...sections.filter((section) => section !== '## Considered')]).toEqual([
        file,
        '## Context',
        '## Decision',
        '## Consequences',
      ]);
  });

  it('are each in the index once, in order, with the same title', () => {
    const entries = read('docs/decisions/README.md').match(/^- \[.+?\]\(.+?\): .+$/gm) ?? [];
    expect(entries.map((entry) => entry.slice(0, entry.indexOf('): ') + 1))).toEqual(
      records.map(({ file, heading }) => `- [${heading.slice(2)}](${file})`),
    );
  });
});

it.each(globSync(['*.md', 'docs/**/*.md'], { cwd: root }))('%s links only to files that exist', (page) => {
  const links = Array.from(read(page).matchAll(/\]\(([^)\s#]+)/g), ([, target = '']) => target);
  const relative = links.filter((target) => !/^[a-z]+:/.test(target));
  expect(relative.filter((target) => !exists(join(dirname(page), target)))).toEqual([]);
});
