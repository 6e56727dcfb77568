/**
 * Parses an IPv4 or IPv6 address into 4 or 16 octets. Returns null for any other text, including addresses with a
 * zone id or prefix length.
 */
export function parseIpAddress(text: string): Uint8Array | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  // Reject leading zeros, because many parsers read them as octal.
  if (!parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return Uint8Array.from(parts, Number);
}

function parseIpv6(text: string): Uint8Array | null {
  if (text.length > 45) return null;
  let hex = text;
  const lastColon = text.lastIndexOf(':');
  if (text.includes('.')) {
    const tail = parseIpv4(text.slice(lastColon + 1));
    if (tail === null) return null;
    const [a = 0, b = 0, c = 0, d = 0] = tail;
    hex = `${text.slice(0, lastColon + 1)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }
  const halves = hex.split('::');
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return null;
  return Uint8Array.from(groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]));
}

/**
 * Formats 4 or 16 octets as canonical text: IPv4 in dotted decimal, IPv6 by RFC 5952 (in its
 * mixed form for ::ffff:0:0/96).
 */
export function formatIpAddress(octets: Uint8Array): string {
  if (octets.length === 4) return octets.join('.');
  const groups: number[] = [];
  for (let index = 0; index < 16; index += 2)
    groups.push((octets[index] ?? 0) * 256 + (octets[index + 1] ?? 0));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${octets.slice(12).join('.')}`;
  }
  // RFC 5952 §4.2: `::` replaces the longest run of two or more zero groups, or the first of
  // several runs of that length.
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const text = (part: number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.length < 2) return text(groups);
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`;
}
