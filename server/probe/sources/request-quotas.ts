import { LruCache } from '../../pki/lru-cache.ts';
import type { Requester } from './sources.ts';
import { MINUTE_MS, type Monotonic } from '../../../contract/durations.ts';

/** Quota that a request counts against, with its maximum. */
export interface QuotaCharge {
  to: string;
  max: number;
}

const WINDOW_MS = 15 * MINUTE_MS;
/**
 * Quota per host of a public CA. It exceeds the number of requests that can be pending at once, so that a
 * burst alone is never refused.
 */
const MAX_PER_PUBLIC_HOST = 2_000;
/** Quota for the requests that one endpoint causes to one host. */
const MAX_PER_HOST_AND_ENDPOINT = 8;
/** Quota for the requests that one endpoint causes to one network. */
const MAX_PER_NETWORK_AND_ENDPOINT = 16;
/**
 * Quota per network over all endpoints, because anybody can invent endpoints. CAs that share a network stay below it,
 * because their verified answers are refunded and cached.
 */
const MAX_PER_NETWORK = 240;
const MAX_QUOTAS = 32_768;

/** Counters of the failed and pending requests per quota, in windows of 15 minutes. */
export class RequestQuotas {
  readonly #quotas = new LruCache<string, { spent: number; since: number }>(MAX_QUOTAS);
  readonly #monotonic: Monotonic;

  constructor(monotonic: Monotonic = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Counts one request against every quota. If any is used up, counts nothing and returns false. */
  take(charges: readonly QuotaCharge[]): boolean {
    const quotas = charges.map((charge) => ({ ...charge, ...this.#quota(charge.to) }));
    if (quotas.some(({ spent, max }) => spent >= max)) return false;
    for (const { to, spent, since } of quotas) this.#quotas.set(to, { spent: spent + 1, since });
    return true;
  }

  /** Refunds a request because its answer was verified. */
  refund(charges: readonly QuotaCharge[]): void {
    for (const { to } of charges) {
      const { spent, since } = this.#quota(to);
      this.#quotas.set(to, { spent: Math.max(0, spent - 1), since });
    }
  }

  #quota(to: string): { spent: number; since: number } {
    const quota = this.#quotas.get(to);
    const now = this.#monotonic();
    return quota !== null && now - quota.since < WINDOW_MS ? quota : { spent: 0, since: now };
  }
}

/**
 * Returns the quotas that a request to this host counts against. `requester`: null if a public CA vouches for the request.
 */
export function quotasFor(
  requester: Requester | null,
  host: string,
  addresses: readonly string[],
): QuotaCharge[] {
  if (requester === null) return [{ to: `public ${host}`, max: MAX_PER_PUBLIC_HOST }];
  return [
    { to: `host ${host} by ${requester.host}`, max: MAX_PER_HOST_AND_ENDPOINT },
    ...[...new Set(addresses.map(networkOf))].flatMap((network) => [
      { to: `network ${network} by ${requester.host}`, max: MAX_PER_NETWORK_AND_ENDPOINT },
      { to: `network ${network}`, max: MAX_PER_NETWORK },
    ]),
  ];
}

/**
 * Returns an IPv4 address itself, or the /64 of an IPv6 address, because one machine may own a whole /64. An address of the
 * well-known NAT64 prefix stands for one IPv4 address.
 */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('64:ff9b::')) return address;
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
