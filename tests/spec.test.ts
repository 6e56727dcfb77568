import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStatements, spec } from './spec/spec.ts';

const NOTE = /\bspec\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g;
const TITLE = /^ *(?:test|it)(?:\.each\b[^]*?\))?\(\s*(['"`])(.+?)\1,/gm;

interface Note {
  id: string;
  statement: string;
  /** File and title of the test. */
  place: string;
}

function notesOf(file: string): Note[] {
  const text = readFileSync(file, 'utf8');
  const titles = [...text.matchAll(TITLE)];
  return [...text.matchAll(NOTE)].map(({ index, 1: id = '', 2: statement = '' }) => {
    const title = titles.findLast((one) => one.index < index)?.[2] ?? '';
    return { id, statement, place: `\`${file}\` › ${title}` };
  });
}

const notes = globSync('{contract,server,web,tests}/**/*.{test,journey}.{ts,tsx}')
  .toSorted()
  .filter((file) => file !== 'tests/spec.test.ts')
  .flatMap(notesOf);

it('Every statement of the specification is marked in a test, with the same wording', async () => {
  const statements = [...readStatements()];
  const known = statements.map(([id, statement]) => `${id} ${statement}`);
  expect(
    notes.map(({ id, statement }) => `${id} ${statement}`).filter((note) => !known.includes(note)),
  ).toEqual([]);
  expect(statements.filter(([id]) => !notes.some((note) => note.id === id))).toEqual([]);
  const rows = statements.map(([id, statement]) => {
    const places = new Set(notes.filter((note) => note.id === id).map(({ place }) => `  - ${place}\n`));
    return `- ${id}: ${statement}\n${[...places].join('')}`;
  });
  const head =
    '# Which tests show each statement of the specification\n\nMade by `npx vitest run tests/spec.test.ts -u`.\n\n';
  await expect(head + rows.join('')).toMatchFileSnapshot('spec/map.md');
});

it('spec() throws for a statement that the specification does not have', () => {
  expect(() => spec('1.01', 'Something else')).toThrow('has no statement 1.01');
});
