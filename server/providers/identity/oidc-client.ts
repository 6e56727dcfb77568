import * as openid from 'openid-client';
import { z } from 'zod';
import { boundedFetch } from './bounded-fetch.ts';
import { IdentityUnavailable } from './identity-provider.ts';
import { MINUTE_MS, type Monotonic } from '../../../contract/durations.ts';

const SCOPE = 'openid email profile';
const METADATA_CACHE_MS = MINUTE_MS;
const CLOCK_TOLERANCE_SECONDS = 60;
/** The library's error codes for malformed responses, which are neither a result nor a refusal. */
const MALFORMED_RESPONSE_CODES = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

/** Error for a provider that responded, but refused the sign-in or sent invalid sign-in data. */
export class OidcError extends Error {
  override name = 'OidcError';
}

export interface OidcClientConfig {
  /** Issuer URL: https, or http on loopback only. The configuration checks this. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** User profile from the provider. Trust `email` only if `emailVerified` is true. */
export interface OidcProfile {
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  picture: string | null;
}

interface Flow {
  redirectUri: string;
  codeVerifier: string;
  nonce: string;
}

export interface OidcClient {
  /** Returns the URL where the user signs in. @throws IdentityUnavailable */
  authorizationUrl(flow: Flow & { state: string }): Promise<URL>;
  /** Exchanges `code`, returned with `iss` (RFC 9207), for the profile. @throws IdentityUnavailable or OidcError */
  exchange(flow: Flow & { code: string; iss: string | undefined }): Promise<OidcProfile>;
}

/**
 * Creates a client for the authorization code flow with PKCE and nonce (OpenID Connect Core §3.1, RFC 9700). `now` returns ms
 * UTC.
 */
export function createOidcClient(
  config: OidcClientConfig,
  { now, monotonic }: { now: () => number; monotonic: Monotonic },
): OidcClient {
  let cached: { provider: Promise<openid.Configuration>; fetchedAt: number } | null = null;

  /**
   * Returns the provider's metadata. Caches it for only one minute, so that an outage is noticed before a user is redirected to
   * the provider. @throws IdentityUnavailable
   */
  async function currentConfiguration(): Promise<openid.Configuration> {
    if (cached === null || monotonic() - cached.fetchedAt > METADATA_CACHE_MS)
      cached = { provider: discover(config, now()), fetchedAt: monotonic() };
    try {
      return await cached.provider;
    } catch (error) {
      cached = null;
      throw new IdentityUnavailable(`${config.issuer} cannot be reached`, { cause: error });
    }
  }

  return {
    async authorizationUrl({ redirectUri, codeVerifier, nonce, state }) {
      return openid.buildAuthorizationUrl(await currentConfiguration(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },

    async exchange({ code, iss, redirectUri, codeVerifier, nonce }) {
      const provider = await currentConfiguration();
      const callbackUrl = new URL(redirectUri);
      callbackUrl.search = new URLSearchParams({ code, ...(iss !== undefined && { iss }) }).toString();
      try {
        const tokens = await openid.authorizationCodeGrant(provider, callbackUrl, {
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || claims.sub === '' || claims.sub.length > 255)
          throw new OidcError('The ID token has no subject');
        // The library checks `azp` only for tokens with several audiences.
        if (claims['azp'] !== undefined && claims['azp'] !== config.clientId)
          throw new OidcError('The ID token was issued for another client');
        // Some providers return the email address only from the userinfo endpoint.
        if (claims['email'] !== undefined || provider.serverMetadata().userinfo_endpoint === undefined)
          return profileOf(claims);
        const userInfo = await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
        return profileOf({ ...claims, ...userInfo });
      } catch (error) {
        throw toProviderError(error);
      }
    },
  };
}

async function discover(
  { issuer, clientId, clientSecret }: OidcClientConfig,
  now: number,
): Promise<openid.Configuration> {
  const provider = await openid.discovery(
    // Pass the metadata URL: given an issuer, the library accepts users of any tenant from Microsoft's shared issuers.
    new URL(`${withoutSlash(issuer)}/.well-known/openid-configuration`),
    clientId,
    {
      [openid.clockSkew]: Math.round((now - Date.now()) / 1000),
      [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    },
    (server, ...request) => {
      const inForm = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
      const authenticate = inForm ? openid.ClientSecretPost : openid.ClientSecretBasic;
      return authenticate(clientSecret)(server, ...request);
    },
    {
      [openid.customFetch]: fetchFromProvider,
      execute: [
        // Without this the library does not check the signature of ID tokens from the token endpoint. Tokens signed
        // with a shared secret are refused (RFC 8725 §3.1).
        openid.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
  const metadata = provider.serverMetadata();
  // Ignore a trailing slash, because operators may omit it. ID tokens must match the issuer that the provider's metadata
  // names.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw new Error(`${issuer} names another issuer: ${sanitizeForLog(metadata.issuer)}`);
  // Check the endpoint URLs now, because the library checks them only on use, after the user was redirected.
  const url = z.url({ protocol: issuer.startsWith('http:') ? /^https?$/ : /^https$/ });
  z.object({
    authorization_endpoint: url,
    token_endpoint: url,
    jwks_uri: url,
    userinfo_endpoint: url.optional(),
  }).parse(metadata);
  return provider;
}

const fetchFromProvider: openid.CustomFetch = async (url, init) => {
  try {
    return await boundedFetch(url, init as RequestInit);
  } catch (error) {
    throw new IdentityUnavailable(`${new URL(url).origin} does not answer`, { cause: error });
  }
};

/** Maps every library error to IdentityUnavailable or OidcError, because only the provider can cause these errors. */
function toProviderError(error: unknown): IdentityUnavailable | OidcError {
  if (error instanceof OidcError) return error;
  const { cause } = error instanceof openid.ClientError ? error : {};
  if (cause instanceof IdentityUnavailable) return cause;
  if (error instanceof openid.ClientError && MALFORMED_RESPONSE_CODES.includes(error.code ?? ''))
    return new IdentityUnavailable('The provider sent an unusable configuration', { cause: error });
  // Do not set `cause`, because the log would then contain the provider's whole response.
  if (error instanceof openid.ResponseBodyError)
    return new OidcError(`The provider refused: ${sanitizeForLog(JSON.stringify(error.cause))}`);
  return new OidcError('The provider sent an invalid response', { cause: error });
}

function profileOf(claims: openid.IDToken | (openid.UserInfoResponse & { sub: string })): OidcProfile {
  const { sub, email, email_verified: emailVerified, name, picture } = claims;
  return {
    subject: sub,
    email: typeof email === 'string' && email !== '' ? email.toLowerCase() : null,
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : '',
    picture: typeof picture === 'string' ? picture : null,
  };
}

/** Makes untrusted provider text safe for a log line: at most 300 characters of printable ASCII (RFC 6749 §5.2). */
export const sanitizeForLog = (text: string) => text.slice(0, 300).replaceAll(/[^\x20-\x7e]/g, '?');

const withoutSlash = (url: string) => url.replace(/\/$/, '');
