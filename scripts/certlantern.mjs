#!/usr/bin/env node
// The command of the npm package: `certlantern check HOST…`. It works in any folder, with any Node that can run npm.
import { resolve } from 'node:path';

const [command, ...rest] = process.argv.slice(2);
const USAGE = 'Usage: certlantern check HOST…        More: certlantern check --help\n';

/**
 * Makes the file names of `--ca` absolute, because the program runs in the project's folder instead of the caller's.
 */
function withAbsolutePaths(args) {
  return args.map((arg, index) => {
    if (args[index - 1] === '--ca') return resolve(arg);
    return arg.startsWith('--ca=') ? `--ca=${resolve(arg.slice('--ca='.length))}` : arg;
  });
}

if (command === 'check') {
  process.argv.splice(2, Infinity, 'scripts/check.ts', ...withAbsolutePaths(rest));
  await import('./boot.mjs');
} else {
  const isHelp = command === '--help' || command === '-h';
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = isHelp ? 0 : 64;
}
