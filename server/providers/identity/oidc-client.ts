import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { boundedFetch } from './bounded-fetch.ts';
import { IdentityUnavailable } from './identity-provider.ts';
import { discover, type OidcMetadata } from './oidc-discovery.ts';
import { createRemoteKeys, KeysUnreachable } from './remote-keys.ts';

const SCOPE = 'openid email profile';
/** Signatures only: a shared secret is no key of the provider's (RFC 8725 §3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const METADATA_MS = 60_000;
const CLOCK_TOLERANCE_SECONDS = 60;

/** The provider answered, but with nothing that anybody can be signed in by. */
export class OidcRefusal extends Error {
  override name = 'OidcRefusal';
}

export interface OidcClientConfig {
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
  let known: { metadata: Promise<OidcMetadata>; askedAt: number } | null = null;
  let keys: { url: string; get: JWTVerifyGetKey } | null = null;

  /** Asked for anew after a minute, so that a provider that is gone shows before anybody is sent there. */
  async function metadata(): Promise<OidcMetadata> {
    if (known === null || now() - known.askedAt > METADATA_MS)
      known = { metadata: discover(config.issuer), askedAt: now() };
    try {
      return await known.metadata;
    } catch (error) {
      known = null;
      throw new IdentityUnavailable(`${config.issuer} cannot be asked`, { cause: error });
    }
  }

  function keysAt(url: string): JWTVerifyGetKey {
    if (keys?.url !== url) keys = { url, get: createRemoteKeys(new URL(url)) };
    return keys.get;
  }

  async function judge(idToken: string, provider: OidcMetadata, nonce: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(idToken, keysAt(provider.jwks_uri), {
      issuer: provider.issuer,
      audience: config.clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp', 'iat'],
      currentDate: new Date(now()),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    if (payload['nonce'] !== nonce) throw new OidcRefusal('The ID token is of another sign-in');
    const party = payload['azp'];
    const forSeveral = Array.isArray(payload.aud) && payload.aud.length > 1;
    if (party !== config.clientId && (party !== undefined || forSeveral))
      throw new OidcRefusal('The ID token was made for somebody else');
    return payload;
  }

  return {
    async authorizationUrl({ redirectUri, codeVerifier, nonce, state }) {
      const url = new URL((await metadata()).authorization_endpoint);
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }))
        url.searchParams.set(name, value);
      return url;
    },

    async exchange({ code, iss, redirectUri, codeVerifier, nonce }) {
      const provider = await metadata();
      if (
        iss === undefined ? provider.authorization_response_iss_parameter_supported : iss !== provider.issuer
      )
        throw new OidcRefusal('The answer is of another provider');
      try {
        const tokens = await askForTokens(provider, config, { code, redirectUri, codeVerifier });
        const payload = await judge(tokens.idToken, provider, nonce);
        const claims =
          payload['email'] === undefined ? await askForUser(provider, tokens.accessToken, payload) : payload;
        return profileOf(claims);
      } catch (error) {
        if (error instanceof KeysUnreachable)
          throw new IdentityUnavailable('An ID token cannot be judged', { cause: error });
        if (error instanceof errors.JOSEError)
          throw new OidcRefusal('The ID token is not valid', { cause: error });
        throw error;
      }
    },
  };
}

async function askForTokens(
  provider: OidcMetadata,
  { clientId, clientSecret }: OidcClientConfig,
  { code, redirectUri, codeVerifier }: { code: string; redirectUri: string; codeVerifier: string },
): Promise<{ idToken: string; accessToken: string | null }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  });
  const headers = new Headers();
  if (provider.token_endpoint_auth_methods_supported.includes('client_secret_post')) {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else {
    const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  const tokens = await askFor(provider.token_endpoint, { method: 'POST', body: form, headers });
  const { id_token: idToken, access_token: accessToken } = tokens;
  if (typeof idToken !== 'string') throw new OidcRefusal('The provider sent no ID token');
  return { idToken, accessToken: typeof accessToken === 'string' ? accessToken : null };
}

/** Some providers tell the address here only. */
async function askForUser(
  provider: OidcMetadata,
  accessToken: string | null,
  payload: JWTPayload,
): Promise<JWTPayload> {
  if (provider.userinfo_endpoint === undefined || accessToken === null) return payload;
  const claims = await askFor(provider.userinfo_endpoint, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  // OpenID Connect Core §5.3.2: else it may be about anybody.
  if (claims['sub'] !== payload.sub) throw new OidcRefusal('The provider spoke of somebody else');
  return { ...payload, ...claims };
}

/** @throws IdentityUnavailable where nothing sensible comes back, OidcRefusal where it is a refusal. */
async function askFor(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  let response: Response;
  let body: unknown;
  try {
    response = await boundedFetch(url, init);
    body = await response.json();
  } catch (error) {
    throw new IdentityUnavailable(`${new URL(url).origin} does not answer`, { cause: error });
  }
  if (response.status >= 500) throw new IdentityUnavailable(`${url} answered ${response.status}`);
  if (!response.ok || typeof body !== 'object' || body === null)
    throw new OidcRefusal(`${url} answered ${response.status} ${JSON.stringify(body).slice(0, 500)}`);
  return body as Record<string, unknown>;
}

function profileOf(claims: JWTPayload): OidcProfile {
  const { sub, email, email_verified: emailVerified, name, picture } = claims;
  if (sub === undefined || sub === '' || sub.length > 255) throw new OidcRefusal('The ID token is of nobody');
  return {
    subject: sub,
    email: typeof email === 'string' && email !== '' ? email.toLowerCase() : null,
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : '',
    picture: typeof picture === 'string' ? picture : null,
  };
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. */
const formEncoded = (value: string) => new URLSearchParams({ v: value }).toString().slice('v='.length);
