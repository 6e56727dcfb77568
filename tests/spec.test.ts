import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStatements, spec } from './spec/spec.ts';

const NOTE = /\bspec\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g;
const TITLE = /^ *(?:test|it)(?:\.each[^']*?)?\(\s*['`](.+?)['`],/gm;

interface Note {
  id: string;
  statement: string;
  /** The file and the title of the test that has it. */
  place: string;
}

function notesOf(file: string): Note[] {
  const text = readFileSync(file, 'utf8');
  const titles = [...text.matchAll(TITLE)];
  return [...text.matchAll(NOTE)].map(({ index, 1: id = '', 2: statement = '' }) => {
    const title = titles.findLast((one) => one.index < index)?.[1] ?? '';
    return { id, statement, place: `\`${file}\` › ${title}` };
  });
}

const notes = globSync('{contract,server,web,tests}/**/*.{test,journey}.{ts,tsx}')
  .toSorted()
  .filter((file) => file !== 'tests/spec.test.ts')
  .flatMap(notesOf);

it('every statement of the specification has a test that notes it, in its words', async () => {
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

it('a note of what the specification does not say is refused', () => {
  expect(() => spec('1.01', 'Something else')).toThrow('has no statement 1.01');
});
