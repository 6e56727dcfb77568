import { expect, it } from 'vitest';
import { pausedLine } from './paused-line.ts';

it('says who paused a domain, and why', () => {
  expect(pausedLine('user', 3)).toBe('Paused by you');
  expect(pausedLine('unconfirmed', 3)).toBe('Paused until you confirm it');
  expect(pausedLine('plan', 3)).toBe('Paused: Free checks three domains');
  expect(pausedLine('plan', 1)).toBe('Paused: Free checks one domain');
});
