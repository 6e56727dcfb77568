import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Returns the path of a program of the project's packages. */
export const tool = (name: string): string => join('node_modules', '.bin', name);

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Runs a command. Resolves to true if it exits with 0. With `quiet`, prints its output only if it fails. Otherwise prints it
 * through a pipe, because several commands run at once, and on a terminal each would redraw lines of the others.
 */
export function runCommand(
  args: string[],
  options: { quiet?: boolean; env?: Record<string, string> } = {},
): Promise<boolean> {
  const [program = '', ...rest] = args;
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...(process.stdout.isTTY && process.stdout.hasColors() && { FORCE_COLOR: '1' }),
        ...process.env,
        ...options.env,
      },
    });
    let output = '';
    const show = (chunk: Buffer): void => {
      if (options.quiet) output += chunk.toString();
      else process.stdout.write(chunk);
    };
    child.stdout.on('data', show);
    child.stderr.on('data', show);
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
