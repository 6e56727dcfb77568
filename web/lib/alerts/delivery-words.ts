import type { DeliveryWire } from '../../../contract/channel.ts';
import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';
import { counted, longDateTime, relativeTime, untilText } from '../format.ts';

/** Returns the state of a delivery and the next step: 'Delivered 2 min ago', 'Not delivered yet, next try in 5 min'. */
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
  // An attempt without an outcome is in progress or will be resumed; after any other outcome the message is being sent again.
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
