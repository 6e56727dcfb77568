import { CALLS } from '../../../contract/calls.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import type { TokenRefusal } from '../../providers/identity/index.ts';
import { openAccount } from '../../store/arrivals.ts';
import { endSession } from '../../store/sessions.ts';
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
    c.header('Cache-Control', 'no-store');
    const sessionId = await sessions.open(c, opened.account.id);
    // The provider's session has done its work, and must not outlive a log-out here. Where it is gone already, somebody
    // proved to own the address meanwhile: had ours been there a moment earlier, it would have ended with it.
    if (claims.sessionId !== null && !(await identity.endSession(claims.sessionId))) {
      await endSession(store, sessionId);
      sessions.dropCookies(c);
      return refuse(...TOKEN_REFUSALS.session_over);
    }
    if (opened.created && !claims.emailVerified) await identity.builtIn?.sendVerification(claims.subject);
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
