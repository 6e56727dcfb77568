import { isIP } from 'node:net';
import { refuse, type Refusal } from './problem.ts';

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

/** Whether a host name, without port, never leaves the machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.includes(hostname.toLowerCase());
}

/** The name in a Host header, IPv6 in brackets; null when it is none. */
export function hostnameOf(host: string | undefined): string | null {
  return URL.parse(`http://${host ?? ''}`)?.hostname || null;
}

/**
 * Keeps other sites from acting with a visitor's cookies. Asked for every unsafe call, body-less ones too. Programs
 * that are no browsers send neither header and carry nobody's cookies by accident.
 */
export function refuseForeignOrigin(headers: RequestHeaders, config: OriginConfig): Refusal | null {
  const { origin, secFetchSite } = headers;
  const refusal = refuse('origin_refused', 'This call was made from another site and was not carried out.');
  // `same-site` is refused too: a neighbouring subdomain is another party.
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin' && secFetchSite !== 'none') return refusal;
  return origin === undefined || isOwnOrigin(origin, headers.host, config) ? null : refusal;
}

export function isOwnOrigin(origin: string, host: string | undefined, config: OriginConfig): boolean {
  if (origin === config.publicUrl.origin) return true;
  const url = URL.parse(origin);
  if (!config.publicUrlIsDefault || url === null || url.origin !== origin || url.protocol !== 'http:')
    return false;
  if (isLoopback(url.hostname)) return url.port === config.publicUrl.port;
  // A home network reaches the machine by its address. Names are not taken from the Host header: DNS can be rebound.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  return config.insecureHttp && isIP(literal) !== 0 && url.host === host;
}

/** Why this request cannot be served over plain http: cookies would travel in the clear. null when all is well. */
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
