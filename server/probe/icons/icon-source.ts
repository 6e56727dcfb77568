import { isIPv6 } from 'node:net';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import { exchange } from '../../egress/exchange.ts';
import type { Resolver } from '../../egress/resolver.ts';
import { iconLinks } from './icon-links.ts';
import { rasterMediaType } from './raster-image.ts';
import { unverifiedTls } from '../tls-contexts.ts';

/** Raster image as the site serves it. `contentType` is detected from its bytes. */
export interface Icon {
  contentType: string;
  content: Uint8Array;
}

export interface IconSource {
  /**
   * Fetches the icon of the site at an endpoint: one that its page names, otherwise /favicon.ico. Returns null if there
   * is none or on any failure. Always ends within its deadline.
   */
  find(endpoint: { host: string; port: number }, signal: AbortSignal): Promise<Icon | null>;
}

export interface IconSourceOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Time limit in ms for all requests together, including name resolution. Default: 10,000. */
  deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
const MAX_PAGE_BYTES = 64 * 1024;
const MAX_ICON_BYTES = 100 * 1024;
/** Maximum number of icons named by the page that we try before /favicon.ico. */
const MAX_NAMED = 2;
/** Registered ports of other protocols over TLS. An HTTP request to them would only add noise to the server's log. */
const NOT_HTTP = [
  465, 563, 587, 636, 853, 989, 990, 992, 993, 994, 995, 2484, 3269, 5061, 5223, 5269, 5671, 6697, 8883,
];

/** Creates an icon source whose requests all pass the egress address policy. */
export function createIconSource({
  resolver,
  policy,
  deadlineMs = DEADLINE_MS,
}: IconSourceOptions): IconSource {
  return {
    async find({ host, port }, signal) {
      if (NOT_HTTP.includes(port)) return null;
      const deadline = new AbortController();
      const abort = (): void => deadline.abort();
      const timer = setTimeout(abort, deadlineMs);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      const request = { resolver, policy, signal: deadline.signal, ports: [443, port] };
      try {
        const site = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}/`);
        const page = await guardedGet(site, {
          ...request,
          maxBytes: MAX_PAGE_BYTES,
          longer: 'cut',
          accept: 'text/html',
        });
        const isHtml = page?.contentType.toLowerCase().includes('html') ?? false;
        const named = page !== null && isHtml ? iconLinks(page.body.toString('utf8'), page.url) : [];
        const candidates = [...named.slice(0, MAX_NAMED), new URL('/favicon.ico', page?.url ?? site)];
        for (const url of candidates) {
          if (deadline.signal.aborted) return null;
          const found = await guardedGet(url, {
            ...request,
            maxBytes: MAX_ICON_BYTES,
            longer: 'refuse',
            accept: 'image/*',
          });
          const contentType = found && rasterMediaType(found.body);
          if (found !== null && contentType !== null) return { contentType, content: found.body };
        }
        return null;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

export interface GuardedGetOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Aborting it ends all requests. The caller uses it for the overall deadline. */
  signal: AbortSignal;
  /** Permitted ports, also for redirects. */
  ports: readonly number[];
  /** Maximum size of the body in bytes. */
  maxBytes: number;
  /** How to handle a longer body: `cut` truncates it, `refuse` fails. */
  longer: 'cut' | 'refuse';
  accept: string;
}

export interface GetResponse {
  /** Final URL after redirects. */
  url: URL;
  contentType: string;
  body: Buffer;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 2;
const HOP_MS = 8_000;

/**
 * Fetches an untrusted URL, https only and without cookies or credentials. Follows at most two redirects: resolves each
 * again, checks it against the address policy and pins its address. Returns null for failures and every status but 200.
 */
async function guardedGet(url: URL, options: GuardedGetOptions): Promise<GetResponse | null> {
  const { accept, ...request } = options;
  let current: URL | null = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (current?.protocol !== 'https:') return null;
    const answer = await exchange({
      ...request,
      url: current,
      headers: { accept, 'user-agent': 'Certlantern (icons)' },
      deadlineMs: HOP_MS,
      // Sites with broken certificates keep their icon. We send nothing secret, and check the bytes of an icon instead of its source.
      secure: unverifiedTls,
    });
    if (!answer.ok) return null;
    const { status, headers, body } = answer;
    if (!REDIRECTS.includes(status))
      return status === 200 ? { url: current, contentType: headers['content-type'] ?? '', body } : null;
    current = URL.parse(headers.location ?? '', current);
  }
  return null;
}
