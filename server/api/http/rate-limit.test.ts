import { expect, it } from 'vitest';
import { STANDARD_LIMITS } from '../../core/limits.ts';
import { Refusal } from './problem.ts';
import { createCallLimits } from './rate-limit.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { promise } from '../../../tests/security/promise.ts';

it('call limits count per caller until the window ends', () => {
  let now = 0;
  const limits = createCallLimits({ monotonic: () => now }, STANDARD_LIMITS);
  const bulk = (who: string) => limits.allow('bulkByAccount', who, 60);
  expect(bulk('alice')).toBeNull();
  expect(bulk('alice')).toBeInstanceOf(Refusal);
  expect(bulk('bob')).toBeNull();
  now += MINUTE_MS;
  expect(bulk('alice')).toBeNull();
});

it('call limits never reset a window before it ends, even with 110,000 windows in use', () => {
  const limits = createCallLimits({ monotonic: () => 0 }, STANDARD_LIMITS);
  expect(limits.allow('bulkChecksByAccount', 'alice', 20_000)).toBeNull();
  for (let domain = 0; domain < 5; domain++)
    expect(limits.allow('bulkCheckByDomain', String(domain))).toBeNull();
  for (let domain = 5; domain < 110_000; domain++) limits.allow('bulkCheckByDomain', String(domain));
  for (let domain = 0; domain < 5; domain++)
    expect(limits.allow('bulkCheckByDomain', String(domain))).toBeInstanceOf(Refusal);
  expect(limits.allow('bulkChecksByAccount', 'alice')).toBeInstanceOf(Refusal);
  promise('floods');
});

it('call limits put new callers into shared windows once 100,000 windows are in use', () => {
  let now = 0;
  const limits = createCallLimits({ monotonic: () => now }, STANDARD_LIMITS);
  const passed = (from: number, to: number) => {
    let count = 0;
    for (let domain = from; domain < to; domain++)
      if (limits.allow('bulkCheckByDomain', String(domain)) === null) count += 1;
    return count;
  };
  expect(passed(0, 100_000)).toBe(100_000);
  // Each window allows one call, so as many calls pass as there are shared windows.
  const sharing = passed(100_000, 200_000);
  expect(sharing).toBeGreaterThan(45_000);
  expect(sharing).toBeLessThanOrEqual(65_536);
  // Ended windows do not count, so new callers get their own windows again.
  now += 2 * MINUTE_MS;
  expect(passed(200_000, 201_000)).toBe(1_000);
});
