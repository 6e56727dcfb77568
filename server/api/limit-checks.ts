import { trackedEndpoints } from '../store/monitors.ts';
import type { AppParts } from './api.ts';
import type { Refusal } from './problem.ts';
import { MOST_WEIGHED } from './rate-limit.ts';

/** Counts a call that is followed by a check of every domain of the account; null: it may go on. */
export async function limitChecksOfAll(
  { store, limits }: Pick<AppParts, 'store' | 'limits'>,
  accountId: string,
): Promise<Refusal | null> {
  const { count } = await trackedEndpoints(store, { accountId, endpoints: [] });
  return limits.allow('toldAnewByAccount', accountId, Math.min(count, MOST_WEIGHED));
}
