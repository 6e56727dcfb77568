import { refused, wrongProtocol } from './talk.ts';
import type { Parser, Talk } from './talk.ts';

/** LDAPMessage 1 with an ExtendedRequest for 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14.1). */
const START_TLS = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
const MAX_MESSAGE_BYTES = 16 * 1024;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const ENUMERATED = 0x0a;
const EXTENDED_RESPONSE = 0x78;

export async function ldap(talk: Talk): Promise<void> {
  talk.send(START_TLS);
  const resultCode = await talk.take(extendedResponse);
  if (resultCode !== 0) throw refused(`the result is ${resultCode}`);
}

/** Parses an LDAPMessage with an ExtendedResponse to its resultCode (RFC 4511 §4.12). */
const extendedResponse: Parser<number> = (seen) => {
  const message = readHeader(seen, SEQUENCE);
  if (message === null) return null;
  if (message.length > MAX_MESSAGE_BYTES) throw wrongProtocol(`a message of ${message.length} bytes`);
  if (seen.length < message.length) return null;
  const id = readElement(message.content(seen), INTEGER);
  const response = readElement(id.rest, EXTENDED_RESPONSE);
  const { content: resultCode } = readElement(response.content, ENUMERATED);
  if (resultCode.length !== 1) throw wrongProtocol('no result of LDAP');
  return { value: resultCode[0] ?? 0, length: message.length };
};

interface Element {
  /** In bytes, including tag and length. */
  length: number;
  content(bytes: Buffer): Buffer;
}

/**
 * Reads the header of a BER element of definite length; returns null while it is incomplete. It is not DER, because
 * Active Directory writes every length in five bytes, which DER does not allow.
 */
function readHeader(bytes: Buffer, tag: number): Element | null {
  if (bytes.length > 0 && bytes[0] !== tag) throw wrongProtocol('no answer of LDAP');
  const first = bytes[1];
  if (first === undefined) return null;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw wrongProtocol('no answer of LDAP');
  if (bytes.length < 2 + lengthBytes) return null;
  const contentLength = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  const length = start + contentLength;
  return { length, content: (from) => from.subarray(start, length) };
}

/** Reads an element that must be complete. Returns its content and the bytes after it. */
function readElement(bytes: Buffer, tag: number): { content: Buffer; rest: Buffer } {
  const found = readHeader(bytes, tag);
  if (found === null || found.length > bytes.length) throw wrongProtocol('a length that does not fit');
  return { content: found.content(bytes), rest: bytes.subarray(found.length) };
}
