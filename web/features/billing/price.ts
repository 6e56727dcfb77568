import type { ProductWire } from '../../../contract/payment.ts';

function formatOf(currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en', { style: 'currency', currency });
}

/** From minor to major units of `currency` (ISO 4217): 499 US cents are 4.99, 499 yen are 499. */
export function inMajorUnits(amount: number, currency: string): number {
  const { maximumFractionDigits: digits = 2 } = formatOf(currency).resolvedOptions();
  return amount / 10 ** digits;
}

/** '$4.99', of minor units. */
export function priceText({
  unit_price: price,
  currency,
}: Pick<ProductWire, 'unit_price' | 'currency'>): string {
  return formatOf(currency).format(inMajorUnits(price, currency));
}
