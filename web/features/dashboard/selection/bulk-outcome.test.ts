import { expect, test } from 'vitest';
import { exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { failuresOf, outcomeLine, progressLine } from './bulk-outcome.ts';

const failure = { id: 'a', name: 'a.example', problem: 'limit_reached', message: 'No room' } as const;
const all = (done: number) => ({ done, failures: [], unanswered: 0, error: null });

test('the toast after a bulk action says what was done to how many domains', () => {
  expect(outcomeLine('pause', all(12))).toBe('12 domains paused');
  expect(outcomeLine('pause', all(1))).toBe('1 domain paused');
  expect(outcomeLine('check', all(3))).toBe('3 checks started');
  expect(outcomeLine('remove', all(1))).toBe('Domain deleted successfully');
  expect(outcomeLine('remove', all(12))).toBe('12 domains deleted successfully');
  expect(outcomeLine('frequency', all(12))).toBe('Check frequency updated!');
});

test('the toast after a bulk action counts refused and unanswered domains together as failed', () => {
  const some = { done: 10, failures: [failure], unanswered: 1200, error: 'The server could not be reached' };
  expect(outcomeLine('resume', some)).toBe('10 domains resumed, 1,201 failed');
  expect(outcomeLine('frequency', { ...some, done: 1 })).toBe('1 domain changed, 1,201 failed');
  expect(outcomeLine('remove', { ...some, done: 0, unanswered: 0 })).toBe('1 domain could not be deleted');
});

test('the progress line of a bulk action counts the answered domains', () => {
  expect(progressLine('pause', 200, 3000)).toBe('Pausing: 200 of 3,000 domains');
});

test('each failure of a bulk action has the name of its domain if the name is known', () => {
  const refused = { problem: 'limit_reached', message: 'No room' } as const;
  const domain = exampleDomain({ id: 'a', display_name: 'a.example' });
  const results = [
    { id: 'ok', problem: null, message: null, domain },
    { id: 'a', ...refused, domain },
    { id: 'b', ...refused, domain: null },
    { id: 'c', ...refused, domain: null },
  ];
  const names = failuresOf(results, (id) => (id === 'b' ? 'b.example' : null)).map(({ name }) => name);
  expect(names).toEqual(['a.example', 'b.example', null]);
});
