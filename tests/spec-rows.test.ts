import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** How many rows each section has: a row that vanishes is noticed. */
const SECTIONS: Record<string, number> = {
  '1 Plans': 5,
  '2 Routes': 8,
  '2 Protected routes': 4,
  '2 Login': 7,
  '2 Sign-up': 3,
  '2 Landing': 6,
  '2 Signed-in page shell': 4,
  '2 Upgrade dialog': 4,
  '2 Feedback dialog': 2,
  '2 Dashboard': 10,
  '2 Profile': 3,
  '2 Theme and font': 2,
  '4 Session': 9,
  '4 Other states': 10,
  '5 Validation rules': 10,
  '8 Error catalogue': 20,
};
const SPECIFICATION = '../shared/spec/product-spec.md';

const text = readFileSync('tests/journeys/spec-rows.md', 'utf8');
const sections = text
  .split('\n## ')
  .slice(1)
  .map((section) => {
    const [name = '', ...lines] = section.split('\n');
    const rows = lines
      .filter((line) => line.startsWith('| ') && !/^\| (?:The specification says|-)/.test(line))
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .map(([, said = '', shown = '']) => ({ said, shown }));
    return { name, rows };
  });

describe('The rows of the specification', () => {
  it('are all there', () => {
    expect(Object.fromEntries(sections.map(({ name, rows }) => [name, rows.length]))).toEqual(SECTIONS);
  });

  it('are each shown by tests that exist', () => {
    for (const { said, shown } of sections.flatMap(({ rows }) => rows)) {
      const tests = [...shown.matchAll(/`([\w./-]+\.(?:test|journey)\.ts)` › “([^”]+)”/g)];
      expect(tests.length, said).toBeGreaterThan(0);
      expect(shown.replaceAll(/`[^`]+` › “[^”]+”(?:<br>)?/g, ''), said).toBe('');
      for (const [, path = '', title = ''] of tests) {
        expect(existsSync(path), `${said}: ${path}`).toBe(true);
        const quoted = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`);
        const source = readFileSync(path, 'utf8');
        expect(
          quoted.some((name) => source.includes(name)),
          `${path} has a test “${title}”`,
        ).toBe(true);
      }
    }
  });

  // It stands beside the project where the project is made, and nowhere else.
  if (existsSync(SPECIFICATION))
    it('have every text that the specification quotes', () => {
      const specification = readFileSync(SPECIFICATION, 'utf8');
      const wanted = specification
        .split('\n## ')
        .filter((section) => /^[248]\.|^5\./.test(section))
        .flatMap((section) => [...section.matchAll(/(?<![\w])'([^'\n]{4,}?)'(?![\w])/g)])
        .map(([, quote = '']) => quote);
      expect(wanted.length).toBeGreaterThan(50);
      expect([...new Set(wanted)].filter((quote) => !text.includes(quote))).toEqual([]);
    });
});
