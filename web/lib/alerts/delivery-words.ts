import type { DeliveryWire } from '../../../contract/channel.ts';
import { longDateTime, relativeTime } from '../dates.ts';
import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';

/** Where a message stands and what comes next, as one line: 'Delivered 2 min ago', 'Not delivered yet, next try in 5 min'. */
export function deliveryLine(
  {
    state,
    next_attempt_at: nextAt,
    settled_at: settledAt,
    attempts,
  }: Pick<DeliveryWire, 'state' | 'next_attempt_at' | 'settled_at' | 'attempts'>,
  now: number,
): string {
  const when = settledAt === null ? '' : ` ${relativeTime(settledAt, now)}`;
  if (state === 'delivered') return `Delivered${when}`;
  if (state === 'failed') return `Not delivered, given up${when}`;
  if (state === 'superseded') return 'Not sent: a newer message took its place';
  const next = nextAt === null ? '' : `, ${nextWords(nextAt, now)}`;
  if (state === 'held') return `Held back${next.replace('next try', 'sent')}`;
  // A try without an end is under way, or will be taken up again; one that ended otherwise is being sent once more.
  return attempts.at(-1)?.outcome === 'retry' ? `Not delivered yet${next}` : 'On its way';
}

function nextWords(nextAt: string, now: number): string {
  const ahead = Date.parse(nextAt) - now;
  if (ahead < MINUTE_MS) return 'next try within a minute';
  if (ahead < 60 * MINUTE_MS) return `next try in ${Math.round(ahead / MINUTE_MS)} min`;
  if (ahead < DAY_MS) {
    const hours = Math.round(ahead / (60 * MINUTE_MS));
    return `next try in ${hours} ${hours === 1 ? 'hour' : 'hours'}`;
  }
  return `next try on ${longDateTime(nextAt)}`;
}
