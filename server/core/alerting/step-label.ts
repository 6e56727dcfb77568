import type { Step } from '../alert-steps.ts';
import { count } from '../duration.ts';
import { HOUR_MS, DAY_MS } from '../../../contract/durations.ts';

const OWN: Partial<Record<Step, string>> = {
  renewal_overdue: 'when its renewal is overdue',
  expired: 'when it expires',
};
/** How many days before the end each is; less for short lifetimes. */
const OWN_DAYS: Partial<Record<Step, number>> = { warning: 14, critical: 7, three_days: 3, one_day: 1 };

/**
 * When a step comes, for people: "14 days before", "20 % of its lifetime left", "when it expires". `leftMs`, where known, is how
 * long before the end it comes for the certificate at hand, as the product's own steps come sooner for short lifetimes.
 */
export function stepLabel(step: Step, leftMs: number | null = null): string {
  const own = OWN[step];
  if (own !== undefined) return own;
  const chosen = /^(\d+)([d%])$/.exec(step);
  if (chosen?.[2] === '%') return `${chosen[1]} % of its lifetime left`;
  const days = chosen === null ? (OWN_DAYS[step] ?? 0) : Number(chosen[1]);
  if (leftMs === null || leftMs >= days * DAY_MS) return `${count(days, 'day')} before`;
  return leftMs >= DAY_MS
    ? `${count(Math.floor(leftMs / DAY_MS), 'day')} before`
    : `${count(Math.max(1, Math.floor(leftMs / HOUR_MS)), 'hour')} before`;
}
