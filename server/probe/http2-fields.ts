import type { Http2Fault } from '../core/observation.ts';

/** The names of the static table that we need, by their first and last index (RFC 7541, Appendix A). */
const STATIC_NAMES: readonly (readonly [first: number, last: number, name: string])[] = [
  [1, 1, ':authority'],
  [2, 3, ':method'],
  [4, 5, ':path'],
  [6, 7, ':scheme'],
  [8, 14, ':status'],
  [28, 28, 'content-length'],
  [57, 57, 'transfer-encoding'],
];
/** The values of `:status` in the static table, from the index `FIRST_STATUS` on. */
const STATIC_STATUS = ['200', '204', '206', '304', '400', '404', '500'];
const FIRST_STATUS = 8;
/** The name `:status` in Huffman code (RFC 7541, Appendix B), in hexadecimal. */
const COMPRESSED_STATUS = 'b8848d36a3';

/** A field of a field block. `name`: empty if it is compressed or refers to a table entry that we do not need. */
interface Field {
  name: string;
  value: string;
}

/** Reading an integer stops at this value (RFC 7541 §5.1): it exceeds the length of any field block, so no client accepts it. */
const MAX_INTEGER = 2 ** 24;
const FORBIDDEN_IN_NAMES = /[\0-\x20A-Z\x7f-\xff]/;
const FORBIDDEN_IN_VALUES = /[\0\r\n]/;

/**
 * Yields the fields of a field block (RFC 7541 §6). Returns whether clients can decode all of them (RFC 9113 §8.2.1). Decompresses only
 * numbers. Accepts any reference to the dynamic table, because some servers use it although we set its size to 0.
 */
function* fieldsOf(section: Buffer): Generator<Field, boolean, undefined> {
  let at = 0;
  const integer = (prefixBits: number): number => {
    const most = 2 ** prefixBits - 1;
    let value = (section[at++] ?? 0) & most;
    if (value < most) return value;
    for (let factor = 1; value < MAX_INTEGER; factor *= 128) {
      const byte = section[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
    }
    return value;
  };
  /** Returns the next string; null if it contains a forbidden character. */
  const string = (forbidden: RegExp, decompress: (bytes: Buffer) => string): string | null => {
    const isCompressed = ((section[at] ?? 0) & 0x80) !== 0;
    const length = integer(7);
    const bytes = section.subarray(at, (at += length));
    if (isCompressed) return decompress(bytes);
    const text = bytes.toString('latin1');
    return forbidden.test(text) ? null : text;
  };
  const newName = (): string | null =>
    string(FORBIDDEN_IN_NAMES, (bytes) => (bytes.toString('hex') === COMPRESSED_STATUS ? ':status' : ''));
  while (at < section.length) {
    const first = section[at] ?? 0;
    if ((first & 0x80) !== 0) {
      const index = integer(7);
      if (index === 0) return false;
      yield { name: staticName(index), value: STATIC_STATUS[index - FIRST_STATUS] ?? '' };
    } else if ((first & 0xe0) === 0x20) {
      // A change of the table size (RFC 7541 §6.3).
      integer(5);
    } else {
      const index = integer((first & 0x40) === 0 ? 4 : 6);
      const name = index === 0 ? newName() : staticName(index);
      const value = string(FORBIDDEN_IN_VALUES, decompressedDigits);
      if (name === null || value === null || at > section.length) return false;
      yield { name, value };
    }
  }
  return at === section.length;
}

function staticName(index: number): string {
  return STATIC_NAMES.find(([first, last]) => index >= first && index <= last)?.[2] ?? '';
}

/** Returns the status of a response; null if its first field is not a status. */
export function statusOf(section: Buffer): number | null {
  const { value } = fieldsOf(section).next();
  const isStatus = typeof value === 'object' && value.name === ':status' && /^[1-9]\d\d$/.test(value.value);
  return isStatus ? Number(value.value) : null;
}

/** Fields of HTTP/1.1 that HTTP/2 forbids and only curl refuses (RFC 9113 §8.2.2). */
const CONNECTION_FIELDS = ['connection', 'keep-alive', 'proxy-connection', 'upgrade'];

/** Returns the faults in the fields of a response. No client accepts fields with the fault `malformed_frame`. */
export function faultsOfFields(section: Buffer): Set<Http2Fault> {
  const faults = new Set<Http2Fault>();
  const lengths = new Set<string>();
  let statuses = 0;
  let hasOthers = false;
  const fields = fieldsOf(section);
  let next = fields.next();
  for (; next.done !== true; next = fields.next()) {
    const { name, value } = next.value;
    if (!name.startsWith(':')) hasOthers = true;
    else if (hasOthers) faults.add('malformed_frame');
    else if (name === ':status' && ++statuses === 2) faults.add('second_status');
    else if (name !== ':status')
      faults.add(REQUEST_FIELDS.has(name) ? 'request_field' : 'unknown_pseudo_field');
    if (name === 'transfer-encoding') faults.add('transfer_encoding');
    if (CONNECTION_FIELDS.includes(name)) faults.add('connection_field');
    if (name === 'content-length') lengths.add(value);
  }
  if (!next.value) faults.add('malformed_frame');
  if (lengths.size > 1) faults.add('several_lengths');
  if (![...lengths].every((length) => /^\d*$/.test(length))) faults.add('invalid_length');
  return faults;
}

/** The pseudo-header fields of requests (RFC 9113 §8.3.1). */
const REQUEST_FIELDS = new Set([':authority', ':method', ':path', ':scheme']);

/**
 * Decompresses up to four digits (Huffman code, RFC 7541, Appendix B): 0 to 2 have five bits, 3 to 9 have six. Stops at any other
 * character.
 */
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
