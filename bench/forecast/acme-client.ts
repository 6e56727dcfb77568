import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Agent, request } from 'node:https';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Challenge = { type: string; url: string; token: string };

/** Makes a challenge succeed. Returns a function that removes the response again. */
export type Solve = (challenge: {
  method: 'http-01' | 'dns-01';
  /** Without `*.`. */
  name: string;
  token: string;
  keyAuthorization: string;
}) => Promise<() => Promise<void>>;

export interface AcmeClient {
  /** Orders a certificate. Returns null once it is issued, else why not. */
  order(names: readonly string[], method: 'http-01' | 'dns-01', solve: Solve): Promise<string | null>;
}

interface Answer {
  status: number;
  location: string;
  body: unknown;
}

const POLL_MS = 10;
const TIMEOUT_MS = 60_000;
const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

/**
 * Creates an account (RFC 8555) at the ACME server with this directory. Does not verify the server's certificate. Orders faster than certbot, which
 * takes at least a second for each certificate. `keyFile`: private key of all certificates, PEM.
 */
export async function createAcmeClient(directoryUrl: string, keyFile: string): Promise<AcmeClient> {
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const nonces: string[] = [];
  let account: string | null = null;

  const send = (url: string, method: string, body: string | null): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = body === null ? {} : { 'content-type': 'application/jose+json' };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const sent = request(url, { method, agent, headers, signal }, (response) => {
        const chunks: Buffer[] = [];
        const nonce = response.headers['replay-nonce'];
        if (typeof nonce === 'string') nonces.push(nonce);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type']?.includes('json') === true;
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location ?? '',
            body: isJson ? JSON.parse(text) : text,
          });
        });
      });
      sent.on('error', reject).end(body ?? undefined);
    });
  const directory = (await send(directoryUrl, 'GET', null)).body as Record<string, string>;
  const post = async (url: string, payload: object | null): Promise<Answer> => {
    if (nonces.length === 0) await send(directory['newNonce'] ?? '', 'HEAD', null);
    const key = account === null ? { jwk: { crv, kty, x, y } } : { kid: account };
    const header = base64url(JSON.stringify({ alg: 'ES256', nonce: nonces.pop(), url, ...key }));
    const content = payload === null ? '' : base64url(JSON.stringify(payload));
    const signature = signed(`${header}.${content}`, privateKey);
    const answer = await send(
      url,
      'POST',
      JSON.stringify({ protected: header, payload: content, signature }),
    );
    const isBadNonce = /badNonce/.test(JSON.stringify(answer.body));
    return isBadNonce ? post(url, payload) : answer;
  };
  account = (await post(directory['newAccount'] ?? '', { termsOfServiceAgreed: true })).location;

  /** Waits until the object is no longer in one of these states. */
  const settled = async (url: string, states: readonly string[]): Promise<{ status: string }> => {
    for (;;) {
      const body = (await post(url, null)).body as { status: string };
      if (!states.includes(body.status)) return body;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };

  return {
    async order(names, method, solve) {
      const identifiers = names.map((value) => ({ type: 'dns', value }));
      const order = await post(directory['newOrder'] ?? '', { identifiers });
      const { authorizations, finalize } = order.body as { authorizations?: string[]; finalize: string };
      if (authorizations === undefined) return problemOf(order.body);
      const undo: (() => Promise<void>)[] = [];
      const validate = async (url: string): Promise<string | null> => {
        const { identifier, challenges } = (await post(url, null)).body as {
          identifier: { value: string };
          challenges: Challenge[];
        };
        const challenge = challenges.find(({ type }) => type === method);
        if (challenge === undefined) return `no ${method}`;
        const { token } = challenge;
        const keyAuthorization = `${token}.${thumbprint}`;
        undo.push(await solve({ method, name: identifier.value, token, keyAuthorization }));
        await post(challenge.url, {});
        const done = await settled(url, ['pending', 'processing']);
        return done.status === 'valid' ? null : problemOf(done);
      };
      try {
        // One after the other: with many at once, Pebble 2.4 sometimes stopped answering.
        for (const url of authorizations) {
          const problem = await validate(url);
          if (problem !== null) return problem;
        }
        await post(finalize, { csr: await csrOf(names, keyFile) });
        const { status } = await settled(order.location, ['pending', 'ready', 'processing']);
        return status === 'valid' ? null : `order ${status}`;
      } finally {
        for (const one of undo) await one();
      }
    },
  };
}

function signed(text: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

const problemOf = (body: unknown): string =>
  /"detail":\s*"([^"]*)/.exec(JSON.stringify(body))?.[1] ?? JSON.stringify(body).slice(0, 200);

async function csrOf(names: readonly string[], keyFile: string): Promise<string> {
  const extension = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`;
  const words = ['req', '-new', '-key', keyFile, '-subj', '/', '-addext', extension, '-outform', 'DER'];
  const { stdout } = await run('openssl', words, { encoding: 'buffer' });
  return base64url(stdout);
}
