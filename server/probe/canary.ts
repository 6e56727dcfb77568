import type { TLSSocket } from 'node:tls';

import type { AddressPolicy, Resolver } from '../egress/index.ts';
import { within } from '../egress/index.ts';
import { hangUp } from './handshake.ts';
import { secure } from './secure.ts';
import { modernContext } from './tls-contexts.ts';

/** What one canary showed: a host of somebody else's that nearly always answers. */
export interface CanarySighting {
  host: string;
  /** It shook hands; what its certificate is worth does not matter, for anybody who answers is beyond our own network. */
  isHealthy: boolean;
  /** Its clock (the Date of its answer over HTTP) before ours, in ms; null where it told none. */
  aheadMs: number | null;
}

export interface Canaries {
  /** Looks at every canary at once; never rejects for what the network does, and ends within four seconds. */
  look(signal: AbortSignal): Promise<CanarySighting[]>;
}

export interface CanaryOptions {
  hosts: readonly { host: string; port: number }[];
  resolver: Resolver;
  policy: AddressPolicy;
  /** ms UTC: the clock that is compared with theirs. */
  now: () => number;
  /** For everything, by the wall clock. */
  timeoutMs?: number;
}

/** Less than what is left of a check's lease after the longest check. */
const TIMEOUT_MS = 4_000;
/** One of each family: either may be what is missing. */
const ADDRESSES = 2;
const MAX_HEADER_BYTES = 16 * 1024;

/** null without any host: then nothing tells our own network from that of others. */
export function createCanaries({ hosts, ...options }: CanaryOptions): Canaries | null {
  if (hosts.length === 0) return null;
  return { look: (signal) => Promise.all(hosts.map((canary) => lookAt(canary, options, signal))) };
}

async function lookAt(
  { host, port }: { host: string; port: number },
  { resolver, policy, now, timeoutMs = TIMEOUT_MS }: Omit<CanaryOptions, 'hosts'>,
  stopping: AbortSignal,
): Promise<CanarySighting> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, timeoutMs);
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  const { signal } = ended;
  const missing: CanarySighting = { host, isHealthy: false, aheadMs: null };
  try {
    const resolution = await resolver.resolve(host, { signal });
    if (!resolution.ok) return missing;
    const limits = { signal, connectTimeoutMs: timeoutMs, handshakeTimeoutMs: timeoutMs };
    const sightings = resolution.addresses.slice(0, ADDRESSES).map(async (address) => {
      const endpoint = { host, port, protocol: 'tls' as const };
      const secured = await secure({ address, endpoint, policy, ...limits }, modernContext);
      if (!secured.ok || secured.tls === null) return missing;
      const date = await within(dateOf(secured.tls, host), { ms: timeoutMs, signal }, null);
      const aheadMs = date === null ? null : date - now();
      await hangUp(secured.tls, signal);
      return { host, isHealthy: true, aheadMs };
    });
    const seen = await Promise.all(sightings);
    return seen.find(({ aheadMs }) => aheadMs !== null) ?? seen.find(({ isHealthy }) => isHealthy) ?? missing;
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', end);
  }
}

/** The Date of the answer to a HEAD (RFC 9110 §6.6.1), ms UTC; null where there is none that can be read. */
function dateOf(tls: TLSSocket, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    let head = '';
    const read = (chunk: Buffer): void => {
      head = (head + chunk.toString('latin1')).slice(0, MAX_HEADER_BYTES);
      const isWhole = /\r?\n\r?\n/.test(head);
      if (!isWhole && head.length < MAX_HEADER_BYTES) return;
      tls.off('data', read);
      // What follows the last line break may be cut off.
      const lines = head.split('\n').slice(0, -1);
      const line = lines.find((one) => one.slice(0, 5).toLowerCase() === 'date:');
      const date = Date.parse(line?.slice(5).trim() ?? '');
      resolve(Number.isNaN(date) ? null : date);
    };
    const nothing = (): void => resolve(null);
    tls.on('data', read).once('end', nothing).once('close', nothing).once('error', nothing);
    const name = host.includes(':') ? `[${host}]` : host;
    tls.write(
      `HEAD / HTTP/1.1\r\nHost: ${name}\r\nUser-Agent: Certlantern (canary)\r\nConnection: close\r\n\r\n`,
    );
  });
}
