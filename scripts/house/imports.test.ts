import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { importsOf, ROOT, startedBy } from './imports.ts';

/** Writes a source file; returns its path relative to the project. */
function write(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-imports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'source.ts');
  writeFileSync(file, source);
  return relative(ROOT, file);
}

it.each([
  ["import {\n  a,\n  type B,\n} from './c.ts';", { typeOnly: false, isReexport: false, isDynamic: false }],
  ["import type { B } from './c.ts';", { typeOnly: true, isReexport: false, isDynamic: false }],
  ["export { a as b } from './c.ts';", { typeOnly: false, isReexport: true, isDynamic: false }],
  ["export * from './c.ts';", { typeOnly: false, isReexport: true, isDynamic: false }],
  ["import c, { a } from './c.ts';", { typeOnly: false, isReexport: false, isDynamic: false }],
  ["import * as c from './c.ts';", { typeOnly: false, isReexport: false, isDynamic: false }],
  ["import './c.ts';", { typeOnly: false, isReexport: false, isDynamic: false }],
  ["const c = await import('./c.ts');", { typeOnly: false, isReexport: false, isDynamic: true }],
])('importsOf reads %s', (source, kind) => {
  const path = write(source);
  expect(importsOf(path)).toEqual([{ from: path, to: path.replace('source.ts', 'c.ts'), ...kind }]);
});

it('startedBy finds threads and processes, but no other files beside the source', () => {
  const path = write(
    "new Worker(new URL('./a-thread.ts', import.meta.url), {});\n" +
      "fork(new URL('./b/c.ts', import.meta.url));\n" +
      "readFileSync(new URL('logo.png', import.meta.url));",
  );
  const folder = dirname(path);
  expect(startedBy(path)).toEqual([`${folder}/a-thread.ts`, `${folder}/b/c.ts`]);
});
