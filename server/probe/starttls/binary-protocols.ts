import {
  type Dialogue,
  noStartTls,
  type Parser,
  type PlaintextSession,
  refusalOf,
  type ServerAnswer,
  serverRefused,
  type SessionState,
  StartTlsError,
  wrongProtocol,
} from './plaintext-session.ts';

/** Dialogues of the protocols whose messages are binary. */
export const BINARY_PROTOCOLS = {
  ldap: {
    answersLdap: (words) => words.slice(2, 12).startsWith(FIRST_RESPONSE, words[1] === '\x84' ? 4 : 0),
    startTls: ldap,
    goodbye: ldapUnbind,
  },
  // No goodbye: clients of PostgreSQL may send Terminate only after their startup packet. Before that packet, the server logs a wrong
  // length.
  postgres: { startTls: postgres },
  // A packet with the number 0, and version 10 of the handshake.
  mysql: { greeting: /^[\s\S]{3}\0\n/, startTls: mysql, goodbye: mysqlLogin },
} satisfies Record<string, Dialogue>;

/** SSLRequest message of PostgreSQL (frontend/backend protocol, §55.7). */
const POSTGRES_SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

/** Negotiates TLS with an SSLRequest of PostgreSQL. Rejects with StartTlsError on failure. */
async function postgres(session: PlaintextSession): Promise<void> {
  session.send(POSTGRES_SSL_REQUEST);
  const answer = await session.take(firstByte);
  if (answer === 'S') return;
  if (answer === 'N') throw noStartTls();
  if (answer === 'E') {
    const error = await session.take(postgresError);
    // A server that does not know SSLRequest answers with “feature not supported”.
    if (error.code === '0A000') throw noStartTls(error);
    throw serverRefused(error, TEMPORARY_SQLSTATE.test(error.code ?? ''));
  }
  throw wrongProtocol('The server sent bytes that are not a PostgreSQL response.');
}

const firstByte: Parser<string> = (seen) =>
  seen.length === 0 ? null : { value: seen.toString('latin1', 0, 1), length: 1 };

/** Insufficient resources, such as too many connections, and shutting down or starting up (PostgreSQL 17, appendix A). */
const TEMPORARY_SQLSTATE = /^(?:53...|57P0[123])$/;
const MAX_POSTGRES_ERROR_BYTES = 8 * 1024;

/**
 * Parses an ErrorResponse after its first byte (PostgreSQL 17, §53.7). Bytes of another form, such as the text of a server that cannot
 * start a process for the connection, are an error without code and text.
 */
const postgresError: Parser<ServerAnswer> = (seen) => {
  if (seen.length < 4) return null;
  const length = seen.readUInt32BE(0);
  if (length > MAX_POSTGRES_ERROR_BYTES) return { value: { code: null, text: '' }, length: seen.length };
  if (seen.length < length) return null;
  const fields = new Map(
    seen
      .toString('latin1', 4, length)
      .split('\0')
      .map((field) => [field.slice(0, 1), field.slice(1)]),
  );
  const code = fields.get('C') ?? '';
  return {
    value: { code: /^[0-9A-Z]{5}$/.test(code) ? code : null, text: fields.get('M') ?? '' },
    length,
  };
};

/**
 * The capabilities that we announce, without CLIENT_SSL (among them CLIENT_SECURE_CONNECTION, CLIENT_PLUGIN_AUTH and
 * CLIENT_CONNECT_ATTRS), then a maximum packet size of 16 MiB and the number of UTF-8.
 */
const MYSQL_CLIENT = Buffer.concat([Buffer.from('85a67f000000000121', 'hex'), Buffer.alloc(23)]);
const CLIENT_SSL = 0x0800;
/** The same with CLIENT_SSL. */
const MYSQL_TLS_CLIENT = Buffer.from(MYSQL_CLIENT);
MYSQL_TLS_CLIENT.writeUInt16LE(MYSQL_CLIENT.readUInt16LE() | CLIENT_SSL);
const MYSQL_HEADER_BYTES = 4;
const MAX_MYSQL_GREETING_BYTES = 4 * 1024;
/** Bytes between the server version and the capabilities: connection id, first part of the challenge, zero byte. */
const BEFORE_CAPABILITIES_BYTES = 4 + 8 + 1;

/** Negotiates TLS with an SSLRequest of MySQL. Rejects with StartTlsError on failure. */
async function mysql(session: PlaintextSession): Promise<void> {
  const capabilities = await session.take(mysqlGreeting);
  if ((capabilities & CLIENT_SSL) === 0) throw noStartTls();
  session.send(mysqlPacket(1, MYSQL_TLS_CLIENT));
}

const HOST_IS_BLOCKED = 1129;
/** Too many connections, shutdown, no thread for the connection, too many connections of the user. */
const TEMPORARY_MYSQL_ERRORS = [1040, 1053, 1135, 1203];

/**
 * Returns the error for the payload of an ERR_Packet: 0xff, the error number, a message. Before the greeting it has no SQLSTATE, because
 * the server does not know our capabilities yet.
 */
function mysqlRefusal(payload: Buffer): StartTlsError {
  const number = payload.readUInt16LE(1);
  const text = payload.toString('latin1', 3).replace(/^#.{5}/, '');
  const answer = { code: String(number), text };
  if (number === HOST_IS_BLOCKED) return new StartTlsError('client_blocked', null, refusalOf(answer, true));
  return serverRefused(answer, TEMPORARY_MYSQL_ERRORS.includes(number));
}

/** First bytes of packets that a server sends during a login. */
const MYSQL_OK = 0;
const MYSQL_AUTH_SWITCH = 0xfe;
const MYSQL_ERROR = 0xff;
const COM_QUIT = 1;
/** Maximum number of packets of a login. Authentication plugins need at most three before OK or an error. */
const MAX_MYSQL_PACKETS = 5;

/**
 * Logs in with an empty user name and no password, which servers refuse. A server that gets no login counts a connection error of our
 * address, and refuses everybody behind that address after 100 of them (`max_connect_errors`). A refused login is not counted.
 */
async function mysqlLogin(session: PlaintextSession, _domain: string, state: SessionState): Promise<void> {
  const isPlain = state === 'refused';
  // User name, length of the password's hash, plugin, length of the attributes (HandshakeResponse41).
  const credentials = Buffer.from('\0\0mysql_native_password\0\0', 'latin1');
  session.send(
    mysqlPacket(isPlain ? 1 : 2, Buffer.concat([isPlain ? MYSQL_CLIENT : MYSQL_TLS_CLIENT, credentials])),
  );
  for (let packets = 0; packets < MAX_MYSQL_PACKETS; packets++) {
    const { sequence, payload } = await session.take(mysqlMessage);
    if (payload[0] === MYSQL_ERROR) return;
    if (payload[0] === MYSQL_OK) return session.send(mysqlPacket(0, Buffer.from([COM_QUIT])));
    const plugin =
      payload[0] === MYSQL_AUTH_SWITCH ? payload.toString('latin1', 1, payload.indexOf(0, 1)) : '';
    session.send(mysqlPacket(sequence + 1, withoutPassword(plugin)));
  }
}

/** Returns what clients without a password answer to an authentication plugin: nothing, a signature, or an empty string. */
function withoutPassword(plugin: string): Buffer {
  if (plugin === 'mysql_native_password') return Buffer.alloc(0);
  // The server counts an error if the signature has another length.
  if (plugin === 'client_ed25519') return Buffer.alloc(64);
  return Buffer.alloc(1);
}

function mysqlPacket(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(MYSQL_HEADER_BYTES);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
}

/** Parses one packet. Throws StartTlsError if it is empty or longer than those of a login. */
const mysqlMessage: Parser<{ sequence: number; payload: Buffer }> = (seen) => {
  if (seen.length < MYSQL_HEADER_BYTES) return null;
  const payloadBytes = seen.readUIntLE(0, 3);
  if (payloadBytes === 0 || payloadBytes > MAX_MYSQL_GREETING_BYTES)
    throw wrongProtocol('The server sent a packet that does not belong to a MySQL login.');
  const length = MYSQL_HEADER_BYTES + payloadBytes;
  if (seen.length < length) return null;
  return { value: { sequence: seen[3] ?? 0, payload: seen.subarray(MYSQL_HEADER_BYTES, length) }, length };
};

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
  if (version !== 10 && version !== 0xff)
    throw wrongProtocol('The server sent a first packet that is not a MySQL greeting.');
  const length = MYSQL_HEADER_BYTES + payloadBytes;
  if (seen.length < length) return null;
  const packet = seen.subarray(0, length);
  if (version === 0xff && payloadBytes >= 3) throw mysqlRefusal(packet.subarray(MYSQL_HEADER_BYTES));
  const endOfName = packet.indexOf(0, MYSQL_HEADER_BYTES + 1);
  const at = endOfName + 1 + BEFORE_CAPABILITIES_BYTES;
  if (endOfName === -1 || at + 2 > length)
    throw wrongProtocol('The server sent a MySQL greeting that is too short.');
  return { value: packet.readUInt16LE(at), length };
};

/** StartTLS request: LDAPMessage 1 with an ExtendedRequest for 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14.1). */
export const LDAP_START_TLS = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
/** Message id 1 and the tag of an ExtendedResponse. They follow the length of the message, which Active Directory encodes in five bytes. */
const FIRST_RESPONSE = '\x02\x01\x01x';
const MAX_LDAP_MESSAGE_BYTES = 16 * 1024;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const ENUMERATED = 0x0a;
const EXTENDED_RESPONSE = 0x78;

/**
 * Negotiates TLS with the StartTLS operation of LDAP (RFC 4511 §4.14). Rejects with StartTlsError on failure.
 */
async function ldap(session: PlaintextSession): Promise<void> {
  session.send(LDAP_START_TLS);
  const { resultCode, isNotice, text } = await session.take(extendedResponse);
  if (resultCode === 0) return;
  const answer = { code: String(resultCode), text };
  if (resultCode === PROTOCOL_ERROR && !isNotice) throw noStartTls(answer);
  throw serverRefused(answer, TEMPORARY_RESULTS.includes(resultCode));
}

/** The server does not know StartTLS (RFC 4511 §4.14.1). */
const PROTOCOL_ERROR = 2;
/** busy and unavailable (RFC 4511 appendix A.2) */
const TEMPORARY_RESULTS = [51, 52];

interface LdapResult {
  resultCode: number;
  /** Whether it is a notice of disconnection (RFC 4511 §4.4.1), which answers no request. */
  isNotice: boolean;
  /** The diagnosticMessage; empty after success. */
  text: string;
}

/** UnbindRequest: LDAPMessage 2, which the server does not answer (RFC 4511 §4.3). */
const LDAP_UNBIND = Buffer.from('30050201024200', 'hex');

async function ldapUnbind(session: PlaintextSession): Promise<void> {
  session.send(LDAP_UNBIND);
}

/**
 * Parses an LDAPMessage with an ExtendedResponse (RFC 4511 §4.12). Throws StartTlsError for other
 * messages.
 */
const extendedResponse: Parser<LdapResult> = (seen) => {
  const message = readBerHeader(seen, SEQUENCE);
  if (message === null) return null;
  if (message.length > MAX_LDAP_MESSAGE_BYTES)
    throw wrongProtocol(
      `The server announced an LDAP message of ${message.length} bytes, which exceeds our limit.`,
    );
  if (seen.length < message.length) return null;
  const id = readBerElement(message.content(seen), INTEGER);
  const response = readBerElement(id.rest, EXTENDED_RESPONSE);
  const { content: resultCode, rest } = readBerElement(response.content, ENUMERATED);
  if (resultCode.length !== 1)
    throw wrongProtocol('The server sent an LDAP response without a valid result code.');
  const isNotice = id.content.every((byte) => byte === 0);
  const result = { resultCode: resultCode[0] ?? 0, isNotice };
  if (result.resultCode === 0) return { value: { ...result, text: '' }, length: message.length };
  const matchedName = readBerElement(rest, OCTET_STRING);
  const text = readBerElement(matchedName.rest, OCTET_STRING).content.toString('latin1');
  return { value: { ...result, text }, length: message.length };
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
