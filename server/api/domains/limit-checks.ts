import type { Account } from '../../store/accounts/accounts.ts';
import { trackedEndpoints } from '../../store/monitors/monitors.ts';
import type { AppParts } from '../http/api.ts';
import type { Refusal } from '../http/problem.ts';
import { MOST_WEIGHED } from '../http/rate-limit.ts';
import { limitFollowing } from '../auth/verified-address.ts';

/** Counts a call that is followed by a check of every domain of the account; null: it may go on. */
export async function limitChecksOfAll(
  parts: Pick<AppParts, 'store' | 'limits' | 'config'>,
  account: Pick<Account, 'id' | 'emailVerified'>,
): Promise<Refusal | null> {
  const { store, limits } = parts;
  const { id: accountId } = account;
  const limited = limitFollowing(parts, account, accountId);
  if (limited) return limited;
  const { count } = await trackedEndpoints(store, { accountId, endpoints: [] });
  return limits.allow('toldAnewByAccount', accountId, Math.min(count, MOST_WEIGHED));
}
