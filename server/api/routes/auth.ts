import { CALLS } from '../../../contract/calls.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import type { TokenRefusal } from '../../providers/identity/index.ts';
import { openAccount } from '../../store/arrivals.ts';
import type { Api, AppParts } from '../api.ts';
import { refuse } from '../problem.ts';
import { userWire } from '../wire.ts';

const TOKEN_REFUSALS: Record<TokenRefusal, [code: ProblemCode, detail: string]> = {
  invalid: ['invalid_token', 'Please sign in again.'],
  expired: ['invalid_token', 'The sign-in took too long. Please sign in again.'],
  session_over: ['invalid_token', 'Please sign in again.'],
  no_email: [
    'invalid_token',
    'This sign-in comes without an email address, which alerts need. Please sign in another way.',
  ],
  unreachable: [
    'identity_unavailable',
    'The sign-in service does not answer. Try again in a moment; whoever is signed in stays signed in.',
  ],
};

/** From an identity provider's token to the product's own session, and to its end. */
export function authRoutes(api: Api, { store, identity, sessions }: AppParts): void {
  api.on(CALLS.openSession, async ({ c, body, now }) => {
    const verified = await identity.verify(body.token);
    if (!verified.ok) return refuse(...TOKEN_REFUSALS[verified.reason]);
    const { claims } = verified;
    const opened = await openAccount(store, {
      issuer: claims.provider,
      subject: claims.subject,
      email: claims.email,
      emailVerified: claims.emailVerified,
      name: body.name || claims.name,
      company: body.company ?? '',
      photoUrl: claims.photoUrl,
      now,
    });
    if (!opened.ok)
      return refuse('email_taken', 'This address already has an account that signs in another way.');
    // The provider's session has done its work; it must not outlive a log-out here.
    if (claims.sessionId !== null) await identity.endSession(claims.sessionId);
    await sessions.open(c, opened.account.id);
    c.header('Cache-Control', 'no-store');
    return { data: userWire(opened.account) };
  });

  api.on(CALLS.refreshSession, async ({ c }) => {
    c.header('Cache-Control', 'no-store');
    const session = await sessions.refresh(c);
    if (session === null) return refuse('not_authenticated', 'Please sign in again.');
    return { data: userWire(session.account) };
  });

  api.on(CALLS.logOut, async ({ c }) => {
    c.header('Cache-Control', 'no-store');
    await sessions.end(c);
    return { data: null };
  });
}
