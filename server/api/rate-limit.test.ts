import { expect, it } from 'vitest';
import { STANDARD_LIMITS } from '../core/index.ts';
import { Refusal } from './problem.ts';
import { createCallLimits } from './rate-limit.ts';

const MINUTE_MS = 60_000;

it('a limit counts for each who asks, until its window ends', () => {
  let now = 0;
  const limits = createCallLimits({ now: () => now }, STANDARD_LIMITS);
  const bulk = (who: string) => limits.allow('bulkByAccount', who, 60);
  expect(bulk('alice')).toBeNull();
  expect(bulk('alice')).toBeInstanceOf(Refusal);
  expect(bulk('bob')).toBeNull();
  now += MINUTE_MS;
  expect(bulk('alice')).toBeNull();
});

it('however many domains are checked at once, no other limit is forgotten', () => {
  const limits = createCallLimits({ now: () => 0 }, STANDARD_LIMITS);
  expect(limits.allow('bulkChecksByAccount', 'alice', 20_000)).toBeNull();
  expect(limits.allow('checkByDomain', 'shop', 6)).toBeNull();
  for (let domain = 0; domain < 100_001; domain++) limits.allow('bulkCheckByDomain', String(domain));
  expect(limits.allow('bulkChecksByAccount', 'alice')).toBeInstanceOf(Refusal);
  expect(limits.allow('checkByDomain', 'shop')).toBeInstanceOf(Refusal);
  // Its own alone, and only past the bound.
  expect(limits.allow('bulkCheckByDomain', '0')).toBeNull();
  expect(limits.allow('bulkCheckByDomain', '100000')).toBeInstanceOf(Refusal);
});
