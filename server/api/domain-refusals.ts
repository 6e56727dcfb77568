import { FREE_DOMAIN_LIMIT, MOST_TAGS } from '../../contract/constants.ts';
import type { Monitor } from '../store/monitors.ts';
import { displayName } from '../core/index.ts';
import { refuse } from './problem.ts';

/** What domains are refused with, by calls for one of them and by calls for many. */
export const REFUSALS = {
  notFound: () => refuse('not_found', 'There is no such domain.'),
  paused: () => refuse('domain_paused', 'This domain is paused. Resume it to check it.'),
  premiumFrequency: () => refuse('premium_required', 'Upgrade to premium to customize check frequency.'),
  noRoomToRun: () => refuse('limit_reached', `The Free plan checks up to ${FREE_DOMAIN_LIMIT} domains.`),
  noRoom: () => refuse('limit_reached', `The Free plan tracks up to ${FREE_DOMAIN_LIMIT} domains.`),
  exists: (existing: Pick<Monitor, 'host' | 'port'>) =>
    refuse('domain_exists', `You already track ${displayName(existing)}.`),
  tooManyTags: () => refuse('invalid_request', `A domain has at most ${MOST_TAGS} tags.`),
};
