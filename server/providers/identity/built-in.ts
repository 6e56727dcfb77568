import { getAuthenticatorName } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { BUILT_IN, createTokenVerifier } from './id-token.ts';
import type { IdentityEvents, IdentityMethods, IdentityProvider } from './identity-provider.ts';
import { BASE_PATH, libraryOptions, type LibrarySettings } from './library-options.ts';
import { createMailedLinks } from './mailed-links.ts';
import { oidcPlugin, type OidcPluginOptions } from './oidc.ts';
import type { Monotonic } from '../../../contract/durations.ts';

/** Provider id that the library gives to accounts with a password. */
const PASSWORD_PROVIDER = 'credential';

/**
 * Permitted routes, besides the OpenID callbacks. All other routes of the library are refused, to keep the attack surface small.
 */
const ROUTES = new Set([
  'POST /sign-up/email',
  'POST /sign-in/email',
  'POST /sign-out',
  'GET /token',
  'GET /jwks',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'POST /two-factor/enable',
  'POST /two-factor/disable',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'POST /passkey/delete-passkey',
  'POST /sign-in/oauth2',
]);

const NO_OIDC: Pick<OidcPluginOptions, 'providers' | 'maySignUp'> = {
  providers: [],
  maySignUp: async () => 'signups_closed',
};

export interface BuiltInIdentityOptions extends LibrarySettings {
  events: IdentityEvents;
  /** OpenID providers, and the function that decides who may sign up with them. Default: no providers. */
  oidc?: Pick<OidcPluginOptions, 'providers' | 'maySignUp'>;
  /** Clock for tokens, mailed links and OpenID sign-ins, ms UTC. The library itself uses the system clock. */
  now?: () => number;
  /** Default: `performance.now`. */
  monotonic?: Monotonic;
}

/** Creates the built-in provider: passwords, one-time codes, passkeys and OpenID sign-in, stored in our own database. */
export function createIdentityProvider(options: BuiltInIdentityOptions): IdentityProvider {
  const { publicUrl, productName, events, oidc = NO_OIDC, log, now = Date.now } = options;
  const { monotonic = () => performance.now() } = options;
  const openId = oidcPlugin({ ...oidc, publicUrl, events, log, now, monotonic });
  const auth = betterAuth(libraryOptions(options, openId));
  const routes = new Set([...ROUTES, ...oidc.providers.map(({ id }) => `GET /oauth2/callback/${id}`)]);
  const context = auth.$context;

  return {
    kind: BUILT_IN,

    async handler(request) {
      const path = new URL(request.url).pathname;
      if (!path.startsWith(`${BASE_PATH}/`)) return new Response(null, { status: 404 });
      const route = `${request.method} ${path.slice(BASE_PATH.length)}`;
      if (!routes.has(route)) return new Response(null, { status: 404 });
      const response = await auth.handler(request);
      return route === 'GET /passkey/generate-authenticate-options'
        ? requireUserVerification(response)
        : response;
    },

    verify: createTokenVerifier({ context, keys: () => auth.api.getJwks(), issuer: publicUrl.origin, now }),

    async endSession(sessionId) {
      const { adapter } = await context;
      const where = [{ field: 'id', value: sessionId }];
      return (await adapter.deleteMany({ model: 'session', where })) > 0;
    },

    async methods(subject): Promise<IdentityMethods> {
      const { internalAdapter, adapter } = await context;
      const ofUser = [{ field: 'userId', value: subject }];
      const [accounts, passkeys, totp] = await Promise.all([
        internalAdapter.findAccounts(subject),
        adapter.findMany<PasskeyRow>({ model: 'passkey', where: ofUser }),
        adapter.findOne<{ verified: boolean }>({ model: 'twoFactor', where: ofUser }),
      ]);
      const providers = accounts.map(({ providerId }) => providerId);
      return {
        password: providers.includes(PASSWORD_PROVIDER),
        totp: totp?.verified === true,
        passkeys: passkeys.map(({ id, name, aaguid, createdAt }) => ({
          id,
          name: name || (getAuthenticatorName(aaguid ?? '') ?? 'Passkey'),
          createdAt: new Date(createdAt).getTime(),
        })),
        oidc: providers.filter((provider) => provider !== PASSWORD_PROVIDER),
      };
    },

    // Nothing to do: built-in users are in our own database and are deleted with the account.
    deleteUser: async () => {},

    builtIn: {
      ...createMailedLinks({ context, events, productName, now }),
      openSession: async (userId, signedInAt) =>
        (
          await auth.api.openSession({ body: { userId, signedInAt }, returnHeaders: true })
        ).headers.getSetCookie(),
      callerOf: (cookie) => auth.api.caller({ headers: new Headers({ cookie }) }),
    },
  };
}

interface PasskeyRow {
  id: string;
  name: string | null;
  aaguid: string | null;
  createdAt: Date;
}

/** Sets `userVerification: required` for passkey sign-ins. The library always sets `preferred`. */
async function requireUserVerification(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const options = (await response.json()) as object;
  return new Response(JSON.stringify({ ...options, userVerification: 'required' }), response);
}
