import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { COMPILE_CACHE } from '../kit/product/app.ts';
import { programArguments } from '../../scripts/build/programs.ts';

const root = resolve(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
/** Every `npm run NAME` with a program of its own. `npm start` is missing: the server takes no arguments. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /boot\.mjs (?:--web )?((?:scripts|bench)\/\S+\.ts)$/.exec(command) ?? [];
  return file === undefined ? [] : [[name, file] as const];
});

/** Programs that are also started with `-h`: those that read the flags themselves, and one of those that use `answerHelp`. */
const WITH_BOTH_FLAGS = ['check', 'admin', 'demo'];
const lines = programs.flatMap(([name, file]) =>
  (WITH_BOTH_FLAGS.includes(name) ? ['--help', '-h'] : ['--help']).map((flag) => [name, flag, file] as const),
);

it.each(lines)('npm run %s -- %s prints its usage and exits with 0', (name, flag, file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...programArguments(file), flag], {
    cwd: root,
    env: { ...process.env, ...COMPILE_CACHE },
    encoding: 'utf8',
    timeout: 110_000,
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(new RegExp(`(npm( run)?|certlantern) ${name}`));
  expect(status).toBe(0);
});
