import { z } from 'zod';
import { ApiError, standardPhrase } from '../../lib/api-error.ts';
import { send } from '../../lib/http.ts';

const refusalSchema = z.object({ message: z.string().min(1) });
const tokenSchema = z.object({ token: z.string().min(1) });

async function call(path: string, body?: unknown): Promise<unknown> {
  const response = await send(`/api/identity${path}`, body === undefined ? {} : { method: 'POST', body });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const refusal = refusalSchema.safeParse(answer);
  throw new ApiError(refusal.success ? refusal.data.message : standardPhrase(response.status), {
    status: response.status,
  });
}

async function idToken(): Promise<string> {
  return tokenSchema.parse(await call('/token')).token;
}

/** Signs in with the identity provider; returns its ID token. */
export async function signInWithEmail(email: string, password: string): Promise<string> {
  await call('/sign-in/email', { email, password });
  return await idToken();
}

/** Signs up with the identity provider; returns its ID token. */
export async function signUpWithEmail(name: string, email: string, password: string): Promise<string> {
  await call('/sign-up/email', { name, email, password });
  try {
    return await idToken();
  } catch (error) {
    // The provider answers a taken address as it answers a new one, but opens no session for it.
    if (error instanceof ApiError && error.status === 401)
      throw new Error('No session was opened. If you already have an account, login instead.', {
        cause: error,
      });
    throw error;
  }
}

/** Ends the provider's own session; the product's session is another. */
export async function signOutOfIdentity(): Promise<void> {
  await call('/sign-out', {});
}
