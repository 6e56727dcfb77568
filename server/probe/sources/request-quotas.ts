import { LruCache } from '../../pki/index.ts';
import type { Requester } from './sources.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** A quota that a request counts against, and its maximum. */
export interface QuotaCharge {
  to: string;
  most: number;
}

const WINDOW_MS = 15 * MINUTE_MS;
/** Per host of a public CA. More than can ever be pending at once, so that a burst alone is never refused. */
const MAX_PER_PUBLIC_HOST = 2_000;
/** The requests that one endpoint may cause to one host and to one network. */
const MAX_PER_HOST_AND_ENDPOINT = 8;
const MAX_PER_NETWORK_AND_ENDPOINT = 16;
/**
 * By all endpoints, which are easily made up. CAs may share a network: their proven answers cost nothing and are
 * cached.
 */
const MAX_PER_NETWORK = 240;
const MAX_QUOTAS = 32_768;

/** Counts per quota the requests that failed or are still pending, in windows of 15 minutes. */
export class RequestQuotas {
  readonly #quotas = new LruCache<string, { spent: number; since: number }>(MAX_QUOTAS);

  /** Counts one request against every quota. Counts none and returns false if any is used up. `now` in ms UTC. */
  take(charges: readonly QuotaCharge[], now: number): boolean {
    const quotas = charges.map((charge) => ({ ...charge, ...this.#quota(charge.to, now) }));
    if (quotas.some(({ spent, most }) => spent >= most)) return false;
    for (const { to, spent, since } of quotas) this.#quotas.set(to, { spent: spent + 1, since });
    return true;
  }

  /** Refunds a request because its answer was proven. */
  giveBack(charges: readonly QuotaCharge[], now: number): void {
    for (const { to } of charges) {
      const { spent, since } = this.#quota(to, now);
      this.#quotas.set(to, { spent: Math.max(0, spent - 1), since });
    }
  }

  #quota(to: string, now: number): { spent: number; since: number } {
    const quota = this.#quotas.get(to);
    const isCurrent = quota !== null && now >= quota.since && now - quota.since < WINDOW_MS;
    return isCurrent ? quota : { spent: 0, since: now };
  }
}

/**
 * Returns the quotas that a request to this host counts against. `asker`: null if a public CA vouches for the request.
 */
export function quotasFor(
  asker: Requester | null,
  host: string,
  addresses: readonly string[],
): QuotaCharge[] {
  if (asker === null) return [{ to: `public ${host}`, most: MAX_PER_PUBLIC_HOST }];
  return [
    { to: `host ${host} by ${asker.host}`, most: MAX_PER_HOST_AND_ENDPOINT },
    ...[...new Set(addresses.map(networkOf))].flatMap((network) => [
      { to: `network ${network} by ${asker.host}`, most: MAX_PER_NETWORK_AND_ENDPOINT },
      { to: `network ${network}`, most: MAX_PER_NETWORK },
    ]),
  ];
}

/** Returns an IPv4 address itself, or the /64 of an IPv6 address, because one machine may own a whole /64. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
