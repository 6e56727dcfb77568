import { networkInterfaces } from 'node:os';

import { contains, parseAddress, parseRange } from './address.ts';
import type { Address, AddressRange } from './address.ts';
import { embeddedAddresses, isIsatap, unmapped } from './embedded-address.ts';

/** Decides which addresses may be dialled for strangers. Everything that leaves by `egress` asks it. */
export interface AddressPolicy {
  /** Whether this canonical IP text may be dialled. Anything that is not a canonical address may not. */
  permits(ip: string): boolean;
  /** Whether the operator opened a range that contains the address. Metadata services are never open. */
  opens(ip: string): boolean;
  /** Whether any range is open, so that local names and the machine's own resolver are worth asking. */
  permitsLocalNames: boolean;
  /** Names for a local network: allowed only where the operator opened every address behind them. */
  refusedName(host: string): boolean;
}

// https://www.iana.org/assignments/iana-ipv4-special-registry, and Azure's wire server.
const DENIED_IPV4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
);

// https://www.iana.org/assignments/iana-ipv6-special-registry: global unicast, less what is special inside it.
const ALLOWED_IPV6 = ranges('2000::/3');
const DENIED_IPV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48');

// They hand credentials to whoever asks, so no open range includes them.
const METADATA = ranges(
  '169.254.169.254', // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner
  '169.254.169.253', // AWS resolver
  '169.254.170.2', // AWS ECS credentials
  '169.254.170.23', // AWS EKS pod identity
  '169.254.0.23', // Tencent
  '168.63.129.16', // Azure wire server
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle Classic
  'fd00:ec2::254', // AWS
  'fd00:ec2::253',
  'fd00:ec2::23',
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
);

const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];
const METADATA_NAMES = [
  'metadata.goog',
  'metadata.google.com',
  'metadata.azure.com',
  'metadata.tencentyun.com',
];

/** Interfaces come and go with containers and VPNs; asking the kernel costs more than the rest of the decision. */
const INTERFACES_MAX_AGE_MS = 10_000;

/**
 * The policy that denies everything but the public internet, except the ranges in `allowCidrs`.
 * @throws Error naming the entry when one is not `address/length`.
 */
export function createAddressPolicy(
  allowCidrs: readonly string[],
  interfaceAddresses: () => readonly string[] = readInterfaceAddresses,
): AddressPolicy {
  const open = allowCidrs.map((cidr) => {
    const range = parseRange(cidr);
    if (range === null) throw new Error(`"${cidr}" is not an address range like 10.0.0.0/8 or fd00::/8`);
    return range;
  });
  const isOwn = ownAddresses(interfaceAddresses);

  const opens = (address: Address): boolean =>
    !within(METADATA, address) &&
    within(open, address) &&
    // A gateway forwards these to an IPv4 address, which needs permission of its own.
    embeddedAddresses(address).every(permits);

  const permits = (address: Address): boolean => opens(address) || (isPublic(address) && !isOwn(address));

  const decide = (ip: string, decision: (address: Address) => boolean): boolean => {
    const address = parseAddress(ip);
    return address !== null && decision(unmapped(address));
  };

  return {
    permits: (ip) => decide(ip, permits),
    opens: (ip) => decide(ip, opens),
    permitsLocalNames: open.length > 0,
    refusedName: isLocalName,
  };
}

function isPublic(address: Address): boolean {
  if (address.family === 4) return !within(DENIED_IPV4, address);
  return within(ALLOWED_IPV6, address) && !within(DENIED_IPV6, address) && !isIsatap(address);
}

function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (!name.includes('.') || METADATA_NAMES.includes(name)) return true;
  return LOCAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

function ownAddresses(read: () => readonly string[]): (address: Address) => boolean {
  let known = new Set<bigint>();
  let readAt = -Infinity;
  return (address) => {
    if (performance.now() - readAt > INTERFACES_MAX_AGE_MS) {
      const addresses = read().map((text) => parseAddress(text));
      known = new Set(addresses.flatMap((own) => (own === null ? [] : [unmapped(own).value])));
      readAt = performance.now();
    }
    return known.has(address.value);
  };
}

function readInterfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map((entry) => entry.address),
  );
}

function within(list: readonly AddressRange[], address: Address): boolean {
  return list.some((range) => contains(range, address));
}

function ranges(...texts: readonly string[]): AddressRange[] {
  return texts.map((text) => parseRange(text) as AddressRange);
}
