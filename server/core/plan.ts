export type Plan = 'free' | 'premium';

const FREE_DOMAIN_LIMIT = 3;
const FREQUENCIES_MINUTES: readonly number[] = [10, 15, 60, 1440];
const FREE_FREQUENCY_MINUTES = 1440;

/** Whether an account that has `count` domains may add one more. */
export function mayAdd(plan: Plan, count: number): boolean {
  return plan === 'premium' || count < FREE_DOMAIN_LIMIT;
}

/** Whether a plan may check every `minutes`; false for intervals that nobody may choose. */
export function mayUseFrequency(plan: Plan, minutes: number): boolean {
  return FREQUENCIES_MINUTES.includes(minutes) && (plan === 'premium' || minutes === FREE_FREQUENCY_MINUTES);
}
