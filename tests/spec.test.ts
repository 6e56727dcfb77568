import { expect, it } from 'vitest';
import { findMarks, listPlaces } from './spec/marks.ts';
import { readStatements, spec } from './spec/spec.ts';

it('Every statement of the specification is marked in a test, with the same wording', async () => {
  const marks = findMarks('spec');
  const statements = readStatements();
  const known = [...statements].map(([id, statement]) => `${id} ${statement}`);
  expect(
    marks.map(({ id, statement }) => `${id} ${statement}`).filter((mark) => !known.includes(mark)),
  ).toEqual([]);
  expect([...statements].filter(([id]) => !marks.some((mark) => mark.id === id))).toEqual([]);
  const head =
    '# Which tests show each statement of the specification\n\nMade by `npx vitest run tests/spec.test.ts -u`.\n\n';
  await expect(head + listPlaces(statements, marks)).toMatchFileSnapshot('spec/map.md');
});

it('spec() throws for a statement that the specification does not have', () => {
  expect(() => spec('1.01', 'Something else')).toThrow('has no statement 1.01');
});
