import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../../contract/durations.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { downLine, sinceWords } from './down-line.ts';

const ago = (ms: number) => new Date(EXAMPLE_NOW - ms).toISOString();

it('show since when a domain is down: the time if today, else the date', () => {
  expect(sinceWords(ago(MINUTE_MS), EXAMPLE_NOW)).toMatch(/^\d\d:\d\d$/);
  expect(sinceWords(ago(3 * DAY_MS), EXAMPLE_NOW)).toBe('17 Nov');
});

it('do not report an outage until a second check confirms it', () => {
  const suspected = { ...exampleDomain().uptime, checks: 'uud' };
  expect(downLine(exampleDomain({ uptime: suspected }), EXAMPLE_NOW)).toBeNull();
});
