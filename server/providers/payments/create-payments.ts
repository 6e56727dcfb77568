import type { PaymentProvider } from './payment-provider.ts';
import { createTestMode, type TestModeOptions } from './test-mode.ts';

export type BillingSettings =
  | { mode: 'none' | 'unset' | 'test' }
  | { mode: 'paddle'; apiKey: string; apiUrl: string; webhookSecret: string; priceId: string };

/** Creates the payment provider; returns null if nothing is sold. `test` is used in test mode only. */
export async function createPayments(
  billing: BillingSettings,
  { clock, test }: { clock: { now(): number; monotonic(): number }; test: Omit<TestModeOptions, 'now'> },
): Promise<PaymentProvider | null> {
  if (billing.mode === 'paddle') {
    // Load Paddle's SDK only if needed. It is more than a quarter of all modules, and the process starts half a second sooner
    // without it.
    const { createPaddle } = await import('./paddle.ts');
    return createPaddle({ ...billing, monotonic: () => clock.monotonic() });
  }
  return billing.mode === 'test' ? createTestMode({ ...test, now: () => clock.now() }) : null;
}
