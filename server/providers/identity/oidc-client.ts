import * as openid from 'openid-client';
import { z } from 'zod';
import { boundedFetch } from './bounded-fetch.ts';
import { IdentityUnavailable } from './identity-provider.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const SCOPE = 'openid email profile';
const METADATA_MS = MINUTE_MS;
const CLOCK_TOLERANCE_SECONDS = 60;
/** The library's codes for answers that say nothing: neither what was asked for, nor a refusal. */
const SAYS_NOTHING = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'];

/** The provider answered, but with nothing that anybody can be signed in by. */
export class OidcRefusal extends Error {
  override name = 'OidcRefusal';
}

export interface OidcClientConfig {
  /** https; http on loopback only, which is up to the configuration. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What a provider says of a person; unverified until `emailVerified` says otherwise. */
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
  /** Where to send somebody. @throws IdentityUnavailable */
  authorizationUrl(flow: Flow & { state: string }): Promise<URL>;
  /** Who came back with `code`, and `iss` (RFC 9207). @throws IdentityUnavailable or OidcRefusal */
  exchange(flow: Flow & { code: string; iss: string | undefined }): Promise<OidcProfile>;
}

/** The authorization code flow with PKCE and nonce (OpenID Connect Core §3.1, RFC 9700). `now` is in ms UTC. */
export function createOidcClient(config: OidcClientConfig, now: () => number): OidcClient {
  let known: { provider: Promise<openid.Configuration>; askedAt: number } | null = null;

  /** Asked for anew after a minute, so that a provider that is gone shows before anybody is sent there. */
  async function discovered(): Promise<openid.Configuration> {
    if (known === null || now() - known.askedAt > METADATA_MS)
      known = { provider: discover(config, now()), askedAt: now() };
    try {
      return await known.provider;
    } catch (error) {
      known = null;
      throw new IdentityUnavailable(`${config.issuer} cannot be asked`, { cause: error });
    }
  }

  return {
    async authorizationUrl({ redirectUri, codeVerifier, nonce, state }) {
      return openid.buildAuthorizationUrl(await discovered(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },

    async exchange({ code, iss, redirectUri, codeVerifier, nonce }) {
      const provider = await discovered();
      const answer = new URL(redirectUri);
      answer.search = new URLSearchParams({ code, ...(iss !== undefined && { iss }) }).toString();
      try {
        const tokens = await openid.authorizationCodeGrant(provider, answer, {
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || claims.sub === '' || claims.sub.length > 255)
          throw new OidcRefusal('The ID token is of nobody');
        // The library asks for whom a token was made only where it has several audiences.
        if (claims['azp'] !== undefined && claims['azp'] !== config.clientId)
          throw new OidcRefusal('The ID token was made for somebody else');
        // Some providers tell the address at the userinfo endpoint only.
        if (claims['email'] !== undefined || provider.serverMetadata().userinfo_endpoint === undefined)
          return profileOf(claims);
        const told = await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
        return profileOf({ ...claims, ...told });
      } catch (error) {
        throw verdictOn(error);
      }
    },
  };
}

async function discover(
  { issuer, clientId, clientSecret }: OidcClientConfig,
  now: number,
): Promise<openid.Configuration> {
  const provider = await openid.discovery(
    // The whole address: given an issuer, the library lets Microsoft's shared ones vouch for the people of any tenant.
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
      [openid.customFetch]: ask,
      execute: [
        // Else the library takes an ID token from the token endpoint without looking at its signature. Those made with
        // a shared secret are refused (RFC 8725 §3.1).
        openid.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
  const metadata = provider.serverMetadata();
  // Operators write the slash at the end or leave it out; ID tokens are held to what the provider itself says.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw new Error(`${issuer} calls itself ${quotable(metadata.issuer)}`);
  // The library looks at an address when it goes there, which is too late to tell before somebody is sent away.
  const address = z.url({ protocol: issuer.startsWith('http:') ? /^https?$/ : /^https$/ });
  z.object({
    authorization_endpoint: address,
    token_endpoint: address,
    jwks_uri: address,
    userinfo_endpoint: address.optional(),
  }).parse(metadata);
  return provider;
}

const ask: openid.CustomFetch = async (url, init) => {
  try {
    return await boundedFetch(url, init as RequestInit);
  } catch (error) {
    throw new IdentityUnavailable(`${new URL(url).origin} does not answer`, { cause: error });
  }
};

/** Whatever the library stumbles over is the provider's doing. */
function verdictOn(error: unknown): IdentityUnavailable | OidcRefusal {
  if (error instanceof OidcRefusal) return error;
  const { cause } = error instanceof openid.ClientError ? error : {};
  if (cause instanceof IdentityUnavailable) return cause;
  if (error instanceof openid.ClientError && SAYS_NOTHING.includes(error.code ?? ''))
    return new IdentityUnavailable('The provider does not make sense', { cause: error });
  // Not as the cause, because of that everything would be written to the log.
  if (error instanceof openid.ResponseBodyError)
    return new OidcRefusal(`The provider refused: ${quotable(JSON.stringify(error.cause))}`);
  return new OidcRefusal('What the provider sent is not valid', { cause: error });
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

/** Makes words of a provider, or of whoever speaks for one, fit for a line of the log: 300 characters of printable ASCII (RFC 6749 §5.2). */
export const quotable = (text: string) => text.slice(0, 300).replaceAll(/[^\x20-\x7e]/g, '?');

const withoutSlash = (url: string) => url.replace(/\/$/, '');
