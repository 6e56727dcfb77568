import {
  type Dialogue,
  type Parser,
  startTlsRefused,
  type PlaintextSession,
  wrongProtocol,
} from './plaintext-session.ts';

/** TLS negotiation in the protocols whose messages are binary. */
export const BINARY_PROTOCOLS = {
  ldap: { startTls: ldap },
  postgres: { startTls: postgres },
  mysql: { startTls: mysql },
} satisfies Record<string, Dialogue>;

/** SSLRequest message of PostgreSQL (frontend/backend protocol, §55.7). */
const POSTGRES_SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

/** Negotiates TLS with an SSLRequest of PostgreSQL. Rejects with StartTlsError on failure. */
async function postgres(session: PlaintextSession): Promise<void> {
  session.send(POSTGRES_SSL_REQUEST);
  const answer = await session.take(firstByte);
  if (answer === 'S') return;
  if (answer === 'N') throw startTlsRefused('The server does not offer TLS.');
  // An error message: the server does not know SSLRequest or accepts no more connections.
  if (answer === 'E') throw startTlsRefused('The server answered the request for TLS with an error.');
  throw wrongProtocol('The server sent bytes that are not a PostgreSQL response.');
}

const firstByte: Parser<string> = (seen) =>
  seen.length === 0 ? null : { value: seen.toString('latin1', 0, 1), length: 1 };

/**
 * SSLRequest packet of MySQL: 32 bytes, sequence number 1, the capabilities including CLIENT_SSL, a
 * maximum packet size of 16 MiB, UTF-8.
 */
const MYSQL_SSL_REQUEST = Buffer.concat([Buffer.from('2000000185ae7f000000000121', 'hex'), Buffer.alloc(23)]);
const CLIENT_SSL = 0x0800;
const MYSQL_HEADER_BYTES = 4;
const MAX_MYSQL_GREETING_BYTES = 4 * 1024;
/** Bytes between the server version and the capabilities: connection id, first part of the challenge, zero byte. */
const BEFORE_CAPABILITIES_BYTES = 4 + 8 + 1;

/** Negotiates TLS with an SSLRequest of MySQL. Rejects with StartTlsError on failure. */
async function mysql(session: PlaintextSession): Promise<void> {
  const capabilities = await session.take(mysqlGreeting);
  if ((capabilities & CLIENT_SSL) === 0) throw startTlsRefused('The server does not offer TLS.');
  session.send(MYSQL_SSL_REQUEST);
}

/**
 * Parses a HandshakeV10 packet and returns the lower 16 bits of its capabilities. Throws
 * StartTlsError for other packets.
 */
const mysqlGreeting: Parser<number> = (seen) => {
  if (seen.length < MYSQL_HEADER_BYTES + 1) return null;
  const payloadBytes = seen.readUIntLE(0, 3);
  if (seen[3] !== 0 || payloadBytes > MAX_MYSQL_GREETING_BYTES)
    throw wrongProtocol('The server sent a first packet that is not a MySQL greeting.');
  const version = seen[MYSQL_HEADER_BYTES];
  if (version === 0xff) throw startTlsRefused('The server greeted us with an error.');
  if (version !== 10) throw wrongProtocol('The server sent a first packet that is not a MySQL greeting.');
  const length = MYSQL_HEADER_BYTES + payloadBytes;
  if (seen.length < length) return null;
  const packet = seen.subarray(0, length);
  const endOfName = packet.indexOf(0, MYSQL_HEADER_BYTES + 1);
  const at = endOfName + 1 + BEFORE_CAPABILITIES_BYTES;
  if (endOfName === -1 || at + 2 > length)
    throw wrongProtocol('The server sent a MySQL greeting that is too short.');
  return { value: packet.readUInt16LE(at), length };
};

/** StartTLS request: LDAPMessage 1 with an ExtendedRequest for 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14.1). */
const LDAP_START_TLS = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
const MAX_LDAP_MESSAGE_BYTES = 16 * 1024;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const ENUMERATED = 0x0a;
const EXTENDED_RESPONSE = 0x78;

/**
 * Negotiates TLS with the StartTLS operation of LDAP (RFC 4511 §4.14). Rejects with StartTlsError on failure.
 */
async function ldap(session: PlaintextSession): Promise<void> {
  session.send(LDAP_START_TLS);
  const resultCode = await session.take(extendedResponse);
  if (resultCode !== 0) throw startTlsRefused(`The server answered StartTLS with result code ${resultCode}.`);
}

/**
 * Parses an LDAPMessage with an ExtendedResponse and returns its resultCode (RFC 4511 §4.12). Throws
 * StartTlsError for other messages.
 */
const extendedResponse: Parser<number> = (seen) => {
  const message = readBerHeader(seen, SEQUENCE);
  if (message === null) return null;
  if (message.length > MAX_LDAP_MESSAGE_BYTES)
    throw wrongProtocol(
      `The server announced an LDAP message of ${message.length} bytes, which exceeds our limit.`,
    );
  if (seen.length < message.length) return null;
  const id = readBerElement(message.content(seen), INTEGER);
  const response = readBerElement(id.rest, EXTENDED_RESPONSE);
  const { content: resultCode } = readBerElement(response.content, ENUMERATED);
  if (resultCode.length !== 1)
    throw wrongProtocol('The server sent an LDAP response without a valid result code.');
  return { value: resultCode[0] ?? 0, length: message.length };
};

interface BerElement {
  /** Size of the element in bytes, including tag and length. */
  length: number;
  content(bytes: Buffer): Buffer;
}

/**
 * Reads the header of a BER element of definite length; returns null while it is incomplete. Does not require DER,
 * because Active Directory writes every length in five bytes. Throws StartTlsError if it is malformed.
 */
function readBerHeader(bytes: Buffer, tag: number): BerElement | null {
  if (bytes.length > 0 && bytes[0] !== tag)
    throw wrongProtocol('The server sent bytes that are not an LDAP response.');
  const first = bytes[1];
  if (first === undefined) return null;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4)
    throw wrongProtocol('The server sent bytes that are not an LDAP response.');
  if (bytes.length < 2 + lengthBytes) return null;
  const contentLength = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  const length = start + contentLength;
  return { length, content: (from) => from.subarray(start, length) };
}

/** Reads one complete element. Returns its content and the bytes after it. Throws StartTlsError if it is incomplete. */
function readBerElement(bytes: Buffer, tag: number): { content: Buffer; rest: Buffer } {
  const found = readBerHeader(bytes, tag);
  if (found === null || found.length > bytes.length)
    throw wrongProtocol('The server sent an LDAP element that is longer than its message.');
  return { content: found.content(bytes), rest: bytes.subarray(found.length) };
}
