import type { ProductWire } from '../../../contract/payment.ts';

function formatOf(currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en', { style: 'currency', currency });
}

/** Converts minor to major units of `currency` (ISO 4217): 499 US cents are 4.99, 499 yen are 499. */
export function inMajorUnits(amount: number, currency: string): number {
  const { maximumFractionDigits: digits = 2 } = formatOf(currency).resolvedOptions();
  return amount / 10 ** digits;
}

/** Formats minor units: '$4.99'. */
export function priceText({
  unit_price: price,
  currency,
}: Pick<ProductWire, 'unit_price' | 'currency'>): string {
  return formatOf(currency).format(inMajorUnits(price, currency));
}
