import { ATTENTION_REASONS, type AttentionReason } from '../words.ts';
import { isRenewalOverdue } from './schedule.ts';
import { type BrokenFacts, overdueReason } from './state-words.ts';

const WITH_BADGES = ['revoked', 'critical', 'soon'] as const satisfies AttentionReason[];
type BrokenState = Exclude<AttentionReason, (typeof WITH_BADGES)[number]>;

/**
 * Returns what is wrong with a host and its certificate, most urgent first. `more`: reasons that its findings give. Omits a near expiry and a revocation, because badges show them.
 * Returns nothing for a paused domain, because its problems may be fixed by now.
 */
export function brokenStates(
  domain: BrokenFacts,
  now: number,
  more: readonly AttentionReason[] = [],
): BrokenState[] {
  const { state, trusted, refused, attention, unreachable, uptime } = domain;
  if (state === 'paused') return [];
  const isDown = uptime.state === 'down';
  const isOver = state === 'expired' || state === 'revoked';
  const applying = [
    attention,
    state,
    isDown && 'down',
    (state === 'unread' || (unreachable !== null && !isDown)) && 'unreachable',
    trusted === false && !isOver && 'untrusted',
    refused && state !== 'expired' && 'refused',
    isRenewalOverdue(domain, now) && 'overdue',
    ...more,
  ];
  const hasBadge = (reason: AttentionReason) => WITH_BADGES.some((one) => one === reason);
  const rankOf = (reason: BrokenState) =>
    ATTENTION_REASONS.indexOf(reason === 'overdue' ? overdueReason(state) : reason);
  return ATTENTION_REASONS.filter(
    (reason): reason is BrokenState => applying.includes(reason) && !hasBadge(reason),
  ).toSorted((one, other) => rankOf(one) - rankOf(other));
}
