import { globSync, readFileSync } from 'node:fs';

const TITLE = /^( *)(?:test|it)(?:\.each\b[^]*?\))?\(\s*(['"`])(.+?)\2,/gm;
const SUITE = /^ *describe\w*(?:\.each\b[^]*?\))?\(\s*(['"`])(.+?)\1,/gm;

/** A call in a test that marks what its assertions show. */
export interface Mark {
  id: string;
  /** The second argument; empty if there is none. */
  statement: string;
  /** File, suite and title of the test. */
  place: string;
}

/** Finds the calls of a marking function in all tests, by the order of files. */
export function findMarks(name: 'promise' | 'spec'): Mark[] {
  const call = new RegExp(String.raw`\b${name}\(\s*'([^']+)'(?:,\s*'([^']+)')?,?\s*\)`, 'g');
  return globSync('{contract,server,web,tests}/**/*.{test,journey}.{ts,tsx}')
    .toSorted()
    .filter((file) => !['tests/spec.test.ts', 'tests/security-checklist.test.ts'].includes(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const [titles, suites] = [TITLE, SUITE].map((pattern) => [...text.matchAll(pattern)]);
      return [...text.matchAll(call)].map(({ index, 1: id = '', 2: statement = '' }) => {
        const test = titles?.findLast((one) => one.index < index);
        const suite = test?.[1] === '' ? undefined : suites?.findLast((one) => one.index < index)?.[2];
        return { id, statement, place: [`\`${file}\``, suite ?? [], test?.[3] ?? ''].flat().join(' › ') };
      });
    });
}

/** Returns a list of these statements by id. Each has the places of the tests that mark it. */
export function listPlaces(statements: ReadonlyMap<string, string>, marks: readonly Mark[]): string {
  return [...statements]
    .map(([id, statement]) => {
      const places = new Set(marks.filter((mark) => mark.id === id).map(({ place }) => `  - ${place}\n`));
      return `- ${id}: ${statement}\n${[...places].join('')}`;
    })
    .join('');
}
