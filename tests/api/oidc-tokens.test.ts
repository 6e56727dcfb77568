import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { freshStore } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const CLIENT = { clientId: 'certlantern', clientSecret: 'a secret that the client shares with its provider' };

/** Starts an OpenID provider that answers as a test wishes. */
async function startLiar() {
  const signing = await generateKeyPair('RS256', { extractable: true });
  const stranger = await generateKeyPair('RS256', { extractable: true });
  const answers = new Map<string, { status?: number; body: unknown }>();
  const server = createServer((request, response) => {
    const { status = 200, body } = answers.get(request.url ?? '') ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json', location: '/token' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    // A wider list in the provider's metadata must not make the server accept unsigned or HMAC-signed tokens.
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  };
  answers.set('/.well-known/openid-configuration', { body: metadata });
  answers.set('/jwks', {
    body: { keys: [{ ...(await exportJWK(signing.publicKey)), kid: 'k', alg: 'RS256' }] },
  });

  const errors: unknown[] = [];
  onTestFinished(() => expect(errors).toEqual([]));
  const log = { info: () => {}, warn: () => {}, error: (entry: unknown) => void errors.push(entry) };
  const api = await startApi(() => freshStore('sqlite'), {
    openId: [{ id: 'acme', name: 'Acme', issuer, ...CLIENT }],
    log,
  });
  const client = createClient(api.send);
  const start = () => client.ask(CALLS.oidcStart, { body: { provider: 'acme' } });

  /** Returns how a sign-in ends if the provider answers with this ID token, made from valid claims. */
  async function endWith(make: (claims: JWTPayload) => Promise<string> | string): Promise<string> {
    const url = new URL((await start()).ok.url);
    const seconds = Math.floor(Date.now() / 1000);
    const idToken = await make({
      iss: issuer,
      aud: CLIENT.clientId,
      sub: 'charlie',
      iat: seconds,
      exp: seconds + 60,
      nonce: url.searchParams.get('nonce') ?? '',
      email: 'charlie@example.test',
      email_verified: true,
    });
    answers.set('/token', {
      body: { id_token: idToken, access_token: 'an access token', token_type: 'Bearer' },
    });
    return finish(url);
  }

  async function finish(url: URL): Promise<string> {
    const state = url.searchParams.get('state') ?? '';
    const response = await client.send(`/api/identity/oauth2/callback/acme?code=c&state=${state}`);
    return /\/signed-in(?:\?error=)?(.*)$/.exec(response.headers.get('location') ?? '')?.[1] || 'done';
  }

  const sign = (claims: JWTPayload, header = {}, key: Parameters<SignJWT['sign']>[0] = signing.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign(key);

  return { answers, metadata, client, start, endWith, finish, sign, signing, stranger };
}

it('Sign-in accepts only ID tokens of this provider, this client and this sign-in', async () => {
  const { endWith, sign, signing, stranger } = await startLiar();
  const past = Math.floor(Date.now() / 1000) - 3_600;
  const publicKey = new TextEncoder().encode(JSON.stringify(await exportJWK(signing.publicKey)));
  const secret = new TextEncoder().encode(CLIENT.clientSecret);
  const lies: Record<string, (claims: JWTPayload) => Promise<string> | string> = {
    'not a token': () => 'x',
    'alg none': (claims) => new UnsecuredJWT(claims).encode(),
    'another key': (claims) => sign(claims, {}, stranger.privateKey),
    'a key of its own': async (claims) =>
      sign(claims, { kid: undefined, jwk: await exportJWK(stranger.publicKey) }, stranger.privateKey),
    'key confusion': (claims) => sign(claims, { alg: 'HS256' }, publicKey),
    'the client’s own secret': (claims) => sign(claims, { alg: 'HS256' }, secret),
    'another issuer': (claims) => sign({ ...claims, iss: 'https://accounts.google.com' }),
    'another audience': (claims) => sign({ ...claims, aud: 'somebody-else' }),
    'several audiences': (claims) => sign({ ...claims, aud: [CLIENT.clientId, 'somebody-else'] }),
    'another party': (claims) => sign({ ...claims, azp: 'somebody-else' }),
    'another nonce': (claims) => sign({ ...claims, nonce: 'of another sign-in' }),
    'no nonce': (claims) => sign({ ...claims, nonce: undefined }),
    expired: (claims) => sign({ ...claims, iat: past, exp: past + 60 }),
    'without end': (claims) => sign({ ...claims, exp: undefined }),
    nobody: (claims) => sign({ ...claims, sub: '' }),
  };
  for (const [name, make] of Object.entries(lies))
    expect([name, await endWith(make)]).toEqual([name, 'failed']);
  for (const verified of ['true', 1, null])
    expect(await endWith((claims) => sign({ ...claims, email_verified: verified }))).toBe(
      'email_not_verified',
    );
  expect(await endWith((claims) => sign({ ...claims, azp: CLIENT.clientId }))).toBe('done');
  promise('id-tokens');
  promise('6.8.2');
  promise('9.1.2');
  promise('9.1.3');
  promise('10.5.1');
  promise('10.5.4');
});

it('Sign-in uses claims of the userinfo endpoint only if their subject matches', async () => {
  const { answers, endWith, sign } = await startLiar();
  const withoutEmail = (claims: JWTPayload) =>
    sign({ ...claims, email: undefined, email_verified: undefined });
  const told = { email: 'charlie@example.test', email_verified: true };
  answers.set('/userinfo', { body: { sub: 'mallory', ...told } });
  expect(await endWith(withoutEmail)).toBe('failed');
  answers.set('/userinfo', { body: told });
  expect(await endWith(withoutEmail)).toBe('failed');
  answers.set('/userinfo', { status: 500, body: {} });
  expect(await endWith(withoutEmail)).toBe('unavailable');
  answers.set('/userinfo', { body: { sub: 'charlie', ...told } });
  expect(await endWith(withoutEmail)).toBe('done');
});

it('Sign-in fails without a crash on any malformed answer of the provider', async () => {
  const { answers, metadata, start, finish, endWith, sign } = await startLiar();
  const keys = answers.get('/jwks') ?? { body: {} };
  for (const [answer, end] of [
    [{ body: '<html>' }, 'unavailable'],
    [{ body: '[]' }, 'failed'],
    [{ body: 'null' }, 'failed'],
    [{ body: {} }, 'failed'],
    [{ body: { id_token: 7 } }, 'failed'],
    [{ status: 400, body: { error: 'invalid_grant' } }, 'failed'],
    [{ status: 302, body: {} }, 'unavailable'],
    [{ status: 503, body: {} }, 'unavailable'],
    [{ body: 'x'.repeat(300_000) }, 'unavailable'],
  ] as const) {
    const url = new URL((await start()).ok.url);
    answers.set('/token', answer);
    expect([answer, await finish(url)]).toEqual([answer, end]);
  }
  answers.set('/jwks', { status: 500, body: {} });
  expect(await endWith((claims) => sign(claims))).toBe('unavailable');
  answers.set('/jwks', keys);
  expect(await endWith((claims) => sign(claims))).toBe('done');

  for (const body of [
    '<html>',
    'null',
    {},
    { ...metadata, issuer: 'https://accounts.google.com' },
    { ...metadata, token_endpoint: 'javascript:alert(1)' },
    { ...metadata, jwks_uri: undefined },
  ]) {
    const { answers: own, start: begin } = await startLiar();
    own.set('/.well-known/openid-configuration', { body });
    expect((await begin()).problem.code).toBe('identity_unavailable');
  }
  const slashed = await startLiar();
  slashed.answers.set('/.well-known/openid-configuration', {
    body: { ...slashed.metadata, issuer: `${slashed.metadata.issuer}/` },
  });
  expect((await slashed.start()).status).toBe(200);
  promise('10.5.3');
});
