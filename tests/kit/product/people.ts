import type { Page } from '@playwright/test';
import { deepStrictEqual } from 'node:assert/strict';
import type { z } from 'zod';
import type { Call } from '../../../contract/calls/call.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { type Problem, problemSchema } from '../../../contract/problem.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { rawDatabase } from '../databases/raw-database.ts';

/** Sends a request to the product, which is a running server or the app itself. The path starts with `/`. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Returns a `Send` for a product that runs as a process. */
export const sendTo =
  (url: string): Send =>
  (path, init) =>
    fetch(`${url}${path}`, { redirect: 'manual', ...init });

/** Returns a `Send` that works without the browser, but sends the same user agent and time zone as this page. */
export async function sendAs(page: Page, url: string): Promise<Send> {
  const own = await page.evaluate(() => ({
    'user-agent': navigator.userAgent,
    'time-zone': Intl.DateTimeFormat().resolvedOptions().timeZone,
  }));
  const send = sendTo(url);
  return (path, { headers, ...init } = {}) =>
    send(path, { ...init, headers: { ...Object.fromEntries(new Headers(headers)), ...own } });
}

export interface Input {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** Body of the request. A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** An answer that was checked against the contract. */
interface Answer<Body> {
  status: number;
  headers: Headers;
  /** Body of a successful answer. @throws Error if the call was refused. */
  ok: Body;
  /** Problem of a refused call. @throws Error if the call succeeded. */
  problem: Problem;
}

type BodyOf<C extends Call> = C['response'] extends z.ZodType ? z.output<C['response']> : null;

/** A client that keeps cookies like a browser. */
export interface Client {
  ask<C extends Call>(call: C, input?: Input): Promise<Answer<BodyOf<C>>>;
  /** Sends this client's cookies and keeps those of the answer. */
  send: Send;
  cookies: Map<string, { value: string; path: string }>;
}

export interface Person extends Client {
  name: string;
  email: string;
  password: string;
  /** The account's id. */
  id: string;
}

export function createClient(
  send: Send,
  cookies: Client['cookies'] = new Map<string, { value: string; path: string }>(),
): Client {
  const client: Client = {
    cookies,
    async send(path, init = {}) {
      const headers = new Headers(init.headers);
      const cookie = [...cookies]
        .filter(([, { path: under }]) => path.startsWith(under))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; ');
      if (cookie !== '') headers.set('cookie', cookie);
      const response = await send(path, { ...init, headers });
      keepCookies(cookies, response);
      return response;
    },
    async ask(call, { params, query, body, headers } = {}) {
      const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? '');
      const response = await client.send(`/api${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
        method: call.method.toUpperCase(),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return readAnswer(call, response);
    },
  };
  return client;
}

/** Signs a new person up through the built-in identity provider and opens a session. */
export async function signUp(
  send: Send,
  {
    name,
    company,
    email = `${name.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@example.test`,
    password = 'correct horse',
    trial = false,
  }: { name: string; company?: string; email?: string; password?: string; trial?: boolean },
): Promise<Person> {
  const client = createClient(send);
  const signedUp = await client.ask(CALLS.signUp, { body: { name, email, password, trial } });
  const id = signedUp.ok && (await openSession(client, { name, company }));
  return { ...client, name, email, password, id };
}

/** Marks an account's address as verified in the embedded database, while its server runs. */
export async function markVerifiedInDataDir(dataDir: string, accountId: string): Promise<void> {
  const db = rawDatabase({ databaseUrl: null, dataDir });
  await markVerified({ db }, accountId);
  await db.destroy();
}

/** Signs a person in once more, in another browser. */
export async function signIn<Known extends { email: string; password: string }>(
  send: Send,
  person: Known,
): Promise<Known & Client & { id: string }> {
  const client = createClient(send);
  const { email, password } = person;
  const signedIn = await client.ask(CALLS.signIn, { body: { email, password } });
  const id = signedIn.ok && (await openSession(client, {}));
  return { ...person, ...client, id };
}

/** Marks an account's address as verified, as the mailed link does. */
export async function markVerified(store: Pick<Store, 'db'>, accountId: string): Promise<void> {
  await store.db.updateTable('accounts').set({ email_verified: 1 }).where('id', '=', accountId).execute();
}

/** Returns an ID token of the identity that the client has just signed in with. */
export async function identityToken(client: Client): Promise<string> {
  return (await client.ask(CALLS.identityToken)).ok.token;
}

async function openSession(
  client: Client,
  more: { name?: string; company?: string | undefined },
): Promise<string> {
  const opened = await client.ask(CALLS.openSession, {
    body: { token: await identityToken(client), ...more },
  });
  return opened.ok.data.id;
}

async function readAnswer<C extends Call>(call: C, response: Response): Promise<Answer<BodyOf<C>>> {
  const { status, headers } = response;
  // Some calls answer a success with a redirect.
  const carriedOut = response.ok || status === call.status;
  const body: unknown = call.response === null && carriedOut ? null : await response.json();
  if (carriedOut && status !== call.status) throw new Error(`${call.path} answered ${status}`);
  if (carriedOut && call.response !== null) {
    const parsed = call.response.parse(body);
    // The server sends nothing beyond the contract. Only calls of the identity provider may have more fields.
    if (!call.path.startsWith('/identity/')) deepStrictEqual(body, parsed);
  }
  const problem = carriedOut ? null : problemSchema.strict().parse(body);
  return {
    status,
    headers,
    get ok() {
      if (problem) throw new Error(`${call.path}: ${JSON.stringify(problem)}`);
      return body as BodyOf<C>;
    },
    get problem() {
      if (problem === null) throw new Error(`${call.path} was carried out: ${JSON.stringify(body)}`);
      return problem;
    },
  };
}

function keepCookies(cookies: Client['cookies'], response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', ...value] = pair.split('=');
    const attribute = (wanted: string) =>
      attributes.find((each) => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    if (attribute('max-age') === '0') cookies.delete(name);
    else cookies.set(name, { value: value.join('='), path: attribute('path') ?? '/' });
  }
}
