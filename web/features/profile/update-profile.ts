import { setTimeZone, updateUser } from '../../../contract/calls/account.ts';
import { call } from '../../lib/api-client.ts';
import { type CurrentUser, currentUserOf, optionalUser } from '../../lib/account/current-user.ts';

/** Saves name and company. Returns the updated user. */
export async function updateProfile(
  user: CurrentUser,
  { fullName, company }: { fullName: string; company: string },
): Promise<CurrentUser> {
  const body = { full_name: fullName, company: company || null };
  const updated = await call({ ...updateUser, response: optionalUser }, { body });
  return updated ? currentUserOf(updated) : { ...user, fullName, companyName: company };
}

/** Saves the time zone for dates in emails. Returns the updated user. */
export async function saveTimeZone(user: CurrentUser, timeZone: string): Promise<CurrentUser> {
  const body = { time_zone: timeZone };
  const updated = await call({ ...setTimeZone, response: optionalUser }, { body });
  return updated ? currentUserOf(updated) : { ...user, timeZone };
}
