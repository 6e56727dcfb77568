import { expect, it } from 'vitest';
import type { Subscription } from './plan.ts';
import { obstacleToBuying, runningSubscriptions } from './running-subscriptions.ts';

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

const told = (id: string, change: Partial<Subscription> = {}) => ({
  id,
  createdAt: NOW - 40 * DAY,
  status: 'active' as const,
  periodStartsAt: NOW - 5 * DAY,
  periodEndsAt: NOW + 25 * DAY,
  cancelsAt: null,
  pastDueSince: null,
  refundedAt: null,
  ...change,
});
const idsOf = (subscriptions: { id: string }[]) => subscriptions.map(({ id }) => id);

it('keeps the older one, whichever is told first', () => {
  const [older, newer] = [told('b'), { ...told('a'), createdAt: NOW }];
  expect(idsOf(runningSubscriptions([newer, older], NOW))).toEqual(['b', 'a']);
  expect(idsOf(runningSubscriptions([told('b'), told('a')], NOW))).toEqual(['a', 'b']);
});

it('keeps what gives Premium rather than what only may take money again', () => {
  const idle = [
    told('paused', { status: 'paused' }),
    told('late', { status: 'past_due', pastDueSince: NOW - 15 * DAY }),
    told('refunded', { refundedAt: NOW }),
  ];
  const paid = { ...told('paid'), createdAt: NOW };
  expect(runningSubscriptions([...idle, paid], NOW)[0]?.id).toBe('paid');
});

it('leaves out what is over', () => {
  const over = [told('a', { status: 'canceled' }), told('b', { cancelsAt: NOW })];
  expect(runningSubscriptions(over, NOW)).toEqual([]);
  expect(idsOf(runningSubscriptions([told('c', { cancelsAt: NOW + 1 })], NOW))).toEqual(['c']);
});

it('lets buy who has nothing that runs, or was given the money back', () => {
  expect(obstacleToBuying([], NOW)).toBeNull();
  expect(obstacleToBuying([told('a', { status: 'canceled' })], NOW)).toBeNull();
  expect(obstacleToBuying([told('a', { refundedAt: NOW })], NOW)).toBeNull();
  for (const status of ['active', 'trialing', 'past_due', 'paused'] as const)
    expect(obstacleToBuying([told('a', { status })], NOW)?.id).toBe('a');
});
