import { z } from 'zod';
import { sessionListSchema, userSchema } from '../../../contract/account.ts';
import type { SessionWire } from '../../../contract/account.ts';
import { api, call } from '../../lib/api-client.ts';
import { currentUserOf } from '../../lib/current-user.ts';
import type { CurrentUser } from '../../lib/current-user.ts';

const updateAnswer = z.object({ data: userSchema.nullish() });
/** Of a large account it takes a while. */
const EXPORT_TIMEOUT_MS = 120_000;
const sessionsAnswer = z.object({ data: sessionListSchema });

/** Saves name and company. Returns the updated user. */
export async function updateProfile(
  user: CurrentUser,
  { fullName, company }: { fullName: string; company: string },
): Promise<CurrentUser> {
  const { data } = await api('/user/update', {
    method: 'PATCH',
    body: { full_name: fullName, company: company || null },
    schema: updateAnswer,
  });
  return data ? currentUserOf(data) : { ...user, fullName, companyName: company };
}

/** Saves the time zone for dates in mails. Returns the updated user. */
export async function saveTimeZone(user: CurrentUser, timeZone: string): Promise<CurrentUser> {
  const body = { time_zone: timeZone };
  const { data } = await api('/user/time_zone', { method: 'PATCH', body, schema: updateAnswer });
  return data ? currentUserOf(data) : { ...user, timeZone };
}

/** Deletes the account with everything in it; the session ends with it. */
export async function deleteAccount(): Promise<void> {
  await api('/user/me', { method: 'DELETE', schema: z.unknown() });
}

/** Where the account is signed in, the newest use first. */
export async function fetchSessions(signal: AbortSignal): Promise<SessionWire[]> {
  return (await api('/user/sessions', { schema: sessionsAnswer, signal })).data;
}

/** Signs another browser out. */
export async function endSession(id: string): Promise<void> {
  await api(`/user/sessions/${id}`, { method: 'DELETE', schema: z.unknown() });
}

/** Signs every browser out, this one included. */
export async function endAllSessions(): Promise<void> {
  await api('/user/sessions/end', { method: 'POST', schema: z.unknown() });
}

/** Everything that is stored of the account, as one JSON file. */
export async function fetchExport(): Promise<Blob> {
  return await (await call('/user/export', { timeoutMs: EXPORT_TIMEOUT_MS })).blob();
}
