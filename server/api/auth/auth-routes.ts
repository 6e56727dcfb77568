import { isTimeZone } from '../../../contract/account.ts';
import { currentZoneName } from '../../../contract/time-zone.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { OIDC_FAILURES } from '../../../contract/oidc-failure.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import { BUILT_IN } from '../../providers/identity/id-token.ts';
import type { TokenFailure } from '../../providers/identity/identity-provider.ts';
import { signUpPolicy } from '../../providers/identity/invite.ts';
import { openAccount } from '../../store/accounts/sign-in.ts';
import { endSession } from '../../store/accounts/sessions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { countChallenge, countSignUp } from './identity-limits.ts';
import { refuse } from '../http/problem.ts';
import { userWire } from '../domains/domain-wire.ts';
import { type Account, updateAccount } from '../../store/accounts/accounts.ts';
import { deleteWholeAccount } from './account-deletion.ts';
import { createRequestForwarder, passAnswerOn } from './identity-forward.ts';
import { trialAddressHash } from './derived-keys.ts';

const TOKEN_FAILURES: Record<TokenFailure, [code: ProblemCode, detail: string]> = {
  invalid: ['invalid_token', 'Please log in again.'],
  expired: ['invalid_token', 'The login took too long. Log in again.'],
  session_over: ['invalid_token', 'Please log in again.'],
  no_email: [
    'invalid_token',
    'This sign-in did not share an email address, which we need for alerts. Sign in another way.',
  ],
  unreachable: ['identity_unavailable', 'The sign-in service is not responding. Try again in a moment.'],
};

/** Reads the browser's IANA time zone from its header. Returns null if it is missing or unknown. */
const timeZoneOf = (header: string | undefined) =>
  header !== undefined && isTimeZone(header) ? currentZoneName(header) : null;

/** Registers the calls that open a session in exchange for an identity provider's token, and refresh and end sessions. */
export function authRoutes(api: Api, parts: AppParts): void {
  const { store, identity, sessions, secrets, config, clock } = parts;
  const maySignUp = signUpPolicy({ signups: config.signups, secret: secrets.invite, now: () => clock.now() });

  api.on(CALLS.openSession, async ({ c, body, now }) => {
    const verified = await identity.verify(body.token);
    if (!verified.ok) return refuse(...TOKEN_FAILURES[verified.reason]);
    const { claims } = verified;
    // The built-in provider has already applied the sign-up policy, before it created its user.
    const isBuiltIn = claims.provider === BUILT_IN;
    const decision = isBuiltIn
      ? 'allowed'
      : await maySignUp(claims.email, body.invite ?? c.req.header('x-invite'));
    const signIn = {
      issuer: claims.provider,
      subject: claims.subject,
      email: claims.email,
      emailVerified: claims.emailVerified,
      name: body.name || claims.name,
      company: body.company ?? '',
      companyAtSignUp: claims.signUp.company,
      photoUrl: claims.photoUrl,
      timeZone: timeZoneOf(c.req.header('time-zone')),
      trial: claims.signUp.trial ? { addressHash: trialAddressHash(secrets.session, claims.email) } : null,
      inSessionOf: (await sessions.ofEitherCookie(c))?.account.id ?? null,
      now,
    };
    // The sign-up route has already counted sign-ups by password; their address is not verified yet. Count all others
    // here, and only if they create an account, so that the limit never blocks a sign-in to an existing account.
    const wasCounted = isBuiltIn && !claims.emailVerified;
    let opened = await openAccount(store, { ...signIn, mayCreate: decision === 'allowed' && wasCounted });
    if (!opened.ok && opened.code === 'signups_closed' && decision === 'allowed') {
      const limited = await countSignUp(store, { client: c.get('client'), limits: config.limits, now });
      if (limited) return limited;
      opened = await openAccount(store, { ...signIn, mayCreate: true });
    }
    if (!opened.ok && opened.code === 'email_taken')
      return refuse(opened.code, 'This address already has an account that signs in another way.');
    if (!opened.ok && opened.code === 'account_disabled')
      return refuse(opened.code, `This account is disabled. Write to ${config.supportEmail} about it.`);
    if (!opened.ok)
      return refuse(opened.code, OIDC_FAILURES[decision === 'allowed' ? 'signups_closed' : decision]);
    c.header('Cache-Control', 'no-store');
    const sessionId = await sessions.open(c, opened.account, claims.signedInAt ?? now);
    if (sessionId === null) return refuse(...TOKEN_FAILURES.session_over);
    // End the provider's session, because it would outlive a log-out here. If it has already ended, another call used it, or
    // somebody ended all sessions of the account. The session opened above came later, so end it too.
    if (claims.sessionId !== null && !(await identity.endSession(claims.sessionId))) {
      await endSession(store, sessionId);
      sessions.dropCookies(c);
      return refuse(...TOKEN_FAILURES.session_over);
    }
    if (opened.created && !claims.emailVerified) await identity.builtIn?.sendVerification(claims.subject);
    return { data: userWire(opened.account), created: opened.created };
  });

  api.on(CALLS.refreshSession, async ({ c }) => {
    c.header('Cache-Control', 'no-store');
    const session = await sessions.refresh(c);
    if (session === null) return refuse('not_authenticated', 'Please log in again.');
    return { data: userWire(session.account) };
  });

  api.on(CALLS.logOut, async ({ c }) => {
    c.header('Cache-Control', 'no-store');
    await sessions.end(c);
    return { data: null };
  });
}

export function userRoutes(api: Api, parts: AppParts): void {
  const { store, sessions } = parts;
  api.on(CALLS.currentUser, async ({ session }) => ({ data: userWire(session.account) }));

  api.on(CALLS.updateUser, async ({ body, session }) => {
    const change = { fullName: body.full_name, companyName: body.company ?? '' };
    return userAnswer(await updateAccount(store, session.account.id, change));
  });

  api.on(CALLS.setTimeZone, async ({ body, session }) =>
    userAnswer(await updateAccount(store, session.account.id, { timeZone: currentZoneName(body.time_zone) })),
  );

  api.on(CALLS.deleteUser, async ({ c, session, now }) => {
    const refusal = await deleteWholeAccount(parts, session.account, now);
    if (refusal) return refusal;
    sessions.dropCookies(c);
    return { data: null };
  });
}

const userAnswer = (account: Account | null) =>
  account === null ? refuse('not_authenticated', 'Please log in.') : { data: userWire(account) };

/** Registers the calls that start a sign-in with an OpenID provider in a popup and handle the provider's callback. */
export function oidcRoutes(api: Api, parts: AppParts): void {
  const { store, identity, config } = parts;
  if (identity.builtIn === null) return;
  const forward = createRequestForwarder(parts);
  const signedInPage = new URL('/signed-in', config.publicUrl).href;

  api.on(CALLS.oidcStart, async ({ c, body, now }) => {
    if (!config.oidc.some(({ id }) => id === body.provider))
      return refuse('not_found', 'This sign-in method is not available here.');
    const limited = await countChallenge(store, { client: c.get('client'), now });
    if (limited) return limited;
    return passAnswerOn(c, await forward(c, body));
  });

  api.on(CALLS.oidcCallback, async ({ c, params }) => {
    if (!config.oidc.some(({ id }) => id === params.id))
      return refuse('not_found', 'This sign-in method is not available here.');
    const location = (await forward(c)).headers.get('location');
    return c.redirect(location?.startsWith(signedInPage) ? location : `${signedInPage}?error=failed`, 302);
  });
}
