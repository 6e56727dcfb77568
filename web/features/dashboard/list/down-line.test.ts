import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../../contract/durations.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { downLine, sinceWords } from './down-line.ts';

const ago = (ms: number) => new Date(EXAMPLE_NOW - ms).toISOString();

it('sinceWords gives the time for an outage of today, and the date for an earlier one', () => {
  expect(sinceWords(ago(MINUTE_MS), EXAMPLE_NOW)).toMatch(/^\d\d:\d\d$/);
  expect(sinceWords(ago(3 * DAY_MS), EXAMPLE_NOW)).toBe('17 Nov');
});

it('downLine is null until a second check confirms an outage', () => {
  const suspected = { ...exampleDomain().uptime, checks: 'uud' };
  expect(downLine(exampleDomain({ uptime: suspected }), EXAMPLE_NOW)).toBeNull();
});
