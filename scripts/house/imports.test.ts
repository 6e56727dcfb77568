import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { importsOf, ROOT } from './imports.ts';

function namesIn(source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-imports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'source.ts');
  writeFileSync(file, source);
  return importsOf(relative(ROOT, file)).map(({ isReexport, names }) => ({ isReexport, names }));
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
  expect(namesIn(source)).toEqual([{ isReexport, names }]);
});
