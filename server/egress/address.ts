/** An IP address as a number. Ranges compare numbers, so that no spelling of an address can bypass a range. */
export interface Address {
  family: 4 | 6;
  value: bigint;
}

export interface AddressRange extends Address {
  prefixLength: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/**
 * Parses canonical text: four decimal numbers, or IPv6 text of RFC 5952 (IPv4-mapped addresses also with hexadecimal last
 * groups). Returns null for other forms (octal, hexadecimal or short IPv4, zone ids, brackets, upper case, leading zeros).
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) {
    const value = parseDottedQuad(text);
    return value === null ? null : { family: 4, value };
  }
  const value = parseGroups(text);
  if (value === null) return null;
  return formatGroups(value) === text || formatMapped(value) === text ? { family: 6, value } : null;
}

/** Returns the canonical text of an IPv4 address, or of an IPv6 address in any form of RFC 4291 §2.2; null if malformed. */
export function canonicalAddress(text: string): string | null {
  if (!text.includes(':')) return parseDottedQuad(text) === null ? null : text;
  const value = parseGroups(text);
  return value === null ? null : (formatMapped(value) ?? formatGroups(value));
}

/**
 * Parses `address/length`, or a bare address as a range of one address. Ignores bits after the prefix. Returns null if
 * malformed.
 */
export function parseRange(text: string): AddressRange | null {
  const [addressText = '', lengthText, ...rest] = text.split('/');
  const dotted = addressText.includes(':') ? null : parseDottedQuad(addressText);
  const value = dotted ?? parseGroups(addressText);
  if (value === null || rest.length > 0) return null;
  const family = dotted === null ? 6 : 4;
  if (lengthText === undefined) return { family, value, prefixLength: BITS[family] };
  const prefixLength = /^\d{1,3}$/.test(lengthText) ? Number(lengthText) : Infinity;
  return prefixLength <= BITS[family] ? { family, value, prefixLength } : null;
}

export function contains(range: AddressRange, address: Address): boolean {
  if (range.family !== address.family) return false;
  const shift = BigInt(BITS[range.family] - range.prefixLength);
  return range.value >> shift === address.value >> shift;
}

export function sameAddress(left: Address, right: Address): boolean {
  return left.family === right.family && left.value === right.value;
}

function parseDottedQuad(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

/**
 * Parses IPv6 text in any form of RFC 4291 §2.2, because operators write ranges in all of them. Returns null if
 * malformed.
 */
function parseGroups(text: string): bigint | null {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const dotted = parseDottedQuad(tail);
  if (dotted !== null) {
    const hexadecimal = `${(dotted >> 16n).toString(16)}:${(dotted & 0xffffn).toString(16)}`;
    return parseGroups(text.slice(0, text.length - tail.length) + hexadecimal);
  }
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [left = [], right] = halves;
  const missing = 8 - left.length - (right?.length ?? 0);
  if (halves.length > 2 || (right === undefined ? missing !== 0 : missing < 1)) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...(right ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/**
 * Formats an IPv6 address (RFC 5952 §4): `::` replaces the longest run of two or more zero groups, the first if several
 * are equal.
 */
function formatGroups(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0n) length++;
    if (length > best.length) best = { start, length };
  }
  const text = (part: bigint[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.length < 2) return text(groups);
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`;
}

function formatMapped(value: bigint): string | null {
  if (value >> 32n !== 0xffffn) return null;
  const octets = [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn));
  return `::ffff:${octets.join('.')}`;
}

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
  // IPv4-mapped addresses (RFC 4291 §2.5.5.2) are not listed, because `unwrapMapped` converts them first.
  // IPv4-compatible (RFC 4291 §2.5.5.1), except :: and ::1.
  {
    matches: (address) => address.value > 1n && inCompatible(address),
    extract: (value) => value & LOW_32,
  },
  // IPv4-translated (RFC 2765).
  { matches: inRange('::ffff:0:0:0/96'), extract: (value) => value & LOW_32 },
  // NAT64 with the local-use prefix (RFC 8215), assuming its usual length of 96 bits. `nat64.ts` has the prefixes in use.
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
 * Returns the IPv4 address inside an IPv4-mapped address (::ffff:0:0/96), because sockets connect to it. Returns other
 * addresses unchanged.
 */
export function unwrapMapped(address: Address): Address {
  return inMapped(address) ? { family: 4, value: address.value & LOW_32 } : address;
}

/** Returns the IPv4 addresses to which a transition mechanism may deliver packets for this IPv6 address. */
export function embeddedAddresses(address: Address): Address[] {
  return EMBEDDINGS.filter((embedding) => embedding.matches(address)).map((embedding) => ({
    family: 4,
    value: embedding.extract(address.value),
  }));
}
