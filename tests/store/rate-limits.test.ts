import { expect, it } from 'vitest';
import { consumeRateLimit, refundRateLimit } from '../../server/store/operations/rate-limits.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { NOW } from './samples.ts';

const use = { key: 'sign-in:alice', limit: 3, windowMs: 60_000, now: NOW };

describeEachDatabase('rate limits', (open) => {
  it('allow the given number of uses per window', async () => {
    const store = await open();
    for (let count = 0; count < 3; count++)
      expect(await consumeRateLimit(store, use)).toEqual({ allowed: true });
    expect(await consumeRateLimit(store, { ...use, now: NOW + 20_000 })).toEqual({
      allowed: false,
      retryAfterMs: 40_000,
    });
    expect(await consumeRateLimit(store, { ...use, key: 'sign-in:bob' })).toEqual({ allowed: true });
    expect(await consumeRateLimit(store, { ...use, now: NOW + 60_000 })).toEqual({ allowed: true });
  });

  it('count uses that run at the same time', async () => {
    const store = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => consumeRateLimit(store, use)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3);
  });

  it('can refund uses, but never more than were counted', async () => {
    const store = await open();
    for (let count = 0; count < 3; count++) await consumeRateLimit(store, use);
    await refundRateLimit(store, use);
    expect(await consumeRateLimit(store, use)).toEqual({ allowed: true });
    for (let count = 0; count < 9; count++) await refundRateLimit(store, use);
    for (let count = 0; count < 3; count++) await consumeRateLimit(store, use);
    expect(await consumeRateLimit(store, use)).toMatchObject({ allowed: false });
  });

  it('are pruned when their window is over', async () => {
    const store = await open();
    await consumeRateLimit(store, use);
    expect(await deleteExpired(store, 'rate_limits', NOW + 59_999)).toBe(0);
    expect(await deleteExpired(store, 'rate_limits', NOW + 60_000)).toBe(1);
  });
});
