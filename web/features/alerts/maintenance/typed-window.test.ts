import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { check } from '../../../lib/form.ts';
import { localText, typedWindowSchema, usualWindow } from './typed-window.ts';

const typed = {
  domain: ' git.orchard.example ',
  from: '2026-11-22T22:00',
  to: '2026-11-23T01:00',
  weekly: 'never',
  note: ' Move ',
};

beforeAll(() => void vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00') }));
afterAll(() => void vi.useRealTimers());

it('times are those of the clock that they were typed by', () => {
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
  expect(Date.parse(localText(Date.parse('2026-11-22T22:00')))).toBe(Date.parse('2026-11-22T22:00'));
});

it('says at the field what is wrong', () => {
  expect(check(typedWindowSchema, { ...typed, to: '2026-11-22T21:00' })).toEqual({
    ok: false,
    errors: { to: 'The end comes after the beginning' },
  });
  const past = { from: '2026-11-20T10:00', to: '2026-11-20T12:00' };
  expect(check(typedWindowSchema, { ...typed, ...past })).toEqual({
    ok: false,
    errors: { to: 'It is over already' },
  });
  expect(check(typedWindowSchema, { ...typed, from: '' })).toEqual({
    ok: false,
    errors: { from: 'When does it begin?' },
  });
});

it('offers the next full hour', () => {
  const now = Date.parse('2026-11-22T20:20');
  expect(usualWindow(now)).toEqual({ from: '2026-11-22T21:00', to: '2026-11-22T23:00' });
});
