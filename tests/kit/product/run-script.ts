import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { COMPILE_CACHE } from './app.ts';
import { programFile } from './programs.ts';

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

/** Starts one of the operator's programs, with exactly these variables. `wrapper`: a command in front that starts it. */
export function startScript(
  path: string,
  env: Record<string, string>,
  words: readonly string[],
  wrapper: readonly string[] = [],
): RunningScript {
  const [command = '', ...rest] = [...wrapper, process.execPath, programFile(path), ...words];
  const child = spawn(command, rest, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env },
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
