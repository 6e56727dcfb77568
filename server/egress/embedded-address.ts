import { contains, parseRange } from './address.ts';
import type { Address, AddressRange } from './address.ts';

interface Embedding {
  matches(address: Address): boolean;
  extract(value: bigint): bigint;
}

const LOW_32 = 0xffff_ffffn;

function inRange(text: string): (address: Address) => boolean {
  const range = parseRange(text) as AddressRange;
  return (address) => contains(range, address);
}

const inCompatible = inRange('::/96');
const inMapped = inRange('::ffff:0:0/96');

const EMBEDDINGS: readonly Embedding[] = [
  // IPv4-mapped addresses (RFC 4291 §2.5.5.2) are not listed: `unmapped` converts them before.
  // IPv4-compatible (RFC 4291 §2.5.5.1), except :: and ::1.
  {
    matches: (address) => address.value > 1n && inCompatible(address),
    extract: (value) => value & LOW_32,
  },
  // IPv4-translated (RFC 2765).
  { matches: inRange('::ffff:0:0:0/96'), extract: (value) => value & LOW_32 },
  // NAT64: the well-known prefix (RFC 6052) and the local-use one (RFC 8215), assuming its usual length of 96 bits.
  { matches: inRange('64:ff9b::/96'), extract: (value) => value & LOW_32 },
  { matches: inRange('64:ff9b:1::/48'), extract: (value) => value & LOW_32 },
  // 6to4 (RFC 3056).
  { matches: inRange('2002::/16'), extract: (value) => (value >> 80n) & LOW_32 },
  // Teredo (RFC 4380 §4): the server's address, and the client's address with its bits inverted.
  { matches: inRange('2001::/32'), extract: (value) => (value >> 64n) & LOW_32 },
  { matches: inRange('2001::/32'), extract: (value) => ~value & LOW_32 },
  { matches: isIsatap, extract: (value) => value & LOW_32 },
];

/** Returns whether the address has an ISATAP interface identifier (RFC 5214 §6.1), under any prefix. */
export function isIsatap(address: Address): boolean {
  if (address.family !== 6) return false;
  const identifier = (address.value >> 32n) & LOW_32;
  return identifier === 0x0000_5efen || identifier === 0x0200_5efen;
}

/**
 * Returns the IPv4 address of an IPv4-mapped one (::ffff:0:0/96), because sockets connect to it. Returns others
 * unchanged.
 */
export function unmapped(address: Address): Address {
  return inMapped(address) ? { family: 4, value: address.value & LOW_32 } : address;
}

/** Returns the IPv4 addresses to which a transition mechanism may deliver packets for this IPv6 address. */
export function embeddedAddresses(address: Address): Address[] {
  return EMBEDDINGS.filter((embedding) => embedding.matches(address)).map((embedding) => ({
    family: 4,
    value: embedding.extract(address.value),
  }));
}
