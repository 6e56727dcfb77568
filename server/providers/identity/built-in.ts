import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { jwt } from 'better-auth/plugins';
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { IdentityClaims, IdentityProvider, TokenRefusal } from './identity-provider.ts';

const PROVIDER = 'built-in';
/** What the library calls a password. */
const PASSWORD_PROVIDER = 'credential';
const BASE_PATH = '/api/identity';
const AUDIENCE = 'certlantern';
const TOKEN_LIFETIME = '5m';
/** Long enough to fetch one ID token; the product's own session takes over then. */
const SESSION_SECONDS = 15 * 60;
const KEY_ROTATION_SECONDS = 90 * 86_400;
const KEY_GRACE_SECONDS = 3_600;
const PASSWORD_MIN_LENGTH = 7;

/** The library has far more routes than the product needs; each one more is one more way in. */
const ROUTES = new Set([
  'POST /sign-up/email',
  'POST /sign-in/email',
  'POST /sign-out',
  'GET /token',
  'GET /jwks',
]);

export interface BuiltInIdentityOptions {
  /** The tables are made by the store's migrations. */
  database: BetterAuthOptions['database'];
  secret: string;
  publicUrl: URL;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Only for judging tokens; the library that issues them reads the machine's clock. */
  now?: () => number;
}

/** Email and password, kept in the product's own database. */
export function createIdentityProvider(options: BuiltInIdentityOptions): IdentityProvider {
  const { publicUrl, now = Date.now } = options;
  const auth = betterAuth(libraryOptions(options));

  return {
    kind: 'built-in',
    builtIn: null,

    async handler(request) {
      const path = new URL(request.url).pathname;
      if (!path.startsWith(`${BASE_PATH}/`)) return new Response(null, { status: 404 });
      const route = `${request.method} ${path.slice(BASE_PATH.length)}`;
      return ROUTES.has(route) ? auth.handler(request) : new Response(null, { status: 404 });
    },

    async verify(token) {
      const keys = createLocalJWKSet(await auth.api.getJwks());
      const verified = await jwtVerify(token, keys, {
        issuer: publicUrl.origin,
        audience: AUDIENCE,
        // The list stops `none` and keys taken for what they are not (RFC 8725 §3.1).
        algorithms: ['EdDSA'],
        requiredClaims: ['sub', 'exp', 'iat'],
        currentDate: new Date(now()),
      }).then((result) => result.payload, refusalOf);
      if (typeof verified === 'string') return { ok: false, reason: verified };
      const claims = readClaims(verified);
      if (claims === null) return { ok: false, reason: 'invalid' };
      // A token outlives its person by minutes: without this look it would bring a deleted account back.
      const { internalAdapter } = await auth.$context;
      const person = await internalAdapter.findUserById(claims.subject);
      return person === null ? { ok: false, reason: 'unknown_user' } : { ok: true, claims };
    },

    async endSession(sessionId) {
      const { adapter } = await auth.$context;
      const where = [{ field: 'id', value: sessionId }];
      return (await adapter.deleteMany({ model: 'session', where })) > 0;
    },

    async methods(subject) {
      const { internalAdapter } = await auth.$context;
      const providers = (await internalAdapter.findAccounts(subject)).map(({ providerId }) => providerId);
      return {
        password: providers.includes(PASSWORD_PROVIDER),
        totp: false,
        passkeys: [],
        oidc: providers.filter((provider) => provider !== PASSWORD_PROVIDER),
      };
    },

    // Its users are in the product's own database, and go with the account.
    deleteUser: async () => {},
  };
}

function libraryOptions(options: BuiltInIdentityOptions) {
  const { publicUrl, log } = options;
  return {
    appName: AUDIENCE,
    database: options.database,
    secret: options.secret,
    baseURL: publicUrl.origin,
    basePath: BASE_PATH,
    trustedOrigins: [publicUrl.origin],
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true, minPasswordLength: PASSWORD_MIN_LENGTH },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // Limits are the product's own: by account, address and prefix, on its clock. The library knows addresses only.
    rateLimit: { enabled: false },
    advanced: {
      // Checked before a request comes here, more strictly: the library lets `same-site` pass and refuses
      // programs without an Origin as soon as they send its cookie.
      disableCSRFCheck: true,
      cookiePrefix: 'certlantern-identity',
      useSecureCookies: publicUrl.protocol === 'https:',
      defaultCookieAttributes: { path: BASE_PATH, httpOnly: true, sameSite: 'lax' },
      ipAddress: { disableIpTracking: true },
    },
    logger: {
      level: 'error',
      log: (level, message) =>
        (level === 'error' ? log.error : log.warn).call(log, { identity: message }, 'Identity'),
    },
    plugins: [
      jwt({
        disableSettingJwtHeader: true,
        jwks: {
          keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' },
          rotationInterval: KEY_ROTATION_SECONDS,
          gracePeriod: KEY_GRACE_SECONDS,
        },
        jwt: {
          issuer: publicUrl.origin,
          audience: AUDIENCE,
          expirationTime: TOKEN_LIFETIME,
          definePayload: ({ user, session }) => ({
            email: user.email,
            email_verified: user.emailVerified,
            name: user.name,
            sid: session.id,
          }),
        },
      }),
    ],
  } satisfies BetterAuthOptions;
}

function refusalOf(error: unknown): TokenRefusal {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JOSEError) return 'invalid';
  throw error;
}

function readClaims(payload: Record<string, unknown>): IdentityClaims | null {
  const { sub, email, email_verified: emailVerified, name, sid } = payload;
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof sid !== 'string') return null;
  return {
    provider: PROVIDER,
    subject: sub,
    email: email.toLowerCase(),
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : '',
    photoUrl: null,
    sessionId: sid,
  };
}
