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
  ["import {\n  a,\n  type B,\n} from './c.ts';", false, [{ original: 'a', local: 'a' }]],
  ["import { a as b } from './c.ts';", false, [{ original: 'a', local: 'b' }]],
  ["export { a as b } from './c.ts';", true, [{ original: 'a', local: 'b' }]],
  ["export * from './c.ts';", true, null],
  ["import c, { a } from './c.ts';", false, null],
  ["import * as c from './c.ts';", false, null],
  ["import './c.ts';", false, null],
  ["const c = await import('./c.ts');", false, null],
])('importsOf reads the names of %s', (source, isReexport, names) => {
  expect(importsOf(write(source))).toMatchObject([{ isReexport, names }]);
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
