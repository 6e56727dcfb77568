/** The entries 8 to 14 of the static table (RFC 7541, Appendix A). */
const STATIC_STATUS = [200, 204, 206, 304, 400, 404, 500];
const FIRST_STATIC = 8;
/** The name `:status`, plain and Huffman-coded, in hexadecimal. */
const STATUS_NAMES = ['3a737461747573', 'b8848d36a3'];

/** Returns the status of a response from the beginning of its field block; null if it does not begin with one. */
export function statusOf(fields: Buffer): number | null {
  let at = 0;
  const next = (): number => fields[at++] ?? 0;
  let first = next();
  // Skip changes of the table size (RFC 7541 §6.3).
  while ((first & 0xe0) === 0x20) {
    if ((first & 0x1f) === 0x1f) while ((next() & 0x80) !== 0);
    first = next();
  }
  if ((first & 0x80) !== 0) return STATIC_STATUS[(first & 0x7f) - FIRST_STATIC] ?? null;
  const text = (): { bytes: Buffer; isCompressed: boolean } => {
    const length = next();
    const bytes = fields.subarray(at, (at += length & 0x7f));
    return { bytes, isCompressed: (length & 0x80) !== 0 };
  };
  const name = first & ((first & 0x40) === 0 ? 0x0f : 0x3f);
  const isStatus =
    name === 0
      ? STATUS_NAMES.includes(text().bytes.toString('hex'))
      : STATIC_STATUS[name - FIRST_STATIC] !== undefined;
  const { bytes, isCompressed } = text();
  const digits = isCompressed ? decompressedDigits(bytes) : bytes.toString('latin1');
  return isStatus && /^[1-9]\d\d$/.test(digits) ? Number(digits) : null;
}

/** Decompresses digits (RFC 7541, Appendix B): 0 to 2 have five bits, 3 to 9 six. Stops at any other character. */
function decompressedDigits(bytes: Buffer): string {
  const bits = [...bytes.subarray(0, 3)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; at + 5 <= bits.length;) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2);
    const six = Number.parseInt(bits.slice(at, at + 6), 2);
    if (five <= 2) digits += String(five);
    else if (six >= 25 && six <= 31 && at + 6 <= bits.length) digits += String(six - 22);
    else break;
    at += five <= 2 ? 5 : 6;
  }
  return digits;
}

/** Integers up to this value are read exactly (RFC 7541 §5.1). No client accepts a string of this length. */
const MAX_INTEGER = 2 ** 24;

/**
 * Returns whether clients can decode a header section (RFC 7541 §6, RFC 9113 §8.2.1). Does not check Huffman-coded strings, nor references to the
 * dynamic table: some servers use one although our preface sets its size to 0.
 */
export function isReadable(fields: Buffer): boolean {
  let at = 0;
  const integer = (prefixBits: number): number => {
    const most = 2 ** prefixBits - 1;
    let value = (fields[at++] ?? 0) & most;
    if (value < most) return value;
    for (let factor = 1; value < MAX_INTEGER; factor *= 128) {
      const byte = fields[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
    }
    return value;
  };
  /** Reads the next string. Returns whether it has none of these characters. */
  const isString = (forbidden: RegExp): boolean => {
    const isCompressed = ((fields[at] ?? 0) & 0x80) !== 0;
    const length = integer(7);
    const text = fields.subarray(at, (at += length)).toString('latin1');
    return isCompressed || !forbidden.test(text);
  };
  while (at < fields.length) {
    const first = fields[at] ?? 0;
    if ((first & 0x80) !== 0) {
      if (integer(7) === 0) return false;
    } else if ((first & 0xe0) === 0x20) integer(5);
    else {
      const name = integer((first & 0x40) === 0 ? 4 : 6);
      if ((name === 0 && !isString(FORBIDDEN_IN_NAMES)) || !isString(FORBIDDEN_IN_VALUES)) return false;
    }
  }
  return at === fields.length;
}

const FORBIDDEN_IN_NAMES = /[\0-\x20A-Z\x7f-\xff]/;
const FORBIDDEN_IN_VALUES = /[\0\r\n]/;
