/** Encodes one TLV with a definite, minimal length (X.690 §10.1). */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(value: number): Buffer {
  if (value < 0x80) return Buffer.from([value]);
  const octets: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([0x80 | octets.length, ...octets]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => tlv(0x30, ...contents);
export const set = (...contents: readonly Uint8Array[]): Buffer => tlv(0x31, ...contents);
export const octetString = (content: Uint8Array): Buffer => tlv(0x04, content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const derNull = (): Buffer => tlv(0x05);
export const utf8String = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));
export const printableString = (text: string): Buffer => tlv(0x13, Buffer.from(text, 'latin1'));
export const ia5String = (text: string): Buffer => tlv(0x16, Buffer.from(text, 'latin1'));

/** Encodes a context-specific tag. Pass `constructed` as true for EXPLICIT tags and structured values, as false for IMPLICIT strings. */
export function tagged(number: number, constructed: boolean, ...contents: readonly Uint8Array[]): Buffer {
  return tlv(0x80 | (constructed ? 0x20 : 0) | number, ...contents);
}

/**
 * Encodes an INTEGER in the fewest octets of two's complement (X.690 §8.3). Accepts negative values, because some CAs have
 * issued negative serial numbers by mistake.
 */
export function integer(value: bigint): Buffer {
  const octets: number[] = [];
  let rest = value;
  for (;;) {
    const octet = Number(BigInt.asUintN(8, rest));
    octets.unshift(octet);
    rest >>= 8n;
    const sign = octet & 0x80;
    if ((rest === 0n && sign === 0) || (rest === -1n && sign !== 0)) return tlv(0x02, Buffer.from(octets));
  }
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc % 128];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128))
      groups.unshift((high % 128) | 0x80);
    octets.push(...groups);
  }
  return tlv(0x06, Buffer.from(octets));
}

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return tlv(0x03, Buffer.from([unusedBits]), content);
}

/** Encodes a named-bit list: bit 0 is the most significant bit, and trailing zero bits are dropped (X.690 §11.2.2). */
export function namedBits(bits: readonly number[]): Buffer {
  if (bits.length === 0) return bitString(Buffer.alloc(0));
  const highest = Math.max(...bits);
  const octets = Buffer.alloc(Math.floor(highest / 8) + 1);
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(octets, 7 - (highest & 7));
}

/** Encodes `at` (ms UTC) as UTCTime through 2049 and as GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export function time(at: number): Buffer {
  const year = new Date(at).getUTCFullYear();
  return year >= 1950 && year < 2050
    ? tlv(0x17, Buffer.from(timeDigits(at).slice(2), 'latin1'))
    : generalizedTime(at);
}

export function generalizedTime(at: number): Buffer {
  return tlv(0x18, Buffer.from(timeDigits(at), 'latin1'));
}

function timeDigits(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
}
