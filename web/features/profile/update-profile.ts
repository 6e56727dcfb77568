import { setTimeZone, updateUser } from '../../../contract/calls/account.ts';
import { currentUser } from '../../../contract/calls/session.ts';
import { call } from '../../lib/api-client.ts';
import { type CurrentUser, currentUserOf, optionalUser } from '../../lib/account/current-user.ts';

/** Reads the saved user; returns `known` if the answer has no user. */
export async function readUser(known: CurrentUser): Promise<CurrentUser> {
  const user = await call({ ...currentUser, response: optionalUser });
  return user ? currentUserOf(user) : known;
}

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
