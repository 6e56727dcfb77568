import { CALLS } from '../../../contract/calls/calls.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { BUILT_IN } from '../../providers/identity/id-token.ts';
import type { BuiltInActions } from '../../providers/identity/identity-provider.ts';
import { signUpPolicy } from '../../providers/identity/invite.ts';
import type { Api, AppParts } from '../http/api.ts';
import type { AppContext } from '../http/app-env.ts';
import { createRequestForwarder, passAnswerOn, WEAK_PASSWORD } from './identity-forward.ts';
import {
  beginGuess,
  beginPasskeySignIn,
  beginSignIn,
  consumeCode,
  countChallenge,
  countPasswordCheck,
  countReset,
  countSignUp,
  countVerification,
} from './identity-limits.ts';
import { Refusal, refuse } from '../http/problem.ts';
import type { IdentityMethodsWire } from '../../../contract/identity.ts';
import { listSessions } from '../../store/accounts/sessions.ts';
import { listIdentities } from '../../store/accounts/accounts.ts';

/** Registers the built-in provider's routes, with rate limits. Registers nothing if another provider is configured. */
export function identityRoutes(api: Api, parts: AppParts): void {
  const { builtIn } = parts.identity;
  if (builtIn === null) return;
  const forward = createRequestForwarder(parts);
  passwordRoutes(api, parts, forward);
  codeRoutes(api, parts, { builtIn, forward });
  passkeyRoutes(api, parts, forward);
  accountRoutes(api, parts, builtIn);

  api.on(CALLS.signOut, async ({ c }) => passAnswerOn(c, await forward(c, {})));
  for (const call of [CALLS.identityKeys, CALLS.newPasskeyOptions])
    api.on(call, async ({ c }) => passAnswerOn(c, await forward(c)));
  api.on(CALLS.identityToken, async ({ c }) => {
    const response = await forward(c);
    return response.ok ? c.json(await response.json()) : passAnswerOn(c, response);
  });
}

type Forward = ReturnType<typeof createRequestForwarder>;

function passwordRoutes(api: Api, { store, config, secrets, clock }: AppParts, forward: Forward): void {
  const maySignUp = signUpPolicy({ signups: config.signups, secret: secrets.invite, now: () => clock.now() });

  api.on(CALLS.signUp, async ({ c, body, now }) => {
    const limited = await countSignUp(store, { client: c.get('client'), limits: config.limits, now });
    if (limited) return limited;
    const { invite, ...person } = body;
    const decision = await maySignUp(person.email, invite ?? c.req.header('x-invite'));
    if (decision !== 'allowed') return refuse('signups_closed', SIGN_UP_REFUSED[decision]);
    return passAnswerOn(c, await forward(c, person));
  });

  api.on(CALLS.signIn, async ({ c, body, now }) => {
    const attempt = await beginSignIn(store, { email: body.email, client: c.get('client'), now });
    if (attempt instanceof Refusal) return attempt;
    const response = await forward(c, body);
    if (response.ok) await attempt.succeeded();
    return passAnswerOn(c, response);
  });
}

const SIGN_UP_REFUSED = {
  signups_closed: 'New accounts cannot be created here.',
  invitation_needed:
    'Sign-up is by invitation only. Open the link in your invitation, and use the address that was invited.',
};

function codeRoutes(
  api: Api,
  { store }: AppParts,
  { builtIn, forward }: { builtIn: BuiltInActions; forward: Forward },
): void {
  /**
   * Counts a guess at a password or code against the limits of the user in the cookie, then forwards it. Refuses a
   * `singleUseCode` that was sent before.
   */
  async function guess(
    c: AppContext,
    {
      secret,
      body,
      singleUseCode,
      now,
    }: { secret: 'password' | 'code'; body: object; singleUseCode?: string; now: number },
  ): Promise<Response | Refusal> {
    const subject = await builtIn.callerOf(c.req.header('cookie') ?? '');
    if (subject === null) return refuse('not_authenticated', 'Please log in again.');
    const attempt = await beginGuess(store, { secret, subject, client: c.get('client'), now });
    if (attempt instanceof Refusal) return attempt;
    if (singleUseCode !== undefined && !(await consumeCode(store, { subject, code: singleUseCode, now })))
      return refuse('invalid_code', 'This code was already used. Wait for the next one.');
    const response = await forward(c, body);
    if (response.ok) await attempt.succeeded();
    return passAnswerOn(c, response);
  }

  api.on(CALLS.verifyTotp, async ({ c, body, now }) => {
    // Apps show codes in two groups, and people type the space.
    const code = body.code.replaceAll(' ', '');
    return guess(c, { secret: 'code', body: { code }, singleUseCode: code, now });
  });
  // Pass no `singleUseCode`: the library itself invalidates used backup codes.
  api.on(CALLS.verifyBackupCode, async ({ c, body, now }) => guess(c, { secret: 'code', body, now }));
  for (const call of [CALLS.enableTotp, CALLS.disableTotp])
    api.on(call, async ({ c, body, now }) => guess(c, { secret: 'password', body, now }));
}

function passkeyRoutes(api: Api, { store }: AppParts, forward: Forward): void {
  api.on(CALLS.passkeySignInOptions, async ({ c, now }) => {
    const limited = await countChallenge(store, { client: c.get('client'), now });
    return limited ?? passAnswerOn(c, await forward(c));
  });

  api.on(CALLS.passkeySignIn, async ({ c, body, now }) => {
    const attempt = await beginPasskeySignIn(store, { client: c.get('client'), now });
    if (attempt instanceof Refusal) return attempt;
    const response = await forward(c, body);
    if (response.ok) await attempt.succeeded();
    return passAnswerOn(c, response, [
      'invalid_credentials',
      'This passkey was not accepted. Try again, or log in another way.',
    ]);
  });

  api.on(CALLS.addPasskey, async ({ c, body }) =>
    passAnswerOn(c, await forward(c, body), ['invalid_request', 'The passkey was not accepted. Try again.']),
  );

  api.on(CALLS.removePasskey, async ({ c, body }) =>
    passAnswerOn(c, await forward(c, body), ['not_found', 'There is no such passkey.']),
  );
}

const INVALID_LINK = 'This link is no longer valid. Ask for a new one.';
/** Time in ms after a sign-in during which the provider's session can be opened again without another sign-in. */
const RESUMED_MS = 5 * MINUTE_MS;
const NO_METHODS = { password: false, totp: false, passkeys: [], oidc: [] };

/**
 * Registers the calls that list an account's sign-in methods, verify its address and reset its password by mailed
 * links.
 */
function accountRoutes(api: Api, { store, identity }: AppParts, builtIn: BuiltInActions): void {
  /** Returns the id of the account's user at the built-in provider; null if it signed up with another provider. */
  async function subjectOf(accountId: string): Promise<string | null> {
    const identities = await listIdentities(store, accountId);
    return identities.find(({ issuer }) => issuer === BUILT_IN)?.subject ?? null;
  }

  api.on(CALLS.identityMethods, async ({ session }) => {
    const subject = await subjectOf(session.account.id);
    const { password, totp, passkeys, oidc } =
      subject === null ? NO_METHODS : await identity.methods(subject);
    const data: IdentityMethodsWire = {
      provider: BUILT_IN,
      password,
      totp,
      passkeys: passkeys.map(({ id, name, createdAt }) => ({
        id,
        name,
        created_at: new Date(createdAt).toISOString(),
      })),
      oidc,
    };
    return { data };
  });

  api.on(CALLS.resumeIdentity, async ({ c, session: { sessionId, account }, now }) => {
    const open = await listSessions(store, account.id, now);
    const signedInAt = open.find(({ id }) => id === sessionId)?.createdAt ?? 0;
    const subject = now - signedInAt > RESUMED_MS ? null : await subjectOf(account.id);
    const cookies = subject === null ? [] : await builtIn.openSession(subject, signedInAt);
    for (const cookie of cookies) c.header('Set-Cookie', cookie, { append: true });
    return { data: { resumed: cookies.length > 0 } };
  });

  api.on(CALLS.sendVerification, async ({ session, now }) => {
    const limited = await countVerification(store, { accountId: session.account.id, now });
    if (limited) return limited;
    const subject = await subjectOf(session.account.id);
    if (subject !== null) await builtIn.sendVerification(subject);
    return { data: null };
  });

  api.on(CALLS.verifyEmail, async ({ body, session }) => {
    const subject = await subjectOf(session.account.id);
    const verified = subject !== null && (await builtIn.verifyEmail(body.token, subject));
    return verified ? { data: null } : refuse('invalid_token', INVALID_LINK);
  });

  api.on(CALLS.requestPasswordReset, async ({ c, body, now }) => {
    const limited = await countReset(store, { email: body.email, client: c.get('client'), now });
    if (limited) return limited;
    await builtIn.requestPasswordReset(body.email);
    c.header('Cache-Control', 'no-store');
    return { data: null };
  });

  api.on(CALLS.resetPassword, async ({ c, body, now }) => {
    c.header('Cache-Control', 'no-store');
    const limited = await countPasswordCheck(store, { client: c.get('client'), now });
    if (limited) return limited;
    const reset = await builtIn.resetPassword(body.token, body.password);
    if (reset.ok) return { data: null };
    return reset.reason === 'invalid_token'
      ? refuse('invalid_token', INVALID_LINK)
      : refuse(...WEAK_PASSWORD[reset.reason]);
  });
}
