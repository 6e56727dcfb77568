import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from 'jose';

export const PROJECT = 'lantern-test';
const KEY_ID = 'key-of-this-week';

/** `fault` answers 500, `nonsense` answers 200 with another body, `hang_up` breaks the connection. */
export type GoogleBehaviour = 'answer' | 'fault' | 'nonsense' | 'hang_up';

/** A fake of Google's servers for Firebase, over HTTP: signing keys, access tokens for service accounts, users. */
export interface GoogleIdentity {
  endpoints: { keys: string; token: string; users: string };
  serviceAccount: { clientEmail: string; privateKey: string };
  /** Ids of the existing users. */
  users: Set<string>;
  /** How often the keys were requested. */
  readonly keyRequests: number;
  behave(behaviour: GoogleBehaviour): void;
  /** Returns an ID token like Firebase's; `claims` replace the default ones, undefined omits one. */
  idToken(claims?: Record<string, unknown>): Promise<string>;
  /** Returns the public key, which everybody can read, as an attacker would use it. */
  publicJwk(): Promise<object>;
  stop(): Promise<void>;
}

export async function startGoogleIdentity(): Promise<GoogleIdentity> {
  const signing = await generateKeyPair('RS256', { extractable: true });
  const account = await generateKeyPair('RS256', { extractable: true });
  const publicJwk = async () => ({ ...(await exportJWK(signing.publicKey)), kid: KEY_ID, alg: 'RS256' });
  const users = new Set<string>();
  let behaviour: GoogleBehaviour = 'answer';
  let keyRequests = 0;

  const server = createServer((request, response) => {
    if (behaviour === 'hang_up') request.socket.destroy();
    else if (behaviour === 'fault') reply(response, 500, { error: { message: 'INTERNAL' } });
    else if (behaviour === 'nonsense') response.end('<html>Captive portal</html>');
    else void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { keys: `${origin}/jwk`, token: `${origin}/token`, users: `${origin}/` };
  const accessToken = crypto.randomUUID();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`;
    if (call === 'GET /jwk') {
      keyRequests += 1;
      return reply(response, 200, { keys: [{ ...(await publicJwk()), use: 'sig' }] });
    }
    const body = await text(request);
    if (call === 'POST /token') {
      const form = new URLSearchParams(body);
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
        return reply(response, 400, { error: 'unsupported_grant_type' });
      const known = await jwtVerify(form.get('assertion') ?? '', account.publicKey, {
        issuer: 'lantern@lantern-test.iam.gserviceaccount.com',
        audience: endpoints.token,
        requiredClaims: ['iat', 'exp', 'scope'],
      }).catch(() => null);
      if (known === null) return reply(response, 400, { error: 'invalid_grant' });
      return reply(response, 200, { access_token: accessToken, token_type: 'Bearer', expires_in: 3599 });
    }
    if (call !== `POST /v1/projects/${PROJECT}/accounts:delete`) return reply(response, 404, {});
    if (request.headers.authorization !== `Bearer ${accessToken}`)
      return reply(response, 401, { error: { message: 'UNAUTHENTICATED' } });
    const { localId } = JSON.parse(body) as { localId: string };
    if (!users.delete(localId)) return reply(response, 400, { error: { message: 'USER_NOT_FOUND' } });
    reply(response, 200, { kind: 'identitytoolkit#DeleteAccountResponse' });
  }

  return {
    endpoints,
    serviceAccount: {
      clientEmail: 'lantern@lantern-test.iam.gserviceaccount.com',
      privateKey: await exportPKCS8(account.privateKey),
    },
    users,
    get keyRequests() {
      return keyRequests;
    },
    behave(next) {
      behaviour = next;
      // Connections that are kept alive would answer in the old way.
      server.closeAllConnections();
    },
    async idToken(claims = {}) {
      return new SignJWT(firebaseClaims(claims))
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
        .sign(signing.privateKey);
    },
    publicJwk,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the payload of a Firebase ID token as documented. */
export function firebaseClaims(claims: Record<string, unknown> = {}): Record<string, unknown> {
  const seconds = Math.floor(Date.now() / 1000);
  return {
    iss: `https://securetoken.google.com/${PROJECT}`,
    aud: PROJECT,
    sub: 'JxTq3xW1q7Y0bV5nG2rKc9LmPz81',
    user_id: 'JxTq3xW1q7Y0bV5nG2rKc9LmPz81',
    auth_time: seconds - 5,
    iat: seconds - 5,
    exp: seconds + 3_595,
    name: 'Charlie Firebase',
    picture: 'https://lh3.googleusercontent.com/a/photo',
    email: 'Charlie@example.test',
    email_verified: true,
    firebase: { identities: { email: ['Charlie@example.test'] }, sign_in_provider: 'password' },
    ...claims,
  };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
