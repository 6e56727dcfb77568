import { BlockList, isIP } from 'node:net';

export interface ClientAddress {
  /** IP text; IPv4-mapped IPv6 is IPv4. */
  address: string;
  /** What one party surely has: the address of IPv4, the /64 of IPv6, of which one machine may use every address. */
  site: string;
  /** The neighbourhood one party can easily move in: /24 of IPv4, /48 of IPv6. */
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
      const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()));
      while (isIP(address) !== 0 && isTrusted(address) && isIP(hops.at(-1) ?? '') !== 0) {
        address = hops.pop() ?? address;
      }
      return placeOf(address);
    },
  };
}

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

function plain(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped?.[1] ?? ip;
}

function placeOf(address: string): ClientAddress {
  if (isIP(address) !== 6)
    return { address, site: address, prefix: address.split('.').slice(0, 3).join('.') };
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const zeros = address.includes('::') ? 8 - groups.length - rest.length : 0;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...rest];
  const first = (count: number) =>
    all
      .slice(0, count)
      .map((group) => Number.parseInt(group, 16).toString(16))
      .join(':');
  return { address, site: first(4), prefix: first(3) };
}
