import { expect, it } from 'vitest';
import { clockText, minuteOfDay } from './time-of-day.ts';

it.each([
  ['7', '07:00'],
  ['0700', '07:00'],
  ['700', '07:00'],
  ['7:00 pm', '19:00'],
  ['7pm', '19:00'],
  ['7 P.M.', '19:00'],
  ['12am', '00:00'],
  ['12:30 pm', '12:30'],
  ['19.30', '19:30'],
  [' 19 30 ', '19:30'],
  ['23:59', '23:59'],
  ['0', '00:00'],
])('the typed time %j is read as %s', (text, clock) =>
  expect(clockText(minuteOfDay(text) ?? Number.NaN)).toBe(clock),
);

it.each(['', '24:00', '7:60', '13 pm', '0 am', '7:5', '12345', 'noon', '-1'])(
  'the typed time %j is refused',
  (text) => expect(minuteOfDay(text)).toBeNull(),
);
