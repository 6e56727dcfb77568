import { isIP } from 'node:net';
import { type Refusal, refuse } from './problem.ts';

export interface OriginConfig {
  publicUrl: URL;
  publicUrlIsDefault: boolean;
  insecureHttp: boolean;
}

interface RequestHeaders {
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Returns whether a host name, without port, is `localhost`, `127.0.0.1` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.includes(hostname.toLowerCase());
}

/** Returns the host name in a Host header, IPv6 in brackets; null if it is invalid. */
export function hostnameOf(host: string | undefined): string | null {
  return URL.parse(`http://${host ?? ''}`)?.hostname || null;
}

/**
 * Refuses a call that another site's page makes with the visitor's cookies (CSRF); returns null for all others. Pass only
 * calls with unsafe methods. Programs other than browsers send neither Origin nor Sec-Fetch-Site, so they pass.
 */
export function refuseForeignOrigin(headers: RequestHeaders, config: OriginConfig): Refusal | null {
  const { origin, secFetchSite } = headers;
  const refusal = refuse('origin_refused', 'This call came from another site, so we refused it.');
  // Also refuse `same-site`: another subdomain may belong to another party.
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin' && secFetchSite !== 'none') return refusal;
  return origin === undefined || isOwnOrigin(origin, headers.host, config) ? null : refusal;
}

export function isOwnOrigin(origin: string, host: string | undefined, config: OriginConfig): boolean {
  if (origin === config.publicUrl.origin) return true;
  const url = URL.parse(origin);
  if (!config.publicUrlIsDefault || url === null || url.origin !== origin || url.protocol !== 'http:')
    return false;
  if (isLoopback(url.hostname)) return url.port === config.publicUrl.port;
  // In a home network, people use the machine's IP address. Other host names are refused, because of DNS rebinding.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  return config.insecureHttp && isIP(literal) !== 0 && url.host === host;
}

/** Refuses plain http, over which cookies would travel unencrypted. Returns null if the request may be served. */
export function refusePlainHttp(host: string | undefined, config: OriginConfig): Refusal | null {
  const { publicUrl, publicUrlIsDefault, insecureHttp } = config;
  if (insecureHttp || publicUrl.protocol === 'https:') return null;
  const hostname = publicUrlIsDefault ? (hostnameOf(host) ?? publicUrl.hostname) : publicUrl.hostname;
  if (isLoopback(hostname)) return null;
  return refuse(
    'https_required',
    `${hostname} is reached over plain http. Put a TLS proxy in front and set PUBLIC_URL=https://…, ` +
      'or set INSECURE_HTTP=true on a network that you trust.',
  );
}
