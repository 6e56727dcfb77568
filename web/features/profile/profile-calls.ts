import { z } from 'zod';
import { userSchema } from '../../../contract/account.ts';
import { api } from '../../lib/api-client.ts';
import { currentUserOf } from '../../lib/current-user.ts';
import type { CurrentUser } from '../../lib/current-user.ts';

const updateAnswer = z.object({ data: userSchema.nullish() });

/** Saves the name and the company (empty: none); returns the user as it now is. */
export async function updateProfile(
  user: CurrentUser,
  profile: { fullName: string; company: string },
): Promise<CurrentUser> {
  const { data } = await api('/user/update', {
    method: 'PATCH',
    body: { full_name: profile.fullName, company: profile.company === '' ? null : profile.company },
    schema: updateAnswer,
  });
  return data ? currentUserOf(data) : { ...user, fullName: profile.fullName, companyName: profile.company };
}

/** Deletes the account with everything in it; the session ends with it. */
export async function deleteAccount(): Promise<void> {
  await api('/user/me', { method: 'DELETE', schema: z.unknown() });
}
