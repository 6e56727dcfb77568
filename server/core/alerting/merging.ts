import { SECOND_MS } from '../../../contract/durations.ts';
import type { ChannelKindName } from '../../../contract/words.ts';
import type { PlannedAlert } from './alert.ts';

/**
 * An alert about an outage waits until its account and channel have had no other outage for `quietMs`, but at most `maxMs`. All alerts that
 * are waiting then become one message.
 */
export const MERGE_WAIT = { quietMs: 10 * SECOND_MS, maxMs: 30 * SECOND_MS } as const;

/** Webhooks name every domain of a message, and receivers limit the size of a request. */
const MAX_MERGED_IN_WEBHOOK = 100;
const MAX_MERGED = 1_000;

/** Returns the largest number of outages in one message. */
export function maxMerged(kind: ChannelKindName): number {
  return kind === 'webhook' ? MAX_MERGED_IN_WEBHOOK : MAX_MERGED;
}

/**
 * Returns a key that is the same for alerts of an account that may become one message: outages on one channel at the same step. Null for
 * other problems, and for PagerDuty, which opens and resolves each incident by itself.
 */
export function mergeKey(
  { problem, step }: Pick<PlannedAlert, 'problem' | 'step'>,
  channel: { key: string; kind: ChannelKindName },
): string | null {
  return problem === 'down' && channel.kind !== 'pagerduty' ? `${channel.key}:${step}` : null;
}
