import { describe, expect, it } from 'vitest';
import { inMajorUnits, priceText } from './price.ts';
import { spec } from '../../../tests/spec/spec.ts';

describe('a price', () => {
  it.each([
    [499, 'USD', '$4.99'],
    [500, 'EUR', '€5.00'],
    [499, 'JPY', '¥499'],
    [499, 'CAD', 'CA$4.99'],
  ])('of %i %s is written as %s', (price, currency, text) => {
    expect(priceText({ unit_price: price, currency })).toBe(text);
  });

  it('is converted to major units for analytics', () => {
    expect(inMajorUnits(499, 'USD')).toBe(4.99);
    spec('3.16', 'A price is in hundredths, or in the minor units that its currency has (decision 31)');
    expect(inMajorUnits(499, 'JPY')).toBe(499);
  });
});
