import { BlockList, isIP } from 'node:net';
import { mappedIpv4 } from '../../core/index.ts';

export interface ClientAddress {
  /** The whole address, for the list of somebody's own sessions. Limits count `network` or `prefix`. */
  shown: string;
  /** The smallest network that a subscriber has: an IPv4 address, or a /64 of IPv6 (RFC 6177). */
  network: string;
  /** The neighbourhood that one party can easily move in: a /24 of IPv4, a /48 of IPv6. */
  prefix: string;
}

/**
 * Finds who is calling: the socket's peer, or, where that is a trusted proxy, the last hop in X-Forwarded-For that is
 * none. Headers of anybody else are not read.
 */
export function createClientAddressReader(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [network = '', length] = range.split('/');
    trusted.addSubnet(network, Number(length), family(network));
  }
  const isTrusted = (ip: string) => trusted.check(ip, family(ip));

  return {
    /** Whether the socket's peer is one of the proxies whose headers count. */
    isTrusted(peer: string | undefined): boolean {
      const address = plain(peer ?? '');
      return isIP(address) !== 0 && isTrusted(address);
    },
    read(peer: string | undefined, forwardedFor: string | undefined): ClientAddress {
      let address = plain(peer ?? '');
      const hops = (forwardedFor ?? '').split(',');
      while (isIP(address) !== 0 && isTrusted(address)) {
        const hop = plain(hops.pop()?.trim() ?? '');
        if (isIP(hop) === 0) break;
        address = hop;
      }
      return { shown: address, ...networksOf(address) };
    },
  };
}

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** Writes an address in its one form, IPv4-mapped IPv6 as IPv4. What is no address stays as it is. */
function plain(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const [address = ''] = ip.split('%');
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  return mappedIpv4(canonical) ?? canonical;
}

/** `address` is in its one form. */
function networksOf(address: string): Omit<ClientAddress, 'shown'> {
  if (isIP(address) !== 6) return { network: address, prefix: address.split('.').slice(0, 3).join('.') };
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const whole = [...groups, ...Array<string>(8 - groups.length - rest.length).fill('0'), ...rest];
  return { network: `${whole.slice(0, 4).join(':')}::/64`, prefix: whole.slice(0, 3).join(':') };
}
