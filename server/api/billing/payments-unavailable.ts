import { PaymentsUnavailable } from '../../providers/payments/index.ts';
import type { AppOptions } from '../app-options.ts';
import { refuse, type Refusal } from '../http/problem.ts';

/** Answers what `work` answers, or that the payment provider cannot be had. */
export async function refuseWithoutProvider<T>(
  log: AppOptions['log'],
  work: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentsUnavailable)) throw error;
    log.error({ err: error }, 'The payment provider cannot be had');
    return refuse('payments_unavailable', 'The payment service does not answer. Try again in a moment.');
  }
}
