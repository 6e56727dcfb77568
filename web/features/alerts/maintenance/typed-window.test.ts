import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { check } from '../../../lib/form.ts';
import { typedWindowSchema, usualWindow } from './typed-window.ts';

const typed = {
  domain: ' git.orchard.example ',
  from_day: '2026-11-22',
  from_time: '22:00',
  to_day: '2026-11-23',
  to_time: '1 am',
  weekly: 'never',
  note: ' Move ',
};

beforeAll(() => void vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00') }));
afterAll(() => void vi.useRealTimers());

it('the maintenance form reads times in the time zone of the browser', () => {
  expect(check(typedWindowSchema, typed)).toEqual({
    ok: true,
    output: {
      domain: 'git.orchard.example',
      window: {
        domain_id: null,
        starts_at: new Date('2026-11-22T22:00').toISOString(),
        ends_at: new Date('2026-11-23T01:00').toISOString(),
        repeats: 'never',
        note: 'Move',
      },
    },
  });
});

it('a maintenance window with wrong times returns each error under the name of its field', () => {
  expect(check(typedWindowSchema, { ...typed, to_day: '2026-11-22', to_time: '21:00' })).toEqual({
    ok: false,
    errors: { to_day: 'Choose an end after the start' },
  });
  const past = { from_day: '2026-11-20', to_day: '2026-11-20', to_time: '23:00' };
  expect(check(typedWindowSchema, { ...typed, ...past })).toEqual({
    ok: false,
    errors: { to_day: 'The end is in the past' },
  });
  expect(check(typedWindowSchema, { ...typed, from_day: '', to_time: '25:00' })).toEqual({
    ok: false,
    errors: { from_day: 'Enter a start date', to_time: 'Enter a time such as 07:00' },
  });
});

it('the maintenance form suggests two hours from the next full hour on', () => {
  const now = Date.parse('2026-11-22T20:20');
  expect(usualWindow(now)).toEqual({
    from_day: '2026-11-22',
    from_time: '21:00',
    to_day: '2026-11-22',
    to_time: '23:00',
  });
});
