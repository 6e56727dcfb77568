import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Returns the path of a program of the project's packages. */
export const toolPath = (name: string): string => join('node_modules', '.bin', name);

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a command. Resolves to true if it exits with 0. With `quiet`, prints its output only if it fails. */
export function runCommand(
  args: string[],
  options: { quiet?: boolean; env?: Record<string, string> } = {},
): Promise<boolean> {
  const [program = '', ...rest] = args;
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
      env: { ...process.env, ...options.env },
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => {
      printLine(`${program}: ${error.message}`);
      resolve(false);
    });
    child.on('close', (code) => {
      if (code !== 0 && options.quiet) printLine(output);
      resolve(code === 0);
    });
  });
}
