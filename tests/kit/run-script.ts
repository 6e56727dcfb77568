import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { COMPILE_CACHE } from './app.ts';

const root = resolve(import.meta.dirname, '..', '..');

export interface Answer {
  code: number | null;
  out: string;
  complaint: string;
}

export interface RunningScript {
  process: ChildProcess;
  ended: Promise<Answer>;
}

/** Starts one of the operator's programs, with exactly these variables. `through`: a command that starts it. */
export function startScript(
  path: string,
  env: Record<string, string>,
  words: readonly string[],
  through: readonly string[] = [],
): RunningScript {
  const [command = '', ...rest] = [...through, process.execPath, path, ...words];
  const child = spawn(command, rest, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, complaint]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => complaint.push(chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: code as number | null,
    out: out.join(''),
    complaint: complaint.join(''),
  }));
  return { process: child, ended };
}

/** Runs one of the operator's programs to its end, as `npm run` does. */
export async function runScript(
  path: string,
  env: Record<string, string>,
  ...words: string[]
): Promise<Answer> {
  return startScript(path, env, words).ended;
}
