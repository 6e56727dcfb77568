import type { BetterAuthPlugin } from 'better-auth';
import { createAuthEndpoint, getSessionFromCtx } from 'better-auth/api';

/**
 * Tells whose the library's cookies are: of its session, or of a sign-in that waits for a one-time code. The library
 * knows that inside its own routes only, and limits on guesses count by person before those run.
 */
export const callerPlugin = {
  id: 'caller',
  endpoints: {
    caller: createAuthEndpoint.serverOnly(
      { method: 'GET', requireHeaders: true },
      async (c): Promise<string | null> => {
        const signedIn = await getSessionFromCtx(c);
        if (signedIn) return signedIn.user.id;
        const { name } = c.context.createAuthCookie('two_factor');
        const challenge = await c.getSignedCookie(name, c.context.secret);
        if (!challenge) return null;
        const waiting = await c.context.internalAdapter.findVerificationValue(challenge);
        return waiting?.value ?? null;
      },
    ),
  },
} satisfies BetterAuthPlugin;
