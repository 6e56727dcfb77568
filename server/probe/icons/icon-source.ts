import { isIP, isIPv6 } from 'node:net';
import { type AddressPolicy, exchange, type Resolver, type SecureSocket } from '../../egress/index.ts';
import { iconLinks } from './icon-links.ts';
import { rasterType } from './raster-image.ts';
import { connect } from 'node:tls';
import { modernContext } from '../tls-contexts.ts';

/** A raster image as its site serves it; `contentType` is what its bytes say. */
export interface Icon {
  contentType: string;
  content: Uint8Array;
}

export interface IconSource {
  /**
   * The icon of the site at an endpoint: one that its page names, else /favicon.ico. null where there is none, whatever
   * the reason; ends within its deadline whatever the peer does.
   */
  find(endpoint: { host: string; port: number }, signal: AbortSignal): Promise<Icon | null>;
}

export interface IconSourceOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** For everything, the resolutions included. Shorter in tests. */
  deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
const MAX_PAGE_BYTES = 64 * 1024;
const MAX_ICON_BYTES = 100 * 1024;
/** Of the icons that a page names; /favicon.ico is tried after them. */
const MOST_NAMED = 2;
/** TLS with another protocol inside, by its registered port: a request for a page would only be noise in its log. */
const NOT_HTTP = [
  465, 563, 587, 636, 853, 989, 990, 992, 993, 994, 995, 2484, 3269, 5061, 5223, 5269, 5671, 6697, 8883,
];

/** Looks for icons of sites through the guarded way out. */
export function createIconSource({
  resolver,
  policy,
  deadlineMs = DEADLINE_MS,
}: IconSourceOptions): IconSource {
  return {
    async find({ host, port }, signal) {
      if (NOT_HTTP.includes(port)) return null;
      const deadline = new AbortController();
      const end = (): void => deadline.abort();
      const timer = setTimeout(end, deadlineMs);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      const way = { resolver, policy, signal: deadline.signal, ports: [443, port] };
      try {
        const site = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}/`);
        const page = await guardedGet(site, {
          ...way,
          maxBytes: MAX_PAGE_BYTES,
          longer: 'cut',
          accept: 'text/html',
        });
        const isHtml = page?.contentType.toLowerCase().includes('html') ?? false;
        const named = page !== null && isHtml ? iconLinks(page.body.toString('utf8'), page.url) : [];
        const candidates = [...named.slice(0, MOST_NAMED), new URL('/favicon.ico', page?.url ?? site)];
        for (const url of candidates) {
          if (deadline.signal.aborted) return null;
          const found = await guardedGet(url, {
            ...way,
            maxBytes: MAX_ICON_BYTES,
            longer: 'refuse',
            accept: 'image/*',
          });
          const contentType = found && rasterType(found.body);
          if (found !== null && contentType !== null) return { contentType, content: found.body };
        }
        return null;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
  };
}

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
async function guardedGet(url: URL, options: GuardedGetOptions): Promise<Got | null> {
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
