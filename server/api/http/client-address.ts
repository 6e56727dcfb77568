import { BlockList, isIP } from 'node:net';
import { mappedIpv4 } from '../../core/endpoint.ts';

export interface ClientAddress {
  /** The full address, for the user's own list of sessions. Rate limits use `network` or `prefix`. */
  shown: string;
  /** The smallest network that a subscriber gets: one IPv4 address, or an IPv6 /64 (RFC 6177). */
  network: string;
  /** The range within which one party can easily change its address: an IPv4 /24 or an IPv6 /48. */
  prefix: string;
}

/**
 * Creates a reader of the client's address: the socket's peer or, if that is a trusted proxy, the last hop in
 * X-Forwarded-For that is not a trusted proxy. Ignores the header of any other peer, and hops before an invalid one.
 */
export function createClientAddressReader(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [network = '', length] = range.split('/');
    trusted.addSubnet(network, Number(length), family(network));
  }
  const isTrusted = (ip: string) => trusted.check(ip, family(ip));

  return {
    /** Returns whether the socket's peer is a trusted proxy. */
    isTrusted(peer: string | undefined): boolean {
      const address = canonicalAddress(peer ?? '');
      return isIP(address) !== 0 && isTrusted(address);
    },
    read(peer: string | undefined, forwardedFor: string | undefined): ClientAddress {
      let address = canonicalAddress(peer ?? '');
      const hops = (forwardedFor ?? '').split(',');
      while (isIP(address) !== 0 && isTrusted(address)) {
        const hop = canonicalAddress(hops.pop()?.trim() ?? '');
        if (isIP(hop) === 0) break;
        address = hop;
      }
      return { shown: address, ...networksOf(address) };
    },
  };
}

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** Normalises an IPv6 address, and maps IPv4-mapped IPv6 to IPv4. Returns other text unchanged. */
function canonicalAddress(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const [address = ''] = ip.split('%');
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  return mappedIpv4(canonical) ?? canonical;
}

/** Returns the network and the prefix that contain a canonical address. */
function networksOf(address: string): Omit<ClientAddress, 'shown'> {
  if (isIP(address) !== 6) return { network: address, prefix: address.split('.').slice(0, 3).join('.') };
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const whole = [...groups, ...Array<string>(8 - groups.length - rest.length).fill('0'), ...rest];
  return { network: `${whole.slice(0, 4).join(':')}::/64`, prefix: whole.slice(0, 3).join(':') };
}
