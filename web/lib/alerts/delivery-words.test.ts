import { expect, it } from 'vitest';
import { deliveryLine, laterStepNote, sortedSteps, stepWords } from './delivery-words.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const attempt = {
  attempt: 1,
  started_at: '2026-11-21T11:59:00Z',
  finished_at: '2026-11-21T11:59:01Z',
  outcome: 'retry',
  detail: 'HTTP 503',
} as const;
const line = (delivery: Partial<Parameters<typeof deliveryLine>[0]>) =>
  deliveryLine(
    { state: 'waiting', next_attempt_at: null, settled_at: null, detail: null, attempts: [], ...delivery },
    NOW,
  );

it('deliveryLine describes the state of a delivery and the next attempt', () => {
  expect(line({})).toBe('Sending');
  const inFlight = { ...attempt, attempt: 2, finished_at: null, outcome: null, detail: null };
  const delivered = { ...attempt, outcome: 'delivered' } as const;
  for (const last of [inFlight, delivered])
    expect(line({ attempts: [attempt, last], next_attempt_at: '2026-11-21T11:59:00Z' })).toBe('Sending');
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T12:05:00Z' })).toBe(
    'Not delivered yet, next try in 5 min',
  );
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T12:00:05Z' })).toBe(
    'Not delivered yet, next try within a minute',
  );
  expect(line({ attempts: [attempt], next_attempt_at: '2026-11-21T17:00:00Z' })).toBe(
    'Not delivered yet, next try in 5 hours',
  );
  expect(line({ state: 'held', next_attempt_at: '2026-11-21T13:00:00Z' })).toMatch(/^Held until \d\d:00$/);
  expect(line({ state: 'held', next_attempt_at: '2026-11-24T13:00:00Z' })).toMatch(
    /^Held until 24 November 2026 at \d\d:00$/,
  );
  expect(line({ state: 'delivered', settled_at: '2026-11-21T11:58:00Z' })).toMatch(/^Delivered 2 min/);
  expect(line({ state: 'failed', settled_at: '2026-11-21T11:59:50Z' })).toBe(
    'Not delivered; we gave up just now',
  );
  expect(line({ state: 'superseded' })).toBe('Not sent');
  expect(line({ state: 'superseded', detail: 'The recipient unsubscribed.' })).toBe(
    'Not sent. The recipient unsubscribed.',
  );
});

it('alert steps are named in words and sorted with the earliest first', () => {
  expect(['14d', '1d', '20%'].map(stepWords)).toEqual([
    '14 days before',
    '1 day before',
    '20% of its lifetime left',
  ]);
  expect(sortedSteps(['1d', '5%', '30d', '50%', '7d'])).toEqual(['30d', '7d', '1d', '50%', '5%']);
});

it.each([
  [
    ['45d', '7d'],
    60,
    'This certificate is valid for 60 days, so we send the alert “45 days before” when half of its lifetime is left: 30 days before.',
  ],
  [['45d', '7d'], 90, null],
  [
    ['45d', '30d', '7d', '1d'],
    47,
    'This certificate is valid for 47 days, so we send one alert for “45 days before” and “30 days before” when half of its lifetime is left: 23 days before.',
  ],
  [
    ['1d', '5%'],
    1,
    'This certificate is valid for 1 day, so we send the alert “1 day before” when half of its lifetime is left: 12 hours before.',
  ],
  [
    ['1d'],
    0.25,
    'This certificate is valid for 6 hours, so we send the alert “1 day before” when half of its lifetime is left: 3 hours before.',
  ],
  [['60%'], 10, null],
])(
  'laterStepNote says which of the steps %j come later for a lifetime of %s days',
  (steps, lifetimeDays, note) => expect(laterStepNote(steps, lifetimeDays)).toBe(note),
);
