import { expect, it } from 'vitest';
import { deliveryLine } from './delivery-words.ts';
import { sortedSteps, stepWords } from './step-words.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const attempt = {
  attempt: 1,
  started_at: '2026-11-21T11:59:00Z',
  finished_at: '2026-11-21T11:59:01Z',
  outcome: 'retry',
  detail: 'HTTP 503',
} as const;
const line = (delivery: Partial<Parameters<typeof deliveryLine>[0]>) =>
  deliveryLine({ state: 'waiting', next_attempt_at: null, settled_at: null, attempts: [], ...delivery }, NOW);

it('says where a message stands and what comes next', () => {
  expect(line({})).toBe('On its way');
  const underWay = { ...attempt, attempt: 2, finished_at: null, outcome: null, detail: null };
  const delivered = { ...attempt, outcome: 'delivered' } as const;
  for (const last of [underWay, delivered])
    expect(line({ attempts: [attempt, last], next_attempt_at: '2026-11-21T11:59:00Z' })).toBe('On its way');
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T12:05:00Z' })).toBe(
    'Not delivered yet, next try in 5 min',
  );
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T12:00:05Z' })).toBe(
    'Not delivered yet, next try within a minute',
  );
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T17:00:00Z' })).toBe(
    'Not delivered yet, next try in 5 hours',
  );
  expect(line({ state: 'held', next_attempt_at: '2026-11-21T13:00:00Z' })).toBe('Held back, sent in 1 hour');
  expect(line({ state: 'delivered', settled_at: '2026-11-21T11:58:00Z' })).toMatch(/^Delivered 2 min/);
  expect(line({ state: 'failed', settled_at: '2026-11-21T11:59:50Z' })).toBe(
    'Not delivered, given up just now',
  );
  expect(line({ state: 'superseded' })).toBe('Not sent: a newer message took its place');
});

it('names steps, and puts the earliest first', () => {
  expect(['14d', '1d', '20%'].map(stepWords)).toEqual([
    '14 days before',
    '1 day before',
    '20 % of its lifetime left',
  ]);
  expect(sortedSteps(['1d', '5%', '30d', '50%', '7d'])).toEqual(['30d', '7d', '1d', '50%', '5%']);
});
