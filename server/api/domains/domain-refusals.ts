import { FREE_DOMAIN_LIMIT, MAX_TAGS } from '../../../contract/words.ts';
import { displayName } from '../../core/endpoint.ts';
import type { Limits } from '../../core/limits.ts';
import type { Targeted } from '../../core/target.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { refuseUntil } from '../http/rate-limit.ts';
import { refusalOfUnverified } from '../auth/verified-address.ts';
import type { RefusedMonitor } from '../../store/monitors/monitor-adding.ts';

/** Refusals of calls about domains. */
export const DOMAIN_REFUSALS = {
  notFound: () => refuse('not_found', 'There is no such domain.'),
  paused: () => refuse('domain_paused', 'This domain is paused. Resume it to check it.'),
  premiumFrequency: () => refuse('premium_required', 'Upgrade to premium to customize check frequency.'),
  tooManyActive: () => refuse('limit_reached', `The Free plan checks up to ${FREE_DOMAIN_LIMIT} domains.`),
  tooMany: () => refuse('limit_reached', `The Free plan tracks up to ${FREE_DOMAIN_LIMIT} domains.`),
  exists: (existing: Targeted) => refuse('domain_exists', `You already track ${displayName(existing)}.`),
  tooManyPorts: ({ portsPerHost: count }: Limits, retryAfterMs: number) =>
    refuseUntil({ count, set: { by: 'portsPerHost', what: 'ports of one domain a day' } }, retryAfterMs),
  tooManyTags: () => refuse('invalid_request', `A domain can have at most ${MAX_TAGS} tags.`),
};

/** Maps the reason why a domain was not added to a refusal. */
export function refusalToAdd(refused: RefusedMonitor, limits: Limits): Refusal {
  if (refused.code === 'exists') return DOMAIN_REFUSALS.exists(refused.existing);
  if (refused.code === 'email_not_verified') return refusalOfUnverified(refused.needs, limits);
  if (refused.code === 'too_many_ports') return DOMAIN_REFUSALS.tooManyPorts(limits, refused.retryAfterMs);
  return DOMAIN_REFUSALS.tooMany();
}
