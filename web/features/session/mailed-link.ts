import { z } from 'zod';
import { api } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { CurrentUser } from '../../lib/current-user.ts';
import { errorOf, send } from '../../lib/http.ts';
import { checkCurrentUser } from './session.ts';

/** Sets the password that the link allows; every session of that account ends. */
export async function setNewPassword(token: string, password: string): Promise<void> {
  const response = await send('/api/identity/reset-password', { method: 'POST', body: { token, password } });
  if (!response.ok) throw await errorOf(response);
}

export interface Verification {
  /** `refused`: the link is of another account, or too old. */
  outcome: 'verified' | 'refused' | 'anonymous';
  user: CurrentUser | null;
}

/** Verifies the address of the signed-in account. The token alone does nothing: somebody else may have signed up with it. */
export async function verifyAddress(token: string): Promise<Verification> {
  const user = await checkCurrentUser();
  if (!user) return { outcome: 'anonymous', user };
  try {
    await api('/identity/verify-email', { method: 'POST', body: { token }, schema: z.unknown() });
    return { outcome: 'verified', user };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'invalid_token' || error.code === 'invalid_request')
      return { outcome: 'refused', user };
    if (error.status === 401) return { outcome: 'anonymous', user: null };
    throw error;
  }
}

/** Mails a new link to the signed-in user's address. */
export async function sendVerification(): Promise<void> {
  await api('/identity/send-verification', { method: 'POST', schema: z.unknown() });
}
