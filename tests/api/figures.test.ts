import { expect, it } from 'vitest';
import {
  CHECK_FREQUENCIES,
  DEFAULT_CHECK_EVERY_MINUTES,
  FREE_DOMAIN_LIMIT,
} from '../../contract/constants.ts';
import { mayAdd, mayUseFrequency } from '../../server/core/index.ts';

/** `core/` imports no contract, so the figures of the plans stand there too: what the page shows must be what holds. */
it('shows the figures of the plans that are enforced', () => {
  expect(mayAdd('free', FREE_DOMAIN_LIMIT - 1)).toBe(true);
  expect(mayAdd('free', FREE_DOMAIN_LIMIT)).toBe(false);
  for (const { minutes, premium } of CHECK_FREQUENCIES) {
    expect(mayUseFrequency('free', minutes)).toBe(!premium);
    expect(mayUseFrequency('premium', minutes)).toBe(true);
  }
  expect(mayUseFrequency('free', DEFAULT_CHECK_EVERY_MINUTES)).toBe(true);
});
