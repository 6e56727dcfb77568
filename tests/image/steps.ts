import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';

/** Sent to scripts/test-image.ts at the end of each step. */
export interface StepReport {
  hasPassed: boolean;
}

/** Thrown when a step has failed and was reported. */
export class StepFailed extends Error {}

// This process is the first one in its PID namespace, so all others in the namespace end with it.
if (!process.connected) process.exit(1);
process.on('disconnect', () => process.exit(1));

/** Runs and reports one step of the test. @throws StepFailed if the work throws. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`  ${title} … `);
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  try {
    const result = await work();
    process.stdout.write(`ok, ${seconds()}\n`);
    report({ hasPassed: true });
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stdout.write(`FAILED, ${seconds()}\n${message.replaceAll(/^/gm, '    ')}\n`);
    report({ hasPassed: false });
    throw new StepFailed(title, { cause: error });
  }
}

function report(outcome: StepReport): void {
  process.send?.(outcome);
}

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

export interface Ended {
  code: number | null;
  stdout: string;
  /** Output of both streams, in the order in which it was written. */
  output: string;
}

/** Runs a program to its end. */
export async function attempt(
  [program = '', ...args]: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, output] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, output };
}

/** Runs a program to its end; resolves with its trimmed stdout. @throws Error with the end of its output if it fails. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, output } = await attempt(command, options);
  if (code !== 0) throw new Error(`${basename(command[0] ?? '')} ended with ${code}:\n${lastLines(output)}`);
  return stdout.trim();
}

export function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-25).join('\n');
}
