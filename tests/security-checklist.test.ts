import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
  .map(([, id = '', asked = '', state = '', shown = '']) => ({ id, asked, state, shown }));

describe('The security checklist', () => {
  it('lists every requirement of its OWASP ASVS chapters once', () => {
    const ids = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    expect(items.map(({ id }) => id)).toEqual(ids);
  });

  it('gives each requirement a state and a reason, and counts the states correctly', () => {
    const counts = Object.fromEntries(STATES.map((state) => [state, 0]));
    for (const { id, asked, state, shown } of items) {
      expect(STATES, id).toContain(state);
      expect(asked.length, id).toBeGreaterThan(10);
      expect(shown.length, id).toBeGreaterThan(4);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    for (const [state, count] of Object.entries(counts))
      expect(text).toMatch(new RegExp(`^\\| ${state} +\\| ${count} +\\|$`, 'm'));
  });

  it('names only existing files and tests', () => {
    const paths = [...text.matchAll(/`((?:contract|docs|scripts|server|tests|web)\/[\w./-]+)`/g)];
    expect(paths.length).toBeGreaterThan(50);
    for (const [, path = ''] of paths) expect(existsSync(path), path).toBe(true);

    const tests = [...text.matchAll(/`([\w./-]+\.(?:test|journey)\.ts)` › “([^”]+)”/g)];
    expect(tests.length).toBeGreaterThan(50);
    for (const [, path = '', name = ''] of tests)
      expect(readFileSync(path, 'utf8'), `${path} has a test “${name}”`).toContain(`'${name}'`);
  });
});
