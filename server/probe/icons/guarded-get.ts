import { isIP } from 'node:net';
import { connect } from 'node:tls';

import { exchange } from '../../egress/index.ts';
import type { AddressPolicy, Resolver, SecureSocket } from '../../egress/index.ts';
import { modernContext } from '../tls-contexts.ts';

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
const HOP_MS = 8_000;

/**
 * What a page or an icon is at an address that a stranger chose; null where there is none to be had. Every hop is resolved,
 * judged and pinned like an endpoint of its own, over https alone. Nothing of ours is sent along.
 */
export async function guardedGet(url: URL, options: GuardedGetOptions): Promise<Got | null> {
  const { accept, ...way } = options;
  let at: URL | null = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    if (at?.protocol !== 'https:') return null;
    const answer = await exchange({
      ...way,
      url: at,
      headers: { accept, 'user-agent': 'Certlantern (icons)' },
      deadlineMs: HOP_MS,
      secure: unverified,
    });
    if (!answer.ok) return null;
    const { status, headers, body } = answer;
    if (!REDIRECTS.includes(status))
      return status === 200 ? { url: at, contentType: headers['content-type'] ?? '', body } : null;
    at = URL.parse(headers.location ?? '', at);
  }
  return null;
}

/**
 * Icons are decoration and are judged by their bytes. A site with a broken certificate is what people watch: verified, just
 * those would lose their icon. Nothing secret is sent, and nothing that comes back is trusted.
 */
const unverified: SecureSocket = (socket, host) =>
  connect({
    socket,
    secureContext: modernContext,
    rejectUnauthorized: false,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  });
