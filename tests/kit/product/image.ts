import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** A folder with the same files and commands as the Dockerfile's image, made of what was built here, because tests run without Docker. */
export interface Image {
  /** The image's working directory. */
  folder: string;
  /** Paths of the packages in node_modules. */
  packages: string[];
  /** Runs a command as the image's user does, who can write only to DATA_DIR, with the variables of the image and with `env`. */
  run(command: readonly string[], env?: Record<string, string>): ImageProcess;
  command: string[];
  healthCheck: string[];
  remove(): void;
}
interface ImageProcess {
  process: ChildProcess;
  output(): string;
  /** Resolves when the output contains this. @throws with the output if the process exits before. */
  waitForOutput(text: string): Promise<void>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

interface Instruction {
  name: string;
  argument: string;
}

/** Returns the instructions of the stage with this name; without one, of the last stage. */
function stageOf(dockerfile: string, name?: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const all = lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', argument = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { name, argument };
    });
  const heads = all.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  const head =
    heads.find((index) => name && all[index]?.argument.endsWith(` AS ${name}`)) ?? heads.at(-1) ?? 0;
  return all.slice(
    head + 1,
    heads.find((index) => index > head),
  );
}

/** Returns whether .dockerignore includes a path; of the patterns that match it or a folder above it, the last one decides. */
function createFilter(ignoreFile: string): (path: string) => boolean {
  const patterns = ignoreFile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const fits = (path: string, pattern: string): boolean =>
    path.split('/').some((_, index, parts) => matchesGlob(parts.slice(0, index + 1).join('/'), pattern));
  return (path) => {
    const last = patterns.findLast((pattern) => fits(path, pattern.replace(/^!/, '')));
    return last === undefined || last.startsWith('!');
  };
}

interface LockedPackage {
  dev?: true;
  devOptional?: true;
  optional?: true;
}

/** Returns what `npm ci --omit=dev --omit=optional` installs, from the packages installed here. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional)
    .map(([path]) => path);
}

/** Hard-links files instead of copying them, if the file system can. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    // Nested packages have their own entries in the lock file.
    if (entry.name === 'node_modules') continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
  }
}

/** Assembles the image. @throws if the pages or the programs are not built. */
export function assembleImage(): Image {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const passes = createFilter(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const outside = mkdtempSync(join(tmpdir(), 'certlantern-image-'));
  chmodSync(outside, 0o755);
  const folder = join(outside, 'app');
  const dataDir = join(outside, 'data');
  for (const path of [folder, dataDir]) mkdirSync(path);
  const packages = productionPackages();

  const applyInstruction = ({ name, argument }: Instruction): void => {
    if (name === 'RUN' && argument.startsWith('npm ci '))
      for (const path of packages) linkTree(join(root, path), join(folder, path));
    else if (name === 'RUN') execFileSync('sh', ['-c', argument], { cwd: folder });
    else if (name === 'COPY') {
      const [target = '', ...sources] = argument.split(' ').toReversed();
      for (const source of sources)
        cpSync(join(root, source), join(folder, target === './' ? source : target), {
          recursive: true,
          filter: (path) => passes(path.slice(root.length + 1)),
        });
    }
  };
  stageOf(dockerfile, 'program').forEach(applyInstruction);
  for (const built of ['web', 'programs'])
    cpSync(join(root, 'dist', built), join(folder, 'dist', built), { recursive: true });

  let variables: Record<string, string> = {};
  let [user, group] = [0, 0];
  let command: string[] = [];
  let healthCheck: string[] = [];
  for (const { name, argument } of stageOf(dockerfile)) {
    if (name === 'ENV')
      variables = { ...variables, ...Object.fromEntries(argument.split(' ').map((pair) => pair.split('='))) };
    else if (name === 'USER') [user = 0, group = 0] = argument.split(':').map(Number);
    else if (name === 'CMD') command = JSON.parse(argument);
    else if (name === 'HEALTHCHECK') healthCheck = JSON.parse(argument.slice(argument.indexOf('[')));
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(dataDir, user, group);

  return {
    folder,
    packages,
    command,
    healthCheck,
    run([program = '', ...args], env = {}) {
      const child = spawn(program, args, {
        cwd: folder,
        // PATH as in the image, where node is in one of its folders.
        env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...variables, DATA_DIR: dataDir, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(isRoot && { uid: user, gid: group }),
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, 'close').then(([code]) => code as number | null);
      const waitForOutput = (text: string): Promise<void> =>
        new Promise((resolve, reject) => {
          child.stdout.on('data', () => output.includes(text) && resolve());
          void ended.then(() => reject(new Error(`It ended:\n${output}`)));
        });
      return { process: child, output: () => output, waitForOutput, ended };
    },
    remove: () => rmSync(outside, { recursive: true, force: true }),
  };
}
