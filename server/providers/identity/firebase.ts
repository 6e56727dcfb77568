import { createFirebaseTokenVerifier } from './firebase-token.ts';
import { type IdentityProvider, IdentityUnavailable } from './identity-provider.ts';
import { importPKCS8, SignJWT } from 'jose';
import { boundedFetch } from './bounded-fetch.ts';
import type { Monotonic } from '../../../contract/durations.ts';

const GOOGLE = {
  keys: 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  token: 'https://oauth2.googleapis.com/token',
  users: 'https://identitytoolkit.googleapis.com/',
};

export interface FirebaseProject {
  projectId: string;
  /** Origin of the Firebase emulator; null for the real service. */
  emulatorUrl: string | null;
  /** Key of a Firebase service account. If set, deleting an account also deletes its Firebase user. */
  serviceAccount: { clientEmail: string; privateKey: string } | null;
}

export interface FirebaseIdentityOptions {
  config: FirebaseProject;
  log: { warn(context: object, message: string): void };
  /** Replacements for Google's URLs, for tests. */
  endpoints?: Partial<typeof GOOGLE>;
  /** Clock, ms UTC. Default: the system clock. */
  now?: () => number;
  /** Default: `performance.now`. */
  monotonic?: Monotonic;
}

/** Creates the Firebase provider. The page signs in with Firebase directly; the server verifies the ID tokens. */
export function createFirebaseIdentity(options: FirebaseIdentityOptions): IdentityProvider {
  const { config, log, now = Date.now, monotonic = () => performance.now() } = options;
  const { projectId, emulatorUrl, serviceAccount } = config;
  const emulated = emulatorUrl !== null;
  const endpoints = { ...GOOGLE, ...options.endpoints };
  const users = emulated ? `${emulatorUrl}/identitytoolkit.googleapis.com/` : endpoints.users;

  return {
    kind: 'firebase',
    builtIn: null,
    handler: async () => new Response(null, { status: 404 }),
    verify: createFirebaseTokenVerifier({
      projectId,
      emulated,
      keysUrl: new URL(endpoints.keys),
      now,
      monotonic,
      log,
    }),
    // Firebase sessions exist only in the browser, so the server cannot end them.
    endSession: async () => false,
    methods: async () => ({ password: false, totp: false, passkeys: [], oidc: [] }),
    deleteUser:
      serviceAccount === null
        ? async () => {}
        : createFirebaseDeletion({
            projectId,
            serviceAccount,
            emulated,
            endpoints: { token: new URL(endpoints.token), users: new URL(users) },
            now,
          }),
  };
}

/** Scopes for deleting users. Google's own server library requests both. */
const SCOPES =
  'https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/identitytoolkit';
const ASSERTION_SECONDS = 600;
/** Access token that the emulator accepts for the project's owner. */
const EMULATOR_OWNER = 'owner';

interface FirebaseDeletionOptions {
  projectId: string;
  serviceAccount: { clientEmail: string; privateKey: string };
  emulated: boolean;
  /** `token`: URL that issues access tokens. `users`: base URL of the API that deletes users. */
  endpoints: { token: URL; users: URL };
  now: () => number;
}

/** Returns a function that deletes a Firebase user. Does nothing if there is no such user. @throws IdentityUnavailable */
function createFirebaseDeletion(options: FirebaseDeletionOptions): (subject: string) => Promise<void> {
  const { projectId, endpoints } = options;

  async function deleteUser(subject: string): Promise<void> {
    const accessToken = options.emulated ? EMULATOR_OWNER : await fetchAccessToken(options);
    const address = new URL(endpoints.users);
    address.pathname += `v1/projects/${encodeURIComponent(projectId)}/accounts:delete`;
    const response = await boundedFetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ localId: subject }),
    });
    if (response.ok) return;
    const { error } = (await response.json()) as { error?: { message?: string } };
    if (error?.message === 'USER_NOT_FOUND') return;
    throw new Error(`Firebase answered ${response.status} ${error?.message ?? ''}`);
  }

  return async (subject) => {
    try {
      await deleteUser(subject);
    } catch (error) {
      throw new IdentityUnavailable('The Firebase user could not be deleted', { cause: error });
    }
  };
}

/** Exchanges the service account's credentials for an access token (RFC 7523 §2.1). @throws Error if Google returns none. */
async function fetchAccessToken(options: FirebaseDeletionOptions): Promise<string> {
  const { serviceAccount, endpoints, now } = options;
  const issuedAt = Math.floor(now() / 1000);
  const assertion = await new SignJWT({ scope: SCOPES })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(serviceAccount.clientEmail)
    .setAudience(endpoints.token.href)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(await importPKCS8(serviceAccount.privateKey, 'RS256'));
  const response = await boundedFetch(endpoints.token, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
  });
  const { access_token: accessToken } = (await response.json()) as { access_token?: unknown };
  if (!response.ok || typeof accessToken !== 'string')
    throw new Error(`${endpoints.token.origin} answered ${response.status} without an access token`);
  return accessToken;
}
