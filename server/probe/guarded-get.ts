import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';

import { openConnection, within } from '../egress/index.ts';
import type { AddressPolicy, Resolver } from '../egress/index.ts';
import { modernContext } from './tls-contexts.ts';

export interface GuardedGetOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Ends everything that is under way; the deadline of the whole is the caller's. */
  signal: AbortSignal;
  /** Ports that may be asked, wherever links and redirects lead. */
  ports: readonly number[];
  /** Of the body. A longer one is cut, or refused where it is of no use without its end. */
  maxBytes: number;
  longer: 'cut' | 'refuse';
  accept: string;
}

export interface Got {
  /** Where the last redirect led. */
  url: URL;
  contentType: string;
  body: Buffer;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 2;
const MOST_ADDRESSES = 3;
const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Certificates, headers and whatever else stands around a body. */
const MAX_EXTRA_BYTES = 256 * 1024;

/**
 * What a page or an icon is at an address that a stranger chose; null where there is none to be had. Every hop is resolved,
 * judged and pinned like an endpoint of its own, over https alone. Nothing of ours is sent along.
 */
export async function guardedGet(url: URL, options: GuardedGetOptions): Promise<Got | null> {
  let at: URL | null = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    if (at === null || !mayAsk(at, options.ports)) return null;
    const response = await ask(at, options);
    if (response === null) return null;
    if (!REDIRECTS.includes(response.status))
      return response.status === 200 ? { ...response, url: at } : null;
    at = URL.parse(response.location, at);
  }
  return null;
}

function mayAsk({ protocol, port, username, password, href }: URL, ports: readonly number[]): boolean {
  return (
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    ports.includes(port === '' ? 443 : Number(port)) &&
    href.length <= 2_048
  );
}

interface Answer {
  status: number;
  location: string;
  contentType: string;
  body: Buffer;
}

async function ask(url: URL, options: GuardedGetOptions): Promise<Answer | null> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket = await connection(host, url.port === '' ? 443 : Number(url.port), options);
  if (socket === null) return null;
  const tls = connect({
    socket,
    secureContext: modernContext,
    // Icons are decoration and are judged by their bytes. A site with a broken certificate is what people watch: verified,
    // just those would lose their icon. Nothing secret is sent, and nothing that comes back is trusted.
    rejectUnauthorized: false,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  });
  try {
    const limit = { ms: CONNECT_MS, signal: options.signal };
    if (!(await within(secured(tls, socket), limit, false))) return null;
    return await within(answer(tls, url, options), { ...limit, ms: ANSWER_MS }, null);
  } finally {
    tls.destroy();
    socket.destroy();
  }
}

async function connection(
  host: string,
  port: number,
  { resolver, policy, signal, maxBytes }: GuardedGetOptions,
): Promise<Socket | null> {
  const resolution = await resolver.resolve(host, { signal });
  for (const address of resolution.ok ? resolution.addresses.slice(0, MOST_ADDRESSES) : []) {
    const opened = await openConnection({
      address,
      port,
      policy,
      signal,
      timeoutMs: CONNECT_MS,
      maxBytes: maxBytes + MAX_EXTRA_BYTES,
    });
    if (opened.ok) return opened.socket;
  }
  return null;
}

/** The error listeners stay: a late error must not end the process. */
function secured(tls: TLSSocket, socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    tls.once('secureConnect', () => resolve(true));
    for (const one of [tls, socket])
      one.on('error', () => resolve(false)).once('close', () => resolve(false));
  });
}

function answer(tls: TLSSocket, url: URL, options: GuardedGetOptions): Promise<Answer | null> {
  return new Promise((resolve) => {
    const asking = request({
      createConnection: () => tls,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept: options.accept,
        // One that is sent all the same is refused: nothing is ever unpacked here.
        'accept-encoding': 'identity',
        'user-agent': 'Certlantern (icons)',
        connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const none = (): void => resolve(null);
    asking.on('error', none).on('close', none);
    asking.on('response', (response) => {
      response.on('error', none).on('close', none);
      read(response, options, resolve);
    });
    asking.end();
  });
}

function read(
  response: IncomingMessage,
  { maxBytes, longer }: GuardedGetOptions,
  done: (answer: Answer | null) => void,
): void {
  const { headers, statusCode = 0 } = response;
  const encoding = headers['content-encoding'] ?? 'identity';
  const answer = {
    status: statusCode,
    location: headers.location ?? '',
    contentType: headers['content-type'] ?? '',
  };
  if (REDIRECTS.includes(statusCode)) return done({ ...answer, body: Buffer.alloc(0) });
  if (encoding !== 'identity' || (longer === 'refuse' && Number(headers['content-length'] ?? 0) > maxBytes))
    return done(null);
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => done({ ...answer, body: Buffer.concat(chunks).subarray(0, maxBytes) });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) {
      if (longer === 'cut') finish();
      else done(null);
      response.destroy();
    }
  });
  response.on('end', finish);
}
