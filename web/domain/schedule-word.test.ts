import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../contract/durations.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import {
  heldBackLine,
  heldBackSentence,
  isRenewalOverdue,
  pausedLine,
  scheduleLine,
  scheduleWord,
} from './schedule-word.ts';

const at = (hours: number) => new Date(EXAMPLE_NOW + hours * HOUR_MS).toISOString();

/** Returns a certificate with this lifetime and remaining time in hours, whose renewal is overdue from `overdueIn` on. */
function certificate({ lives = 160, left = 100, overdueIn = 1 as number | null, isShortLived = true }) {
  const { renewal } = exampleDomain();
  const overdue_at = overdueIn === null ? null : at(overdueIn);
  return exampleDomain({
    valid_from: at(left - lives),
    expiry_date: at(left),
    renewal: renewal && { ...renewal, overdue_at, is_short_lived: isShortLived },
  });
}

describe('the renewal schedule', () => {
  it.each<[string, Parameters<typeof certificate>[0], ReturnType<typeof scheduleWord>]>([
    [
      'is on schedule until the renewal is overdue, however little time is left',
      { left: 2 },
      'renewal on schedule',
    ],
    [
      'is overdue from the overdue time on, however much time is left',
      { left: 150, overdueIn: 0 },
      'renewal overdue',
    ],
    [
      'is not shown for an expired certificate, because the badge says that',
      { left: 0, overdueIn: -9 },
      null,
    ],
    ['is not shown if another address already serves the renewed certificate', { overdueIn: null }, null],
    ['is not shown for a certificate that is valid for 30 days or more', { isShortLived: false }, null],
  ])('%s', (_, shape, word) => expect(scheduleWord(certificate(shape), EXAMPLE_NOW)).toBe(word));

  it.each([
    [{ lives: 160 }, 'Valid for 7 days in all, renewal on schedule'],
    [{ lives: 24, left: 2, overdueIn: 0 }, 'Valid for 1 day in all, renewal overdue'],
    [{ lives: 6, left: 5 }, 'Valid for less than a day in all, renewal on schedule'],
    [{ isShortLived: false }, null],
  ])('for %o is described as: %s', (shape, line) =>
    expect(scheduleLine(certificate(shape), EXAMPLE_NOW)).toBe(line),
  );

  it('is reported as overdue for long-lived certificates too', () => {
    expect(isRenewalOverdue(certificate({ isShortLived: false, overdueIn: 0 }), EXAMPLE_NOW)).toBe(true);
    expect(isRenewalOverdue(certificate({ isShortLived: false, overdueIn: 1 }), EXAMPLE_NOW)).toBe(false);
  });
});

it('pausedLine says who or what paused a domain', () => {
  expect(pausedLine('user', 3)).toBe('Paused by you');
  expect(pausedLine('unconfirmed', 3)).toBe('Paused until you confirm that it is yours');
  expect(pausedLine('plan', 3)).toBe('Paused: the Free plan checks three domains');
  expect(pausedLine('plan', 1)).toBe('Paused: the Free plan checks one domain');
});

it('the words about a held-back check say until when and why it is held back', () => {
  const waiting = { reason: 'own_network', until: at(0.01) } as const;
  expect(heldBackLine(waiting, EXAMPLE_NOW)).toMatch(/^Check held back until \d\d:\d\d$/);
  expect(heldBackLine(waiting, EXAMPLE_NOW + HOUR_MS)).toBe('Check held back');
  expect(heldBackSentence({ ...waiting, until: at(-1) }, EXAMPLE_NOW)).toBe(
    'Many hosts failed at once, so our own network may be the cause. We recorded nothing and will try again soon.',
  );
});
