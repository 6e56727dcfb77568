import { passkey } from '@better-auth/passkey';
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth';
import {
  APIError,
  createAuthEndpoint,
  createAuthMiddleware,
  getSessionFromCtx,
  isAPIError,
} from 'better-auth/api';
import { jwt, twoFactor } from 'better-auth/plugins';
import type { Logger } from 'pino';
import type { oidcPlugin } from './oidc.ts';
import { weaknessOf, wordsOf, type PasswordWeakness } from './weak-password.ts';
import { symmetricDecrypt } from 'better-auth/crypto';

export const BASE_PATH = '/api/identity';
export const AUDIENCE = 'certlantern';
const TOKEN_LIFETIME = '5m';
/** Long enough to fetch one ID token, or to change a passkey; the product's own session takes over then. */
const SESSION_SECONDS = 15 * 60;
const KEY_ROTATION_SECONDS = 90 * 86_400;
const KEY_GRACE_SECONDS = 3_600;
const PASSWORD_MIN_LENGTH = 7;

export interface LibrarySettings {
  /** The tables are made by the store's migrations. */
  database: BetterAuthOptions['database'];
  secret: string;
  publicUrl: URL;
  /** What authenticator apps and passkeys call the place. */
  productName: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** How passwords are hashed. Default: the library's scrypt. */
  passwords?: NonNullable<BetterAuthOptions['emailAndPassword']>['password'];
}

/** Codes of refused passwords, beside the library's own. */
export const WEAK_PASSWORD_CODES: Record<PasswordWeakness, string> = {
  known: 'PASSWORD_KNOWN',
  personal: 'PASSWORD_PERSONAL',
};

/** What a stranger sent was no good, and the stranger is told so: nothing for the operator's log. */
const STRANGERS_FAULTS = new Set(['Failed to verify registration', 'Failed to verify authentication']);

/** Two sign-ins of one person at once: `oidc.ts` tries again, and says what stays wrong. */
const LOST_RACES = new Set(['Unable to link account', 'Unable to create OAuth user']);

/** How better-auth is set up. */
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
    // What other providers hand out is of no use here, so it is not kept.
    account: { updateAccountOnSignIn: false },
    // Whoever reads the table cannot use what was mailed. Challenges are bound to a signed cookie besides, and in the
    // clear an account's deletion finds those that belong together.
    verification: { storeIdentifier: { default: 'hashed', overrides: { '2fa-': 'plain' } } },
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
    // What is no answer but a fault goes on to whoever asked, who knows an outage from a bug, and writes it down once.
    onAPIError: {
      onError: (error) => {
        if (!isAPIError(error)) throw error;
      },
    },
    logger: {
      level: 'error',
      log: (level, message) => {
        if (STRANGERS_FAULTS.has(message)) return;
        const isSerious = level === 'error' && !LOST_RACES.has(message);
        (isSerious ? log.error : log.warn).call(log, { identity: message }, 'Identity');
      },
    },
    hooks: { before: refuseWeakPasswords(productName) },
    plugins: [
      jwt({
        disableSettingJwtHeader: true,
        jwks: {
          keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' },
          rotationInterval: KEY_ROTATION_SECONDS,
          gracePeriod: KEY_GRACE_SECONDS,
        },
        adapter: { getJwks: openableKeys },
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
      }),
      twoFactor({
        issuer: productName,
        // The product's own limits, as with passwords.
        accountLockout: { enabled: false },
        // 20 letters and digits are 119 random bits.
        backupCodeOptions: { length: 20 },
      }),
      passkeys(publicUrl, productName),
      callerPlugin,
      openIdProviders,
    ],
  } satisfies BetterAuthOptions;
}

/** A passkey stands for a password and a one-time code, so the device has to make sure of its person each time. */
function passkeys(publicUrl: URL, productName: string) {
  const demand = (userVerified: boolean | undefined) => {
    if (userVerified !== true) throw new APIError('BAD_REQUEST', { code: 'USER_VERIFICATION_NEEDED' });
  };
  return passkey({
    rpID: publicUrl.hostname,
    rpName: productName,
    origin: publicUrl.origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) => demand(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => demand(verification.authenticationInfo.userVerified),
    },
  });
}

function refuseWeakPasswords(productName: string) {
  return createAuthMiddleware(async ({ path, body }) => {
    if (path !== '/sign-up/email') return;
    const { password, email, name } = body as Record<'password' | 'email' | 'name', string>;
    const weakness = await weaknessOf(password, [...wordsOf(email), name, productName]);
    if (weakness !== null)
      throw new APIError('UNPROCESSABLE_ENTITY', { code: WEAK_PASSWORD_CODES[weakness] });
  });
}

type ReadKeys = NonNullable<NonNullable<NonNullable<Parameters<typeof jwt>[0]>['adapter']>['getJwks']>;
type Jwk = NonNullable<Awaited<ReturnType<ReadKeys>>>[number];

/**
 * Returns the signing keys that the current secret can decrypt. Keys encrypted with a lost secret would fail every sign-in; without
 * them the library creates a new one.
 */
const openableKeys: ReadKeys = async ({ context }) => {
  const keys = await context.adapter.findMany<Jwk>({ model: 'jwks' });
  const isOpenable = await Promise.all(
    keys.map(({ privateKey }) =>
      symmetricDecrypt({ key: context.secretConfig, data: String(JSON.parse(privateKey)) }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return keys.filter((_, index) => isOpenable[index]);
};

/**
 * Returns the user id behind the library's cookies: of a session, or of a sign-in that waits for a one-time code. The library only
 * resolves it inside its own routes, but the rate limits on guesses run before those.
 */
const callerPlugin = {
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
