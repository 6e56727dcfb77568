import { refused, wrongProtocol } from './talk.ts';
import type { Parser, Talk } from './talk.ts';

/** SSLRequest (PostgreSQL frontend/backend protocol, §55.7). */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

export async function postgres(talk: Talk): Promise<void> {
  talk.send(SSL_REQUEST);
  const answer = await talk.take(firstByte);
  if (answer === 'S') return;
  if (answer === 'N') throw refused('TLS is not offered');
  // An error message: the server does not know SSLRequest or accepts no more connections.
  if (answer === 'E') throw refused('an error is the answer');
  throw wrongProtocol('no answer of PostgreSQL');
}

const firstByte: Parser<string> = (seen) =>
  seen.length === 0 ? null : { value: seen.toString('latin1', 0, 1), length: 1 };

/** SSLRequest: 32 bytes, sequence number 1, the capabilities including CLIENT_SSL, the largest packet size, UTF-8. */
const MYSQL_SSL_REQUEST = Buffer.concat([Buffer.from('2000000185ae7f000000000121', 'hex'), Buffer.alloc(23)]);
const CLIENT_SSL = 0x0800;
const HEADER_BYTES = 4;
const MAX_GREETING_BYTES = 4 * 1024;
/** Connection id, first part of the challenge, zero byte. */
const BEFORE_CAPABILITIES_BYTES = 4 + 8 + 1;

export async function mysql(talk: Talk): Promise<void> {
  const capabilities = await talk.take(mysqlGreeting);
  if ((capabilities & CLIENT_SSL) === 0) throw refused('TLS is not offered');
  talk.send(MYSQL_SSL_REQUEST);
}

/** Parses a HandshakeV10 packet to the lower 16 bits of its capabilities. */
const mysqlGreeting: Parser<number> = (seen) => {
  if (seen.length < HEADER_BYTES + 1) return null;
  const payloadBytes = seen.readUIntLE(0, 3);
  if (seen[3] !== 0 || payloadBytes > MAX_GREETING_BYTES) throw wrongProtocol('no greeting of MySQL');
  const version = seen[HEADER_BYTES];
  if (version === 0xff) throw refused('the greeting is an error');
  if (version !== 10) throw wrongProtocol('no greeting of MySQL');
  const length = HEADER_BYTES + payloadBytes;
  if (seen.length < length) return null;
  const packet = seen.subarray(0, length);
  const endOfName = packet.indexOf(0, HEADER_BYTES + 1);
  const at = endOfName + 1 + BEFORE_CAPABILITIES_BYTES;
  if (endOfName === -1 || at + 2 > length) throw wrongProtocol('a greeting that is too short');
  return { value: packet.readUInt16LE(at), length };
};
