import { type Address, type AddressRange, contains, parseAddress, parseRange } from './address.ts';
import type { AddressAnswer } from './dns-queries.ts';
import { type TimeLimit, withTimeout } from './with-timeout.ts';

/** NAT64 prefix that every network may use (RFC 6052 §2.1). */
export const WELL_KNOWN_PREFIX = parseRange('64:ff9b::/96') as AddressRange;
/** Name that has no AAAA record of its own, so that each one comes from the DNS64 of our name servers (RFC 7050 §3). */
export const DISCOVERY_NAME = 'ipv4only.arpa';

/** Lengths of NAT64 prefixes (RFC 6052 §2.2). */
const PREFIX_LENGTHS = [32, 40, 48, 56, 64, 96];
const IPV4_ONLY_ADDRESSES = [0xc000_00aan, 0xc000_00abn];
/** Where a network's own prefix can be: in global, unique local and local-use (RFC 8215) addresses, not in 6to4 and Teredo. */
const PREFIX_RANGES = ranges('2000::/3', 'fc00::/7', '64:ff9b:1::/48');
const NO_PREFIX_RANGES = ranges('2001::/32', '2002::/16');

/** How long a result is used before the next query, ms, even if the result is that there is no prefix. */
const ASK_AGAIN_MS = 10 * 60_000;
const RETRY_MS = 60_000;
/** Answers that show that our name servers have no DNS64. */
const NO_DNS64 = ['ENODATA', 'ENOTFOUND'];

const LOW_32 = 0xffff_ffffn;
const LOW_64 = 0xffff_ffff_ffff_ffffn;

/**
 * Returns the IPv4 address inside an address of the prefix. Returns null if bits 64 to 71 are not zero, as they must be
 * unless the prefix contains them (RFC 6052 §2.2).
 */
export function ipv4Inside({ prefixLength }: AddressRange, { value }: Address): Address | null {
  if (prefixLength === 96) return { family: 4, value: value & LOW_32 };
  const low = value & LOW_64;
  if (low >> 56n !== 0n) return null;
  const withoutZeros = ((value >> 64n) << 56n) | low;
  return { family: 4, value: (withoutZeros >> BigInt(88 - prefixLength)) & LOW_32 };
}

/**
 * Returns the NAT64 prefixes that the AAAA records of `DISCOVERY_NAME` show (RFC 7050 §3). A prefix must come with both
 * IPv4 addresses of that name, so that a prefix that looks like one of them is not misread.
 */
function nat64Prefixes(records: readonly string[]): AddressRange[] {
  const found = new Map<string, { prefix: AddressRange; inside: Set<bigint> }>();
  for (const address of records.map(parseAddress)) {
    for (const prefixLength of address?.family === 6 ? PREFIX_LENGTHS : []) {
      const { value } = address as Address;
      const hostBits = BigInt(128 - prefixLength);
      const prefix: AddressRange = { family: 6, value: (value >> hostBits) << hostBits, prefixLength };
      const inside = ipv4Inside(prefix, { family: 6, value })?.value ?? 0n;
      if (!IPV4_ONLY_ADDRESSES.includes(inside) || !mayBeTranslated(prefix)) continue;
      const key = `${prefix.value}/${prefixLength}`;
      const entry = found.get(key) ?? { prefix, inside: new Set() };
      found.set(key, entry);
      entry.inside.add(inside);
    }
  }
  return [...found.values()]
    .filter(({ inside }) => inside.size === IPV4_ONLY_ADDRESSES.length)
    .map(({ prefix }) => prefix);
}

/** Returns whether an address, or a prefix, is in a range that networks may use for a NAT64 prefix of their own. */
function mayBeTranslated(address: Address): boolean {
  return (
    PREFIX_RANGES.some((range) => contains(range, address)) &&
    !NO_PREFIX_RANGES.some((range) => contains(range, address))
  );
}

function ranges(...texts: readonly string[]): AddressRange[] {
  return texts.map((text) => parseRange(text) as AddressRange);
}

/**
 * Returns a function that passes the network's NAT64 prefixes to `learn` if an address may be in one. It queries at most once in
 * ten minutes, or one minute after a failure. Calls wait for the first query only. If a query fails, the last prefixes stay.
 */
export function createNat64Discovery(
  query: () => Promise<AddressAnswer>,
  learn: (prefixes: readonly AddressRange[]) => void,
): (addresses: readonly string[], limit: TimeLimit) => Promise<void> {
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let first: Promise<void> | null = null;
  const discover = async (): Promise<void> => {
    const answer = await query();
    if (answer.ok) learn(nat64Prefixes(answer.addresses));
    else if (NO_DNS64.includes(answer.code)) learn([]);
    else askAgainAt = performance.now() + RETRY_MS;
  };
  return async (addresses, limit) => {
    const isNeeded = addresses.some((text) => {
      const address = parseAddress(text);
      return address !== null && mayBeTranslated(address);
    });
    if (!isNeeded) return;
    if (performance.now() >= askAgainAt) {
      askAgainAt = performance.now() + ASK_AGAIN_MS;
      const discovery = discover();
      first ??= discovery;
    }
    await withTimeout(first ?? Promise.resolve(), limit, undefined);
  };
}
