import { passkey } from '@better-auth/passkey';
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth';
import {
  APIError,
  createAuthEndpoint,
  createAuthMiddleware,
  getSessionFromCtx,
  isAPIError,
} from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { jwt } from 'better-auth/plugins/jwt';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Logger } from 'pino';
import type { oidcPlugin } from './oidc.ts';
import { emailWords, passwordWeakness, type PasswordWeakness } from './weak-password.ts';
import { symmetricDecrypt } from 'better-auth/crypto';
import { z } from 'zod';

export const BASE_PATH = '/api/identity';
export const AUDIENCE = 'certlantern';
const TOKEN_LIFETIME = '5m';
/**
 * Lifetime of a library session in seconds: enough to fetch one ID token, or to change passkeys or one-time codes. All other
 * requests use the product's own session.
 */
const SESSION_SECONDS = 15 * 60;
const KEY_ROTATION_SECONDS = 90 * 86_400;
const KEY_GRACE_SECONDS = 3_600;
const PASSWORD_MIN_LENGTH = 7;

export interface LibrarySettings {
  /** Database whose tables the store's migrations create. */
  database: BetterAuthOptions['database'];
  secret: string;
  publicUrl: URL;
  /** Name shown in authenticator apps and passkey dialogs. Passwords must not consist of it. */
  productName: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Functions that hash and verify passwords. Default: the library's scrypt. */
  passwords?: NonNullable<BetterAuthOptions['emailAndPassword']>['password'];
}

/** Error codes for refused passwords, in addition to the library's own. */
export const WEAK_PASSWORD_CODES: Record<PasswordWeakness, string> = {
  known: 'PASSWORD_KNOWN',
  personal: 'PASSWORD_PERSONAL',
};

/** Library errors caused by invalid client input. The client gets an error, so the operator's log needs no entry. */
const CLIENT_ERRORS = new Set(['Failed to verify registration', 'Failed to verify authentication']);

/** Library errors caused by two parallel sign-ins of one user. They are logged as warnings, because `oidc.ts` retries once. */
const RACE_ERRORS = new Set(['Unable to link account', 'Unable to create OAuth user']);

/** Returns the options for better-auth. */
export function libraryOptions(
  { database, secret, publicUrl, productName, log, passwords }: LibrarySettings,
  openIdProviders: ReturnType<typeof oidcPlugin>,
) {
  return {
    appName: productName,
    database,
    secret,
    baseURL: publicUrl.origin,
    basePath: BASE_PATH,
    trustedOrigins: [publicUrl.origin],
    telemetry: { enabled: false },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_MIN_LENGTH,
      ...(passwords && { password: passwords }),
    },
    user: {
      additionalFields: {
        company: { type: 'string', required: false },
        trial: { type: 'boolean', required: false },
      },
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    // We do not use the tokens of other providers, so do not store them.
    account: { updateAccountOnSignIn: false },
    // Hash the identifiers, so that a leaked table contains no usable mail links. Two-factor challenges stay plain text,
    // because a signed cookie protects them and deleting an account must find them.
    verification: { storeIdentifier: { default: 'hashed', overrides: { '2fa-': 'plain' } } },
    // The product has its own limits by account, IP address and IP prefix, on its own clock. The library limits by IP
    // address only.
    rateLimit: { enabled: false },
    advanced: {
      // The API has already checked the origin more strictly. The library would accept `same-site`, and would refuse
      // programs that send its cookie without an Origin header.
      disableCSRFCheck: true,
      cookiePrefix: 'certlantern-identity',
      useSecureCookies: publicUrl.protocol === 'https:',
      defaultCookieAttributes: { path: BASE_PATH, httpOnly: true, sameSite: 'lax' },
      ipAddress: { disableIpTracking: true },
    },
    // Rethrow unexpected errors, because the caller distinguishes outages from bugs and logs them once.
    onAPIError: {
      onError: (error) => {
        if (!isAPIError(error)) throw error;
      },
    },
    logger: {
      level: 'error',
      log: (level, message) => {
        if (CLIENT_ERRORS.has(message)) return;
        const isSerious = level === 'error' && !RACE_ERRORS.has(message);
        (isSerious ? log.error : log.warn).call(log, { identity: message }, 'Identity');
      },
    },
    hooks: { before: refuseWeakPasswords(productName) },
    plugins: [
      idTokens(publicUrl),
      twoFactor({
        issuer: productName,
        // Turn off the library's lockout: the product's own rate limits apply, as for passwords.
        accountLockout: { enabled: false },
        // 20 letters and digits have 119 bits of entropy.
        backupCodeOptions: { length: 20 },
      }),
      passkeys(publicUrl, productName),
      sessionPlugin,
      openIdProviders,
    ],
  } satisfies BetterAuthOptions;
}

/** Configures the ID tokens, which the product exchanges for its own session, and the keys that sign them. */
function idTokens(publicUrl: URL) {
  return jwt({
    disableSettingJwtHeader: true,
    jwks: {
      keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' },
      rotationInterval: KEY_ROTATION_SECONDS,
      gracePeriod: KEY_GRACE_SECONDS,
    },
    adapter: { getJwks: decryptableKeys },
    jwt: {
      issuer: publicUrl.origin,
      audience: AUDIENCE,
      expirationTime: TOKEN_LIFETIME,
      definePayload: ({ user, session }) => ({
        email: user.email,
        email_verified: user.emailVerified,
        name: user.name,
        picture: user.image,
        company: user.company,
        trial: user.trial,
        sid: session.id,
      }),
    },
  });
}

/** Configures passkeys. A passkey replaces password and one-time code, so the device must verify its user every time. */
function passkeys(publicUrl: URL, productName: string) {
  const requireVerified = (userVerified: boolean | undefined) => {
    if (userVerified !== true) throw new APIError('BAD_REQUEST', { code: 'USER_VERIFICATION_NEEDED' });
  };
  return passkey({
    rpID: publicUrl.hostname,
    rpName: productName,
    origin: publicUrl.origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) => requireVerified(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => requireVerified(verification.authenticationInfo.userVerified),
    },
  });
}

function refuseWeakPasswords(productName: string) {
  return createAuthMiddleware(async ({ path, body }) => {
    if (path !== '/sign-up/email') return;
    const { password, email, name } = body as Record<'password' | 'email' | 'name', string>;
    const weakness = await passwordWeakness(password, [...emailWords(email), name, productName]);
    if (weakness !== null)
      throw new APIError('UNPROCESSABLE_ENTITY', { code: WEAK_PASSWORD_CODES[weakness] });
  });
}

type ReadKeys = NonNullable<NonNullable<NonNullable<Parameters<typeof jwt>[0]>['adapter']>['getJwks']>;
type Jwk = NonNullable<Awaited<ReturnType<ReadKeys>>>[number];

/**
 * Returns the signing keys that the current secret can decrypt. Other keys, encrypted with a lost secret, would make every
 * sign-in fail; without them the library creates a new key.
 */
const decryptableKeys: ReadKeys = async ({ context }) => {
  const keys = await context.adapter.findMany<Jwk>({ model: 'jwks' });
  const isDecryptable = await Promise.all(
    keys.map(({ privateKey }) =>
      symmetricDecrypt({ key: context.secretConfig, data: String(JSON.parse(privateKey)) }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return keys.filter((_, index) => isDecryptable[index]);
};

/** Endpoints that only the server calls. */
const sessionPlugin = {
  id: 'sessions',
  endpoints: {
    /**
     * Opens a session for a user and sets its cookies. Its `createdAt` is `signedInAt`, so that it does not count as a new
     * sign-in. Does nothing if the user is unknown.
     */
    openSession: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ userId: z.string(), signedInAt: z.number() }) },
      async (c): Promise<null> => {
        const { internalAdapter } = c.context;
        const user = await internalAdapter.findUserById(c.body.userId);
        if (user === null) return null;
        const own = { createdAt: new Date(c.body.signedInAt) };
        const session = await internalAdapter.createSession(user.id, false, own, true);
        await setSessionCookie(c, { user, session });
        return null;
      },
    ),
    /**
     * Returns the user id from the library's cookies: of the session, or of a sign-in that waits for a one-time code; null if
     * there is neither. Our rate limits on guesses need it before they call the library's routes.
     */
    caller: createAuthEndpoint.serverOnly(
      { method: 'GET', requireHeaders: true },
      async (c): Promise<string | null> => {
        const signedIn = await getSessionFromCtx(c);
        if (signedIn) return signedIn.user.id;
        const { name } = c.context.createAuthCookie('two_factor');
        const challenge = await c.getSignedCookie(name, c.context.secret);
        if (!challenge) return null;
        const verification = await c.context.internalAdapter.findVerificationValue(challenge);
        return verification?.value ?? null;
      },
    ),
  },
} satisfies BetterAuthPlugin;
