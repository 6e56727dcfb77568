#!/usr/bin/env node
// The commands of the npm package, such as `certlantern check HOST…`. They work in any folder, with any Node that can run npm.
import { resolve } from 'node:path';

const [command, ...rest] = process.argv.slice(2);
const PROGRAMS = {
  check: 'scripts/check.ts',
  forecast: 'scripts/check/forecast.ts',
  expect: 'scripts/expect.ts',
  import: 'scripts/import.ts',
};
const USAGE = `Usage: certlantern check HOST…        checks hosts
       certlantern forecast HOST…     says whether the next renewal of their certificates will work
       certlantern expect FILE        tells a server which certificate its domains should serve
       certlantern import kuma.db     adds the hosts of Uptime Kuma to an account
More:  certlantern COMMAND --help
`;

/**
 * Makes the file names of `--ca` absolute, because the program runs in the project's folder instead of the caller's.
 */
function withAbsolutePaths(args) {
  return args.map((arg, index) => {
    if (args[index - 1] === '--ca') return resolve(arg);
    return arg.startsWith('--ca=') ? `--ca=${resolve(arg.slice('--ca='.length))}` : arg;
  });
}

if (Object.hasOwn(PROGRAMS, command ?? '')) {
  // The programs run in the project's folder and find the caller's here, as npm sets it.
  process.env.INIT_CWD ??= process.cwd();
  process.argv.splice(2, Infinity, PROGRAMS[command], ...withAbsolutePaths(rest));
  await import('./boot.mjs');
} else {
  const isHelp = command === '--help' || command === '-h';
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = isHelp ? 0 : 64;
}
