import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { HttpChallenge, HttpChallengeResult } from '../../core/forecast/evidence.ts';
import { type AddressPolicy, isPublicAddress } from '../../egress/address-policy.ts';
import { exchange } from '../../egress/exchange.ts';
import type { ConnectFailure } from '../../egress/open-connection.ts';
import type { Resolver } from '../../egress/resolver.ts';
import { unverifiedTls } from '../tls-contexts.ts';

export interface HttpChallengeOptions {
  host: string;
  /** Addresses of the host. */
  addresses: readonly string[];
  /** Resolves the hosts of redirects. */
  resolver: Resolver;
  policy: AddressPolicy;
  /**
   * `public`: requests go to public addresses only, even if the operator opened other ranges. CAs cannot reach those, and a redirect must not show
   * what runs in the operator's network. `all`: every address that the policy permits.
   */
  reach: 'public' | 'all';
  signal: AbortSignal;
  /** The ports of http and https that CAs use. Default: 80 and 443. */
  ports?: { http: number; https: number };
  /** Time limits in ms. `hop`: for each request. `address`: for all requests that begin at one address. */
  limits?: { hop: number; address: number };
}

const STANDARD_PORTS = { http: 80, https: 443 };
const STANDARD_LIMITS = { hop: 10_000, address: 20_000 };
const MAX_REDIRECTS = 10;
/** The redirects that CAs follow (Baseline Requirements 3.2.2.4.19). They do not follow 303. */
const REDIRECTS = [301, 302, 307, 308];
/** A key authorization has 87 characters, so these bytes suffice to recognise one. */
const MAX_BYTES = 256;
const MAX_URL_LENGTH = 300;

/**
 * Asks each address of a host for a token that does not exist, as CAs do for http-01 (RFC 8555 §8.3). Each redirect is resolved, judged
 * by the policy and pinned to an address. Never rejects because of what a peer does.
 */
export async function askHttpChallenge(options: HttpChallengeOptions): Promise<HttpChallenge> {
  const { host, addresses, policy, reach } = options;
  const permits = (ip: string): boolean => policy.permits(ip) && (reach === 'all' || isPublicAddress(ip));
  const challenge = { ...options, policy: { ...policy, permits } };
  const results = await Promise.all(
    addresses.map(async (address) => ({ address, result: await askAddress(address, challenge) })),
  );
  return { host, results };
}

async function askAddress(address: string, options: HttpChallengeOptions): Promise<HttpChallengeResult> {
  const { host, policy, ports = STANDARD_PORTS, limits = STANDARD_LIMITS } = options;
  if (!policy.permits(address))
    return isPublicAddress(address)
      ? { outcome: 'not_tested' }
      : { outcome: 'no_connection', why: 'unroutable' };
  const token = randomBytes(32).toString('base64url');
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limits.address)]);
  const pinned: Resolver = { resolve: async () => ({ ok: true, addresses: [address] }) };
  let url = new URL(`http://${host}:${ports.http}/.well-known/acme-challenge/${token}`);
  for (let redirects = 0; ; redirects++) {
    const resolver = redirects === 0 ? pinned : options.resolver;
    const answer = await ask(url, { ...options, resolver, ports, limits, signal });
    if (!answer.ok) return redirects === 0 || answer.isOfHost ? answer.result : badRedirect(answer.why, url);
    const { status, location, body } = answer;
    if (!REDIRECTS.includes(status) || location === undefined) {
      // Some servers compute the answer from the token and the account's thumbprint. Such a page is what CAs expect (RFC 8555 §8.1).
      const isPage = status === 200 && !body.startsWith(`${token}.`);
      return { outcome: 'answered', status, url: shown(url), isPage };
    }
    const next = URL.parse(location, url);
    if (redirects === MAX_REDIRECTS) return badRedirect('too_many', next ?? url);
    if (next === null) return badRedirect('scheme', url);
    const fault = faultOf(next, ports);
    if (fault !== null) return badRedirect(fault, next);
    url = next;
  }
}

type Ports = typeof STANDARD_PORTS;
type RedirectFault = Extract<HttpChallengeResult, { outcome: 'bad_redirect' }>['why'];

/** Returns why CAs do not follow a redirect to this URL; null if they do. Sets the port if the URL has none. */
function faultOf(url: URL, ports: Ports): RedirectFault | null {
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'http' && scheme !== 'https') return 'scheme';
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return 'address';
  if (url.port === '') url.port = String(ports[scheme]);
  return [ports.http, ports.https].includes(portOf(url)) ? null : 'port';
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? STANDARD_PORTS[protocol === 'https:' ? 'https' : 'http'] : Number(port);
}

type Answer =
  | { ok: true; status: number; location: string | undefined; body: string }
  /** `isOfHost`: we tried to connect, so the failure is that of the host. `why`: the fault of the redirect that led here. */
  | { ok: false; isOfHost: boolean; result: HttpChallengeResult; why: RedirectFault };

async function ask(
  url: URL,
  {
    resolver,
    policy,
    signal,
    ports,
    limits,
  }: HttpChallengeOptions & { ports: Ports; limits: { hop: number } },
): Promise<Answer> {
  const failures: ConnectFailure[] = [];
  let tried = 0;
  const answer = await exchange({
    url,
    headers: { 'user-agent': 'Certlantern (forecast)' },
    resolver,
    policy,
    signal,
    deadlineMs: limits.hop,
    maxBytes: MAX_BYTES,
    longer: 'cut',
    ports: [ports.http, ports.https],
    secure: unverifiedTls,
    onAddress: () => void tried++,
    onFailedConnection: (reason) => void failures.push(reason),
  });
  if (answer.ok) {
    const { status, headers, body } = answer;
    return { ok: true, status, location: headers.location, body: body.toString('latin1') };
  }
  const isRefused = answer.reason === 'not_allowed';
  return {
    ok: false,
    isOfHost: tried > 0 && !isRefused,
    result:
      failures.length === tried && tried > 0
        ? noConnection(failures)
        : { outcome: 'no_answer', why: whyNoAnswer(answer.reason) },
    why: isRefused ? 'address' : 'unresolved',
  };
}

function noConnection([reason = 'other']: readonly ConnectFailure[]): HttpChallengeResult {
  if (reason === 'no_route_here') return { outcome: 'not_tested' };
  return { outcome: 'no_connection', why: reason === 'other' ? 'unroutable' : reason };
}

type ExchangeFailure = Extract<Awaited<ReturnType<typeof exchange>>, { ok: false }>['reason'];

function whyNoAnswer(reason: ExchangeFailure): 'timeout' | 'closed' | 'not_http' {
  if (reason === 'timeout') return 'timeout';
  return reason === 'malformed' || reason === 'too_large' ? 'not_http' : 'closed';
}

function badRedirect(why: RedirectFault, url: URL): HttpChallengeResult {
  return { outcome: 'bad_redirect', why, url: shown(url) };
}

/** Returns the start of a URL, without user name and password. */
function shown({ origin, pathname, search, protocol, host }: URL): string {
  const site = origin === 'null' ? `${protocol}//${host}` : origin;
  return `${site}${pathname}${search}`.slice(0, MAX_URL_LENGTH);
}
