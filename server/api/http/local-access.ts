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
  /** Checks the headers of a request for signs of a proxy. Must run before any access decision. */
  observe(c: AppContext): void;
  /**
   * Returns whether a request names a loopback host, and neither this nor an earlier request has shown signs of a
   * proxy.
   */
  isAddressed(c: AppContext): boolean;
  /**
   * Returns whether a request comes from this machine: `isAddressed` is true, the peer is a loopback address, and
   * PUBLIC_URL names a loopback host.
   */
  isSource(c: AppContext): boolean;
}

interface ThisMachineOptions {
  config: OriginConfig & { metricsToken: string | null };
  /** Folder for captured mail; null if no mail is captured. */
  mailFolder: string | null;
  log: { warn(facts: object, text: string): void };
}

/**
 * Recognises requests from this machine, which may read its metrics and captured mail. Behind a local proxy all
 * requests come from this machine, and not all of them show the proxy. So the first loopback request with a forwarding
 * header or a foreign Origin ends these privileges until the process restarts.
 */
export function createLocalAccess({ config, mailFolder, log }: ThisMachineOptions): LocalAccess {
  const isLocalDeployment = isLoopback(config.publicUrl.hostname);
  const isPrivileged = mailFolder !== null || (isLocalDeployment && config.metricsToken === null);
  let isBehindProxy = false;
  const isLoopbackPeer = (c: AppContext) => LOOPBACK_PEER.test(c.env?.incoming?.socket.remoteAddress ?? '');

  function isAddressed(c: AppContext): boolean {
    const hostname = hostnameOf(c.req.header('host') ?? new URL(c.req.url).host);
    return !isBehindProxy && hostname !== null && isLoopback(hostname) && proxyHeaderOf(c, config) === null;
  }

  return {
    observe(c) {
      if (isBehindProxy || !isLoopbackPeer(c)) return;
      const header = proxyHeaderOf(c, config);
      if (header === null) return;
      isBehindProxy = true;
      if (isPrivileged) log.warn({ header }, BEHIND_PROXY);
    },
    isAddressed,
    isSource: (c) => isLocalDeployment && isLoopbackPeer(c) && isAddressed(c),
  };
}

const BEHIND_PROXY =
  'A request over loopback came through a proxy, so loopback proves nothing any more: /metrics without METRICS_TOKEN and the kept ' +
  'mail are closed until a restart. Set PUBLIC_URL, TRUSTED_PROXIES, SMTP_URL and METRICS_TOKEN for a server that others reach; ' +
  'otherwise restart it without the proxy.';

/** Returns the name of a header that shows a proxy or a foreign site; null if there is none. */
function proxyHeaderOf(c: AppContext, config: OriginConfig): string | null {
  for (const name of c.req.raw.headers.keys())
    if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return name;
  const origin = c.req.header('origin');
  return origin === undefined || isOwnOrigin(origin, c.req.header('host'), config) ? null : 'origin';
}
