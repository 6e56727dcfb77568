import { isProblem } from '../../contract/check-words.ts';
import type { DomainWire, FindingWire } from '../../contract/domain.ts';
import { expiryBadge } from '../../contract/state/badge.ts';
import { isRenewalOverdue } from '../../contract/state/schedule.ts';
import type { AttentionReason } from '../../contract/words.ts';
import { stateOfFinding } from './state-marks.tsx';

export const isEnded = ({ state }: DomainWire): boolean => state === 'expired' || state === 'revoked';

/** Returns the first finding that is a problem today and that no other state of the domain contains. `now` in ms UTC. */
export function worstFinding(domain: DomainWire, now: number): FindingWire | null {
  const isEnd = (code: string) => (code === 'expired' || code === 'revoked') && isEnded(domain);
  const isRenewal = (code: string) =>
    code === 'renewal_overdue' && (isEnded(domain) || isRenewalOverdue(domain, now));
  const isNews = (one: FindingWire) => isProblem(one) && !isEnd(one.code) && !isRenewal(one.code);
  return domain.findings.find(isNews) ?? null;
}

/** Returns the problem that a finding stands for; null if it does not count as one. */
export function reasonOf(finding: FindingWire, domain: DomainWire): AttentionReason | null {
  const { refused, attention } = domain;
  if (attention === null) return null;
  const state = stateOfFinding(finding, domain.state);
  return state === 'flawed' && refused ? 'refused' : state;
}

/** Returns whether an intermediate expires before the leaf, and so soon that somebody must act. */
export function isLimitedSoon({ weakest_link: weakest, attention }: DomainWire, now: number): boolean {
  return weakest !== null && attention !== null && expiryBadge(Date.parse(weakest.expiry_date), now) !== null;
}

/**
 * Returns the problems that the worst finding and an intermediate stand for. If no certificate was read at the last check, findings are
 * from an older one and do not count.
 */
export function findingReasons(domain: DomainWire, now: number): AttentionReason[] {
  const finding = domain.unreachable === null ? worstFinding(domain, now) : null;
  const reason = finding && reasonOf(finding, domain);
  const limit = isLimitedSoon(domain, now) ? ('flawed' as const) : null;
  return [reason, limit].filter((one) => one !== null);
}
