import { expect, it } from 'vitest';
import { dailyQuotaKb, STANDARD_LIMITS } from './limits.ts';

it('dailyQuotaKb rises by a tenth with each domain', () => {
  const limits = { ...STANDARD_LIMITS, storedKbPerDay: 105 };
  expect([0, 1, 10].map((domains) => dailyQuotaKb(limits, domains))).toEqual([105, 115, 210]);
});
