import type { AppContext } from './app-env.ts';
import { hostnameOf, isLoopback, isOwnOrigin, type OriginConfig } from './own-origin.ts';

/** Headers that proxies add, besides those that begin with `x-forwarded-`. */
const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'cdn-loop',
]);
const LOOPBACK_PEER = /^(?:::ffff:)?127\.|^::1$/;

export interface LocalAccess {
  /** Remembers if a request over loopback shows signs of a proxy. Call it before any access decision about the request. */
  detectProxy(c: AppContext): void;
  /**
   * Returns whether the Host header of a request is a loopback name, and neither this request nor an earlier one over loopback
   * shows signs of a proxy.
   */
  isToLoopback(c: AppContext): boolean;
  /**
   * Returns whether a request comes from this machine: `isToLoopback` is true, the peer is a loopback address, and the
   * host of PUBLIC_URL is a loopback name.
   */
  isFromThisMachine(c: AppContext): boolean;
}

interface LocalAccessOptions {
  config: OriginConfig & { metricsToken: string | null };
  /** Folder for captured mail; null if this app does not show captured mail. */
  mailFolder: string | null;
  log: { warn(facts: object, text: string): void };
}

/**
 * Creates the checks that recognise local requests, which may read captured mail and, without METRICS_TOKEN, metrics. Behind a local
 * proxy every request seems local. So the first request over loopback that shows a proxy or foreign Origin ends this until a restart.
 */
export function createLocalAccess({ config, mailFolder, log }: LocalAccessOptions): LocalAccess {
  const isLocalDeployment = isLoopback(config.publicUrl.hostname);
  const isPrivileged = mailFolder !== null || (isLocalDeployment && config.metricsToken === null);
  let isBehindProxy = false;
  const isLoopbackPeer = (c: AppContext) => LOOPBACK_PEER.test(c.env?.incoming?.socket.remoteAddress ?? '');

  function isToLoopback(c: AppContext): boolean {
    const hostname = hostnameOf(c.req.header('host') ?? new URL(c.req.url).host);
    return !isBehindProxy && hostname !== null && isLoopback(hostname) && proxyHeaderOf(c, config) === null;
  }

  return {
    detectProxy(c) {
      if (isBehindProxy || !isLoopbackPeer(c)) return;
      const header = proxyHeaderOf(c, config);
      if (header === null) return;
      isBehindProxy = true;
      if (isPrivileged) log.warn({ header }, BEHIND_PROXY);
    },
    isToLoopback,
    isFromThisMachine: (c) => isLocalDeployment && isLoopbackPeer(c) && isToLoopback(c),
  };
}

const BEHIND_PROXY =
  'A loopback request came through a proxy, so loopback requests may come from other machines. Until a restart, the server serves ' +
  'no captured mail, and /metrics only with METRICS_TOKEN. If other people use this server, set PUBLIC_URL, TRUSTED_PROXIES, ' +
  'SMTP_URL and METRICS_TOKEN. Otherwise restart it without the proxy.';

/** Returns the name of a header that reveals a proxy or a page of another site; null if there is none. */
function proxyHeaderOf(c: AppContext, config: OriginConfig): string | null {
  for (const name of c.req.raw.headers.keys())
    if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return name;
  const origin = c.req.header('origin');
  return origin === undefined || isOwnOrigin(origin, c.req.header('host'), config) ? null : 'origin';
}
