import { CALLS } from '../../../contract/calls/calls.ts';
import type { IdentityMethodsWire } from '../../../contract/identity.ts';
import { BUILT_IN, type BuiltInActions } from '../../providers/identity/index.ts';
import { identitiesOf } from '../../store/accounts/accounts.ts';
import type { Api, AppParts } from '../http/api.ts';
import { WEAK_PASSWORD } from './identity-forward.ts';
import { countReset, countVerification } from './identity-limits.ts';
import { refuse } from '../http/problem.ts';

const INVALID_LINK = 'This link is not good any more. Ask for a new one.';

/** Lists an account's sign-in methods, verifies its address and resets its password by mailed links. */
export function identityAccountRoutes(
  api: Api,
  { store, identity }: AppParts,
  builtIn: BuiltInActions,
): void {
  /** Returns the account's user at the built-in provider; null if it signed up through an earlier provider. */
  async function subjectOf(accountId: string): Promise<string | null> {
    const identities = await identitiesOf(store, accountId);
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

  api.on(CALLS.resetPassword, async ({ c, body }) => {
    c.header('Cache-Control', 'no-store');
    const reset = await builtIn.resetPassword(body.token, body.password);
    if (reset.ok) return { data: null };
    return reset.reason === 'invalid_token'
      ? refuse('invalid_token', INVALID_LINK)
      : refuse(...WEAK_PASSWORD[reset.reason]);
  });
}

const NO_METHODS = { password: false, totp: false, passkeys: [], oidc: [] };
