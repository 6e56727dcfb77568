import { networkInterfaces } from 'node:os';
import {
  type Address,
  type AddressRange,
  contains,
  embeddedAddresses,
  isIsatap,
  parseAddress,
  parseRange,
  unwrapMapped,
} from './address.ts';
import { ipv4Inside, WELL_KNOWN_PREFIX } from './nat64.ts';

/** Rules for the addresses that the server may connect to on behalf of users. They apply to every connection of `egress`. */
export interface AddressPolicy {
  /** Returns whether connections to this address are allowed. Returns false for anything but canonical IP text. */
  permits(ip: string): boolean;
  /**
   * Returns whether the operator opened a range that contains the address. Always false for metadata services, and if the
   * address embeds an IPv4 address that is not permitted.
   */
  opens(ip: string): boolean;
  /** Whether local names and the system resolver may be used: true if the operator opened any range. */
  permitsLocalNames: boolean;
  /**
   * Returns whether a name is local or belongs to a metadata service. Such names are allowed only if the operator opened
   * every address they resolve to.
   */
  isLocalName(host: string): boolean;
  /**
   * Sets the NAT64 prefixes of our network, beside the well-known one. Whether an address in one of them is permitted depends on the IPv4 address
   * inside, to which the NAT64 sends its packets.
   */
  setNat64Prefixes(prefixes: readonly AddressRange[]): void;
}

// Special-purpose ranges (https://www.iana.org/assignments/iana-ipv4-special-registry), multicast and Azure's WireServer.
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

// Global unicast, minus its special-purpose ranges (https://www.iana.org/assignments/iana-ipv6-special-registry).
const ALLOWED_IPV6 = ranges('2000::/3');
const DENIED_IPV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48');

// Metadata services and similar hosts of clouds. Most give credentials to any client, so they stay blocked even inside an
// open range.
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

/**
 * Cache time of our interface addresses. Reading them takes longer than the rest of a decision, but they may change at
 * runtime.
 */
const INTERFACES_MAX_AGE_MS = 10_000;

/**
 * Creates a policy that allows public addresses, except those of this machine, and the ranges in `allowCidrs`, except
 * metadata services. An address of a NAT64 counts as the IPv4 address inside. @throws Error if a range is invalid.
 */
export function createAddressPolicy(
  allowCidrs: readonly string[],
  interfaceAddresses: () => readonly string[] = readInterfaceAddresses,
): AddressPolicy {
  const open = allowCidrs.map((cidr) => {
    const range = parseRange(cidr);
    if (range === null) throw new Error(`“${cidr}” is not an address range like 10.0.0.0/8 or fd00::/8`);
    return range;
  });
  const isOwnAddress = ownAddresses(interfaceAddresses);
  let nat64: readonly AddressRange[] = [WELL_KNOWN_PREFIX];

  /** Returns the IPv4 addresses to which a NAT64 may translate the address; null for one without a valid address inside. */
  const translations = (address: Address): (Address | null)[] =>
    nat64.filter((prefix) => contains(prefix, address)).map((prefix) => ipv4Inside(prefix, address));

  const opens = (address: Address): boolean => {
    if (isInAny(METADATA, address)) return false;
    const inside = translations(address);
    const isTranslated = inside.length > 0;
    if (isTranslated && inside.every((one) => one !== null && opens(one))) return true;
    // A gateway may forward the packets to an embedded IPv4 address, so that address must be allowed too.
    const embedded = isTranslated ? inside : embeddedAddresses(address);
    return isInAny(open, address) && embedded.every((one) => one !== null && permits(one));
  };

  const permits = (address: Address): boolean => {
    if (opens(address)) return true;
    if (isInAny(METADATA, address) || isOwnAddress(address)) return false;
    const inside = translations(address);
    return inside.length === 0 ? isPublic(address) : inside.every((one) => one !== null && permits(one));
  };

  const decide = (ip: string, decision: (address: Address) => boolean): boolean => {
    const address = parseAddress(ip);
    return address !== null && decision(unwrapMapped(address));
  };

  return {
    permits: (ip) => decide(ip, permits),
    opens: (ip) => decide(ip, opens),
    permitsLocalNames: open.length > 0,
    isLocalName,
    setNat64Prefixes: (prefixes) => void (nat64 = [WELL_KNOWN_PREFIX, ...prefixes]),
  };
}

/** Returns whether the text is a public IP address. */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isPublic(unwrapMapped(address));
}

function isPublic(address: Address): boolean {
  if (address.family === 4) return !isInAny(DENIED_IPV4, address);
  return isInAny(ALLOWED_IPV6, address) && !isInAny(DENIED_IPV6, address) && !isIsatap(address);
}

/** Returns whether a name is local or belongs to a metadata service. */
export function isLocalName(host: string): boolean {
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
      known = new Set(addresses.flatMap((own) => (own === null ? [] : [unwrapMapped(own).value])));
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

function isInAny(list: readonly AddressRange[], address: Address): boolean {
  return list.some((range) => contains(range, address));
}

function ranges(...texts: readonly string[]): AddressRange[] {
  return texts.map((text) => parseRange(text) as AddressRange);
}
