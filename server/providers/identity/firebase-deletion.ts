import { importPKCS8, SignJWT } from 'jose';
import { boundedFetch } from './bounded-fetch.ts';
import { IdentityUnavailable } from './identity-provider.ts';

/** Scopes for deleting users. Google's own server library requests both. */
const SCOPES =
  'https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/identitytoolkit';
const ASSERTION_SECONDS = 600;
/** The emulator accepts this word as an access token of the project's owner. */
const EMULATOR_OWNER = 'owner';

export interface FirebaseDeletionOptions {
  projectId: string;
  serviceAccount: { clientEmail: string; privateKey: string };
  emulated: boolean;
  /** `token`: URL that issues access tokens. `users`: base URL of the API that deletes users. */
  endpoints: { token: URL; users: URL };
  now: () => number;
}

/** Returns a function that deletes a Firebase user. A user who is gone is no error. @throws IdentityUnavailable */
export function createFirebaseDeletion(options: FirebaseDeletionOptions): (subject: string) => Promise<void> {
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

/** Exchanges the service account's credentials for an access token (RFC 7523 §2.1). */
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
