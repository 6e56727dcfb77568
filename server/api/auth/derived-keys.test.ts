import { expect, it } from 'vitest';
import { derivedKey } from './derived-keys.ts';

it('derivedKey returns the same key for the same secret and purpose, and another key if either differs', () => {
  const key = (secret: string, label: Parameters<typeof derivedKey>[1]) =>
    derivedKey(secret, label).toString('hex');
  expect(key('one', 'trial-address')).toMatch(/^[0-9a-f]{64}$/);
  expect(key('one', 'trial-address')).toBe(key('one', 'trial-address'));
  expect(key('one', 'trial-address')).not.toBe(key('one', 'checkout-reference'));
  expect(key('one', 'trial-address')).not.toBe(key('two', 'trial-address'));
  // The expected value comes from another implementation of RFC 5869. If the derived key changed, everything made with it would
  // become invalid.
  expect(key('one', 'trial-address')).toBe(
    '319f140ebc2f461e60f1a255c26e93413074d0a8b5ab25747c07f0304a840051',
  );
});
