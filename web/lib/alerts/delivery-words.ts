import type { DeliveryWire } from '../../../contract/channel.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';
import { EARLIEST_STEP_SHARE } from '../../../contract/words.ts';
import { counted, listed, longDateTime, relativeTime, untilText } from '../format.ts';
import { daysText } from '../../../contract/state/schedule.ts';

/** Returns the state of a delivery and what happens next: 'Delivered 2 min ago', 'Not delivered yet, next try in 5 min'. */
export function deliveryLine(
  {
    state,
    next_attempt_at: nextAt,
    settled_at: settledAt,
    detail,
    attempts,
  }: Pick<DeliveryWire, 'state' | 'next_attempt_at' | 'settled_at' | 'detail' | 'attempts'>,
  now: number,
): string {
  const when = settledAt === null ? '' : ` ${relativeTime(settledAt, now)}`;
  if (state === 'delivered') return `Delivered${when}`;
  if (state === 'failed') return `Not delivered; we gave up${when}`;
  if (state === 'superseded') return detail === null ? 'Not sent' : `Not sent. ${detail}`;
  if (state === 'held') return nextAt === null ? 'Held' : `Held until ${untilText(nextAt, now)}`;
  const next = nextAt === null ? '' : `, ${nextWords(nextAt, now)}`;
  // If the last attempt has no outcome, it is running or will be resumed. After an outcome other than a retry, the message is
  // being sent again.
  return attempts.at(-1)?.outcome === 'retry' ? `Not delivered yet${next}` : 'Sending';
}

function nextWords(nextAt: string, now: number): string {
  const ahead = Date.parse(nextAt) - now;
  if (ahead < MINUTE_MS) return 'next try within a minute';
  if (ahead < 60 * MINUTE_MS) return `next try in ${Math.round(ahead / MINUTE_MS)} min`;
  if (ahead < DAY_MS) {
    const hours = Math.round(ahead / (60 * MINUTE_MS));
    return `next try in ${counted(hours, 'hour')}`;
  }
  return `next try on ${longDateTime(nextAt)}`;
}

/** Returns '14 days before' for '14d', '20% of its lifetime left' for '20%'. */
export function stepWords(step: string): string {
  const amount = Number.parseInt(step, 10);
  if (step.endsWith('%')) return `${amount}% of its lifetime left`;
  return `${counted(amount, 'day')} before`;
}

/** Sorts days first, then percentages, each from the largest. */
export function sortedSteps(steps: readonly string[]): string[] {
  const rank = (step: string) => (step.endsWith('d') ? 1_000 : 0) + Number.parseInt(step, 10);
  return steps.toSorted((one, other) => rank(other) - rank(one));
}

/** Explains that steps of more days than half of the lifetime come later than chosen. Null if there is no such step. */
export function laterStepNote(steps: readonly string[], lifetimeDays: number): string | null {
  const later = sortedSteps(steps).filter(
    (step) => step.endsWith('d') && lifetimeDays < Number.parseInt(step, 10) / EARLIEST_STEP_SHARE,
  );
  if (later.length === 0) return null;
  const alerts = later.length === 1 ? 'the alert' : 'one alert for';
  const named = listed(later.map((step) => `“${stepWords(step)}”`));
  return `This certificate is valid for ${lifetimeText(lifetimeDays)}, so we send ${alerts} ${named} when half of its lifetime is left: ${halfLeft(lifetimeDays)}.`;
}

/** Returns '47 days', or '6 hours' below one day. */
function lifetimeText(days: number): string {
  return days >= 1 ? daysText(Math.floor(days)) : counted(Math.floor(days * 24), 'hour');
}

/** Returns the time before expiry at which half of a lifetime is left: '23 days before', or '12 hours before' below one day. */
function halfLeft(lifetimeDays: number): string {
  return `${lifetimeText(lifetimeDays * EARLIEST_STEP_SHARE)} before`;
}
