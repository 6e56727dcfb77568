import type { DeliveryWire } from '../../../contract/channel.ts';
import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';
import { EARLIEST_STEP_SHARE } from '../../../contract/words.ts';
import { counted, daysText, longDateTime, relativeTime, untilText } from '../format.ts';

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

/** Lifetimes in days that CAs use now or will use, as examples. */
const LIFETIMES = [200, 100, 47, 6];

/**
 * Explains when the alert of the longest step in days is sent if the step exceeds half of the lifetime; null if it does not.
 * `lifetimeDays` is null if the certificate is not known.
 */
export function laterStepNote(steps: readonly string[], lifetimeDays: number | null): string | null {
  const days = Math.max(
    0,
    ...steps.filter((step) => step.endsWith('d')).map((step) => Number.parseInt(step, 10)),
  );
  const from = days / EARLIEST_STEP_SHARE;
  const step = `“${stepWords(`${days}d`)}”`;
  const sentAt = (lifetime: number) => stepWords(`${Math.floor(lifetime * EARLIEST_STEP_SHARE)}d`);
  if (lifetimeDays !== null)
    return lifetimeDays < from
      ? `This certificate is valid for ${daysText(lifetimeDays)}, so we send the alert ${step} when half of its lifetime is left: ${sentAt(lifetimeDays)}.`
      : null;
  const example = LIFETIMES.find((lifetime) => lifetime < from);
  if (example === undefined) return null;
  return `${step} is too early for certificates that are valid for less than ${daysText(from)}. For them, we send this alert when half of the lifetime is left: for ${daysText(example)}, ${sentAt(example)}.`;
}
