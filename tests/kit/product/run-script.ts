import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { COMPILE_CACHE } from './app.ts';
import { programArguments } from '../../../scripts/build/programs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

export interface ScriptResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningScript {
  process: ChildProcess;
  ended: Promise<ScriptResult>;
}

/** Starts one of the operator's programs with exactly these variables. `wrapper` is a command that starts the program. */
export function startScript(
  path: string,
  env: Record<string, string>,
  words: readonly string[],
  wrapper: readonly string[] = [],
): RunningScript {
  const line = [...wrapper, process.execPath, ...programArguments(path), ...words];
  return startLine(line, { cwd: root, env: { ...COMPILE_CACHE, ...env } });
}

/** Starts the npm package's command with `cwd`, a folder outside the project, as working directory, as `npx certlantern` does. */
export function startCommand(cwd: string, ...words: string[]): RunningScript {
  return startLine([process.execPath, join(root, 'scripts/certlantern.mjs'), ...words], { cwd, env: {} });
}

function startLine(
  [command = '', ...words]: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): RunningScript {
  const child = spawn(command, words, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: code as number | null,
    stdout: stdout.join(''),
    stderr: stderr.join(''),
  }));
  return { process: child, ended };
}

/** Runs one of the operator's programs to its end, as `npm run` does. */
export async function runScript(
  path: string,
  env: Record<string, string>,
  ...words: string[]
): Promise<ScriptResult> {
  return startScript(path, env, words).ended;
}
