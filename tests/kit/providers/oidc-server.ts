import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { createClient } from '../product/people.ts';

export const OIDC_CLIENT = { clientId: 'certlantern', clientSecret: 'a secret & more: 50%+' };

/** Somebody with an account at the provider; the id is the login name there. */
export interface OidcUser {
  email?: string;
  email_verified?: boolean;
  name?: string;
  picture?: string;
}

/** A real OpenID provider on loopback, with a login page. */
export interface OidcServer {
  issuer: string;
  users: Map<string, OidcUser>;
  /** How often the provider's metadata was requested. */
  readonly discoveries: number;
  /** Goes through the provider's pages like a user, and returns the callback address. With null, cancels the sign-in. */
  logIn(authorizationUrl: string, user: string | null): Promise<URL>;
  /** Stops listening and breaks every connection. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface OidcServerOptions {
  redirectUris: string[];
  /** Where the provider sends the email address. */
  claimsIn?: 'id_token' | 'userinfo';
  authMethod?: 'client_secret_basic' | 'client_secret_post';
}

export async function startOidcServer(options: OidcServerOptions): Promise<OidcServer> {
  const { redirectUris, claimsIn = 'id_token', authMethod = 'client_secret_post' } = options;
  const users = new Map<string, OidcUser>();
  const signing = await generateKeyPair('RS256', { extractable: true });
  let discoveries = 0;
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
  let server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;

  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...(await exportJWK(signing.privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['key of the cookies of the provider'] },
    clients: [
      {
        client_id: OIDC_CLIENT.clientId,
        client_secret: OIDC_CLIENT.clientSecret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    // By the specification, the claims of a scope are only available at the userinfo endpoint.
    conformIdTokenClaims: claimsIn === 'userinfo',
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/log-in/${uid}` },
    ttl: { Grant: 600, Interaction: 600, Session: 600, IdToken: 600, AccessToken: 600 },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...users.get(id) }) }),
    renderError: (ctx, out) => void (ctx.body = JSON.stringify(out)),
  });

  const answer = provider.callback();
  handle = (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/openid-configuration') discoveries += 1;
    if (!url.pathname.startsWith('/log-in/')) void answer(request, response);
    else if (url.searchParams.size === 0) logInPage(response, users.keys());
    else void finish(request, response, url.searchParams.get('as'));
  };

  async function finish(request: IncomingMessage, response: ServerResponse, as: string | null) {
    const result =
      as === null || !users.has(as)
        ? { error: 'access_denied', error_description: 'The user cancelled' }
        : { login: { accountId: as, remember: false } };
    await provider.interactionFinished(request, response, result);
  }

  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    issuer,
    users,
    get discoveries() {
      return discoveries;
    },
    async logIn(authorizationUrl, user) {
      const browser = createClient((path, init) =>
        fetch(`${issuer}${path}`, { redirect: 'manual', ...init }),
      );
      let next = new URL(authorizationUrl);
      while (next.origin === issuer) {
        if (next.pathname.startsWith('/log-in/')) next.searchParams.set('as', user ?? 'cancel');
        const response = await browser.send(`${next.pathname}${next.search}`);
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`${next.pathname} answered ${response.status} ${await response.text()}`);
        next = new URL(location, issuer);
      }
      return next;
    },
    down: close,
    async up() {
      server = createServer((request, response) => handle(request, response)).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    stop: () => (server.listening ? close() : Promise.resolve()),
  };
}

function logInPage(response: ServerResponse, users: Iterable<string>): void {
  const buttons = [...users, 'cancel'].map((name) => `<button name="as" value="${name}">${name}</button>`);
  response.setHeader('content-type', 'text/html').end(`<!doctype html><form>${buttons.join('')}</form>`);
}

/** Keeps all data of the provider in memory. */
function createMemoryAdapter(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>();
  return (model) => {
    const find = (matches: (payload: AdapterPayload) => boolean) =>
      [...rows].find(([key, payload]) => key.startsWith(`${model}:`) && matches(payload))?.[1];
    return {
      upsert: async (id, payload) => void rows.set(`${model}:${id}`, payload),
      find: async (id) => rows.get(`${model}:${id}`),
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode),
      async consume(id) {
        const payload = rows.get(`${model}:${id}`);
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void rows.delete(`${model}:${id}`),
      async revokeByGrantId(grantId) {
        for (const [key, payload] of rows) if (payload.grantId === grantId) rows.delete(key);
      },
    };
  };
}
