import { BetterAuthError, type BetterAuthPlugin, generateGenericState, parseGenericState } from 'better-auth';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { handleOAuthUserInfo } from 'better-auth/oauth2';
import { randomNonce, randomPKCECodeVerifier } from 'openid-client';
import { z } from 'zod';
import { type IdentityEvents, IdentityUnavailable } from './identity-provider.ts';
import type { SignUpDecision } from './invite.ts';
import {
  createOidcClient,
  type OidcClientConfig,
  OidcError,
  type OidcProfile,
  sanitizeForLog,
} from './oidc-client.ts';
import { MINUTE_MS, type Monotonic } from '../../../contract/durations.ts';

/** Lifetime of the state of a sign-in, ms. The library's cookie for the state lives as long. */
const STATE_MS = 5 * MINUTE_MS;
const MAX_PICTURE_LENGTH = 2048;

export interface OidcPluginOptions {
  providers: (OidcClientConfig & { id: string })[];
  /** Base URL of the product. Callbacks redirect to its `/signed-in`. */
  publicUrl: URL;
  /** Decides whether a new user may be created. */
  maySignUp(email: string, invite: string | undefined): Promise<SignUpDecision>;
  events: Pick<IdentityEvents, 'addressProven'>;
  log: { warn(context: object, message: string): void };
  /** Clock, ms UTC. */
  now: () => number;
  monotonic: Monotonic;
}

/** Failure codes of a sign-in, defined in `contract/oidc-failure.ts`. */
type Failure =
  | 'cancelled'
  | 'expired'
  | 'unavailable'
  | 'email_missing'
  | 'email_not_verified'
  | 'signups_closed'
  | 'invitation_needed'
  | 'failed';

/** The library's request context. The library does not export this type by name. */
type Context = Parameters<typeof handleOAuthUserInfo>[0];

/**
 * Creates a plugin for OpenID sign-in. The library links accounts, opens sessions and keeps the state (single use, 5 min, bound
 * to the browser by a cookie). We do not use its OpenID plugin, which permanently drops providers that are down at the start.
 */
export function oidcPlugin(options: OidcPluginOptions) {
  const { publicUrl, log } = options;
  const clients = new Map(options.providers.map((config) => [config.id, createOidcClient(config, options)]));
  // Only the failure code depends on the request, so the URL is no open redirect.
  const resultUrl = (failure: Failure | null) =>
    new URL(failure === null ? '/signed-in' : `/signed-in?error=${failure}`, publicUrl).href;

  return {
    id: 'openid-providers',
    endpoints: {
      startOidc: createAuthEndpoint(
        '/sign-in/oauth2',
        {
          method: 'POST',
          body: z.object({
            provider: z.string(),
            invite: z.string().optional(),
            trial: z.boolean().optional(),
          }),
        },
        async (c) => {
          const { provider, invite, trial } = c.body;
          const client = clients.get(provider);
          if (client === undefined) throw new APIError('NOT_FOUND', { code: 'PROVIDER_NOT_FOUND' });
          const flow = {
            redirectUri: redirectUri(c, provider),
            codeVerifier: randomPKCECodeVerifier(),
            nonce: randomNonce(),
          };
          try {
            // Build the provider's URL first, so that an outage leaves no stored state behind.
            const url = await client.authorizationUrl({ ...flow, state: '' });
            const { state } = await generateGenericState(c, {
              callbackURL: resultUrl(null),
              codeVerifier: flow.codeVerifier,
              expiresAt: Date.now() + STATE_MS,
              idTokenNonce: flow.nonce,
              serverContext: { provider, invite, trial },
            });
            url.searchParams.set('state', state);
            return c.json({ url: url.href });
          } catch (error) {
            if (!(error instanceof IdentityUnavailable)) throw error;
            log.warn({ err: error, provider }, 'A sign-in provider does not answer');
            throw new APIError('SERVICE_UNAVAILABLE', { code: 'IDENTITY_UNAVAILABLE' });
          }
        },
      ),

      finishOidc: createAuthEndpoint(
        '/oauth2/callback/:id',
        {
          method: 'GET',
          query: z.object({
            code: z.string().optional(),
            state: z.string().optional(),
            iss: z.string().optional(),
            error: z.string().optional(),
          }),
        },
        async (c) => {
          const client = clients.get(c.params.id);
          throw c.redirect(resultUrl(await finish(c, { id: c.params.id, client, answer: c.query }, options)));
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}

const redirectUri = (c: Context, id: string): string => `${c.context.baseURL}/oauth2/callback/${id}`;

/** Signs in the user who returns from a provider. Returns null on success, otherwise the failure. */
async function finish(
  c: Context,
  {
    id,
    client,
    answer,
  }: {
    id: string;
    client: ReturnType<typeof createOidcClient> | undefined;
    answer: { code?: string; state?: string; iss?: string; error?: string };
  },
  options: OidcPluginOptions,
): Promise<Failure | null> {
  const { log } = options;
  const state = await readState(c, answer.state);
  if (client === undefined || state === null || state.provider !== id) return 'expired';
  const { code, iss, error } = answer;
  if (error === 'access_denied') return 'cancelled';
  if (error !== undefined) {
    log.warn({ provider: id, error: sanitizeForLog(error) }, 'A sign-in provider refused');
    return 'failed';
  }
  if (code === undefined) return 'failed';
  try {
    const { codeVerifier, nonce } = state;
    const flow = { redirectUri: redirectUri(c, id), codeVerifier, nonce };
    const profile = await client.exchange({ ...flow, code, iss });
    return await signIn(c, { provider: id, profile, invite: state.invite, trial: state.trial }, options);
  } catch (refused) {
    if (!(refused instanceof IdentityUnavailable) && !(refused instanceof OidcError)) throw refused;
    log.warn({ err: refused, provider: id }, 'A sign-in with a provider failed');
    return refused instanceof OidcError ? 'failed' : 'unavailable';
  }
}

async function signIn(
  c: Context,
  request: SignInRequest,
  options: OidcPluginOptions,
): Promise<Failure | null> {
  const { provider, profile } = request;
  if (profile.email === null) return 'email_missing';
  if (!profile.emailVerified) return 'email_not_verified';
  const first = await findOrCreateUser(c, request, profile.email, options);
  if (typeof first === 'string') return first;
  // Retry once: most likely the same user signed in at the same time in another window, so the user exists now.
  const result = first.error === null ? first : await findOrCreateUser(c, request, profile.email, options);
  if (typeof result === 'string') return result;
  if (result.error !== null) {
    options.log.warn({ provider, reason: result.error }, 'A sign-in with a provider failed');
    return 'failed';
  }
  await setSessionCookie(c, result.data);
  return null;
}

async function findOrCreateUser(
  c: Context,
  { provider, profile, invite, trial }: SignInRequest,
  email: string,
  options: OidcPluginOptions,
) {
  const { subject, name, picture } = profile;
  const image = picture !== null && isPhotoUrl(picture) ? picture : null;
  const { internalAdapter } = c.context;
  const account = { providerId: provider, accountId: subject };
  const owner = await internalAdapter.findAccountOwnerByKey(account);
  if (owner?.kind !== 'owned') {
    const existing = await internalAdapter.findUserByEmail(email);
    if (existing === null) {
      const decision = await options.maySignUp(email, invite);
      if (decision !== 'allowed') return decision;
    } else if (!existing.user.emailVerified)
      await options.events.addressProven(existing.user.id, { profile: { name, image } });
  }
  // The library's type lacks our own fields, such as `trial`, but the library stores them when it creates the user.
  const userInfo = {
    id: subject,
    email,
    emailVerified: true,
    name,
    ...(image !== null && { image }),
    trial,
  };
  return handleOAuthUserInfo(c, {
    userInfo,
    // Store none of the provider's tokens, because we never call the provider again.
    account,
  });
}

interface SignInRequest {
  provider: string;
  profile: OidcProfile;
  invite: string | undefined;
  trial: boolean;
}

interface State {
  provider: string;
  invite: string | undefined;
  trial: boolean;
  codeVerifier: string;
  nonce: string;
}

/**
 * Reads the state of the sign-in that this browser started. Returns null if it expired, was already used or belongs to another
 * browser.
 */
async function readState(c: Context, state: string | undefined): Promise<State | null> {
  try {
    const { codeVerifier, idTokenNonce: nonce, serverContext } = await parseGenericState(c, state ?? '');
    const { provider, invite, trial } = serverContext ?? {};
    if (typeof provider !== 'string' || nonce === undefined) return null;
    return {
      provider,
      invite: typeof invite === 'string' ? invite : undefined,
      trial: trial === true,
      codeVerifier,
      nonce,
    };
  } catch (error) {
    if (error instanceof BetterAuthError) return null;
    throw error;
  }
}

function isPhotoUrl(value: string): boolean {
  return value.length <= MAX_PICTURE_LENGTH && URL.parse(value)?.protocol === 'https:';
}
