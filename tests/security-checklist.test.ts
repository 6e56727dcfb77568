import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promise, readPromises } from './security/promise.ts';
import { findMarks, listPlaces } from './spec/marks.ts';

/** Requirements of ASVS 5.0.0 at levels 1 and 2 in each section: `section.1` to `section.count`. */
const SECTIONS: Record<string, number> = {
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.5': 5,
};
const STATES = ['met', 'partly', 'open', 'not applicable'];

const text = readFileSync('docs/security-checklist.md', 'utf8');
const items = text
  .split('\n')
  .filter((line) => /^\| +\d+\.\d+\.\d+/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, id = '', asked = '', state = '', how = '']) => ({ id, asked, state, how }));

describe('The security checklist', () => {
  it('lists every requirement of its OWASP ASVS chapters once', () => {
    const ids = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    expect(items.map(({ id }) => id)).toEqual(ids);
  });

  it('gives each requirement a state, and counts the states correctly', () => {
    const counts = Object.fromEntries(STATES.map((state) => [state, 0]));
    for (const { id, asked, state, how } of items) {
      expect(STATES, id).toContain(state);
      expect(asked.length, id).toBeGreaterThan(10);
      // A requirement that is not met needs a reason.
      if (state !== 'met') expect(how.length, id).toBeGreaterThan(4);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    for (const [state, count] of Object.entries(counts))
      expect(text).toMatch(new RegExp(`^\\| ${state} +\\| ${count} +\\|$`, 'm'));
  });

  it('names only existing files', () => {
    const paths = [...text.matchAll(/`((?:contract|docs|scripts|server|tests|web)\/[\w./-]+)`/g)];
    expect(paths.length).toBeGreaterThan(10);
    for (const [, path = ''] of paths) expect(existsSync(path), path).toBe(true);
  });
});

describe('SECURITY.md', () => {
  const page = readFileSync('SECURITY.md', 'utf8');

  it('has at most 8,000 bytes', () => {
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(8_000);
  });

  it('gives each threat an id of its own', () => {
    const rows = [...(page.split('## Known weaknesses')[0] ?? '').matchAll(/^- .*$/gm)];
    const ids = [...readPromises().keys()].filter((id) => !/\d/.test(id));
    expect(ids.length).toBeGreaterThan(40);
    expect(ids).toHaveLength(rows.length);
  });
});

it('Every promise about security is marked in a test, and every mark is about a promise', async () => {
  const promises = readPromises();
  const marks = findMarks('promise');
  expect(marks.filter(({ id }) => !promises.has(id))).toEqual([]);
  expect([...promises].filter(([id]) => !marks.some((mark) => mark.id === id))).toEqual([]);
  const head =
    '# Which tests verify each promise about security\n\nMade by `npx vitest run tests/security-checklist.test.ts -u`.\n\n';
  await expect(head + listPlaces(promises, marks)).toMatchFileSnapshot('security/map.md');
});

it.each(['6.2.1', '6.6.1', 'unknown'])('promise() throws for %s, which no document promises', (id) => {
  expect(() => promise(id)).toThrow(`has the promise ${id}`);
});
