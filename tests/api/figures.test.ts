import { expect, it } from 'vitest';
import {
  CHECK_FREQUENCIES,
  DEFAULT_CHECK_EVERY_MINUTES,
  FREE_DOMAIN_LIMIT,
  TRIAL_DAYS,
} from '../../contract/words.ts';
import { STRIP_CHECKS, UPTIME_DAYS } from '../../contract/uptime.ts';
import {
  mayAdd,
  mayResume,
  mayUseFrequency,
  recentChecks,
  TRIAL_MS,
  uptimeWindowDays,
} from '../../server/core/index.ts';
import { DAY_MS } from '../../contract/durations.ts';

it('The limits that pages show are the ones that the server enforces', () => {
  expect(mayAdd('free', FREE_DOMAIN_LIMIT - 1)).toBe(true);
  expect(mayAdd('free', FREE_DOMAIN_LIMIT)).toBe(false);
  expect(mayResume('free', FREE_DOMAIN_LIMIT - 1)).toBe(true);
  expect(mayResume('free', FREE_DOMAIN_LIMIT)).toBe(false);
  expect(TRIAL_MS).toBe(TRIAL_DAYS * DAY_MS);
  for (const { minutes, premium } of CHECK_FREQUENCIES) {
    expect(mayUseFrequency('free', minutes)).toBe(!premium);
    expect(mayUseFrequency('premium', minutes)).toBe(true);
  }
  expect(mayUseFrequency('free', DEFAULT_CHECK_EVERY_MINUTES)).toBe(true);
  for (const plan of ['free', 'premium'] as const) expect(uptimeWindowDays(plan)).toBe(UPTIME_DAYS[plan]);
  expect(recentChecks('u'.repeat(1_000), 'up')).toHaveLength(STRIP_CHECKS);
});
