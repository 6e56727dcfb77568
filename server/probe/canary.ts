import type { TLSSocket } from 'node:tls';
import type { AddressPolicy } from '../egress/address-policy.ts';
import type { Resolver } from '../egress/resolver.ts';
import { withTimeout } from '../egress/with-timeout.ts';
import { connectTls } from './address-probe.ts';
import { modernContext } from './tls-contexts.ts';

/** Result of probing one canary: a third-party host that nearly always answers. */
export interface CanaryResult {
  host: string;
  /**
   * True if the TLS handshake succeeded. The certificate does not matter: any answer shows that our own network works.
   */
  isHealthy: boolean;
  /**
   * Time in ms by which the host's clock (the Date header of its HTTP response) is ahead of
   * ours; null if it sent no valid date.
   */
  aheadMs: number | null;
}

export interface Canaries {
  /** Probes all canaries in parallel. Never rejects for network errors; ends within the wall-clock limit. */
  probe(signal: AbortSignal): Promise<CanaryResult[]>;
}

export interface CanaryOptions {
  hosts: readonly { host: string; port: number }[];
  resolver: Resolver;
  policy: AddressPolicy;
  /** Our clock in ms UTC, which is compared with the clocks of the canaries. */
  now: () => number;
  /** Wall-clock limit for the whole probe in ms. Default: 4,000. */
  timeoutMs?: number;
}

/** Default wall-clock limit in ms. A check that found an outage waits up to this long for the canaries. */
const TIMEOUT_MS = 4_000;
/**
 * Maximum number of addresses per canary. Two, because the resolver returns one address of each family first, and our IPv4 or IPv6 may be
 * broken.
 */
const ADDRESSES = 2;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Creates a probe for the canaries. Returns null if there are no hosts: outages of our own network are then harder to tell
 * from outages of endpoints.
 */
export function createCanaries({ hosts, ...options }: CanaryOptions): Canaries | null {
  if (hosts.length === 0) return null;
  return { probe: (signal) => Promise.all(hosts.map((canary) => probeCanary(canary, options, signal))) };
}

async function probeCanary(
  { host, port }: { host: string; port: number },
  { resolver, policy, now, timeoutMs = TIMEOUT_MS }: Omit<CanaryOptions, 'hosts'>,
  stopping: AbortSignal,
): Promise<CanaryResult> {
  const deadline = new AbortController();
  const abort = (): void => deadline.abort();
  const timer = setTimeout(abort, timeoutMs);
  stopping.addEventListener('abort', abort, { once: true });
  if (stopping.aborted) abort();
  const { signal } = deadline;
  const unreachable: CanaryResult = { host, isHealthy: false, aheadMs: null };
  try {
    const resolution = await resolver.resolve(host, { signal });
    if (!resolution.ok) return unreachable;
    const limits = { signal, connectTimeoutMs: timeoutMs, handshakeTimeoutMs: timeoutMs };
    const attempts = resolution.addresses.slice(0, ADDRESSES).map(async (address) => {
      const endpoint = { host, port, protocol: 'tls' as const };
      const secured = await connectTls({ address, endpoint, policy, ...limits }, modernContext);
      if (!secured.ok || secured.tls === null) return unreachable;
      const date = await withTimeout(dateOf(secured.tls, host), { ms: timeoutMs, signal }, null);
      const aheadMs = date === null ? null : date - now();
      await secured.close();
      return { host, isHealthy: true, aheadMs };
    });
    const results = await Promise.all(attempts);
    return (
      results.find(({ aheadMs }) => aheadMs !== null) ??
      results.find(({ isHealthy }) => isHealthy) ??
      unreachable
    );
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', abort);
  }
}

/** Sends HEAD / and returns the Date of the response (RFC 9110 §6.6.1) in ms UTC; null if it is missing or invalid. */
function dateOf(tls: TLSSocket, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    let head = '';
    const read = (chunk: Buffer): void => {
      head = (head + chunk.toString('latin1')).slice(0, MAX_HEADER_BYTES);
      const isWhole = /\r?\n\r?\n/.test(head);
      if (!isWhole && head.length < MAX_HEADER_BYTES) return;
      tls.off('data', read);
      // The text after the last line break may be incomplete.
      const lines = head.split('\n').slice(0, -1);
      const line = lines.find((one) => one.slice(0, 5).toLowerCase() === 'date:');
      const date = Date.parse(line?.slice(5).trim() ?? '');
      resolve(Number.isNaN(date) ? null : date);
    };
    const resolveNull = (): void => resolve(null);
    tls.on('data', read).once('end', resolveNull).once('close', resolveNull).once('error', resolveNull);
    const name = host.includes(':') ? `[${host}]` : host;
    tls.write(
      `HEAD / HTTP/1.1\r\nHost: ${name}\r\nUser-Agent: Certlantern (canary)\r\nConnection: close\r\n\r\n`,
    );
  });
}
