import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { type TimeLimit, withTimeout } from '../with-timeout.ts';
import {
  type DnsQuery,
  type DnsQuestion,
  type DnsResponse,
  encodeQuery,
  RCODE,
  readResponse,
} from './dns-message.ts';

export interface NameServer {
  address: string;
  port: number;
}

type Received = DnsResponse | 'timeout' | 'malformed';

/** Maximum size of a response by TCP. Measured: the worst message of this size takes 0.14 s to read, one of 64 kB 1.7 s. */
const MAX_TCP_BYTES = 16_384;

/** Parses `ip`, `ip:port` or `[ip6]:port`. */
export function parseNameServer(text: string): NameServer {
  const [, bracketed, dotted, port] = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::(\d+))?$/.exec(text) ?? [];
  return { address: bracketed ?? dotted ?? text, port: Number(port ?? 53) };
}

/**
 * Asks one server by UDP, and by TCP if the response is truncated or unreadable. Asks without EDNS if the server does not know it
 * (RFC 6891 §7). `timeout`: no response, or no connection. Never rejects.
 */
export async function askServer(
  server: NameServer,
  question: DnsQuestion,
  { disableChecking, limit }: { disableChecking: boolean; limit: TimeLimit },
): Promise<Received> {
  const ask = async (withEdns: boolean): Promise<Received> => {
    const query = encodeQuery(question, { withEdns, disableChecking });
    const received = await askByUdp(server, query, limit);
    const isComplete = received === 'timeout' || (received !== 'malformed' && !received.isTruncated);
    return isComplete ? received : askByTcp(server, query, limit);
  };
  const received = await ask(true);
  const knowsNoEdns =
    typeof received === 'object' &&
    (received.rcode === RCODE.formatError || received.rcode === RCODE.notImplemented);
  return knowsNoEdns ? ask(false) : received;
}

/** Asks from a socket of its own, so that each query has a random port (RFC 5452 §9.2). */
async function askByUdp(server: NameServer, query: DnsQuery, limit: TimeLimit): Promise<Received> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  try {
    return await withTimeout(receiveDatagram(socket, server, query), limit, 'timeout');
  } finally {
    socket.close();
  }
}

function receiveDatagram(socket: UdpSocket, server: NameServer, query: DnsQuery): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  const fail = (): void => resolve('timeout');
  // A connected socket receives messages from this address and port only, and learns if the port is closed.
  socket.on('error', fail);
  socket.on('message', (message) => {
    const response = readResponse(message, query);
    if (response !== 'foreign') resolve(response);
  });
  socket.connect(server.port, server.address, () => socket.send(query.bytes, (error) => error && fail()));
  return promise;
}

async function askByTcp(server: NameServer, query: DnsQuery, limit: TimeLimit): Promise<Received> {
  const socket = connect({ host: server.address, port: server.port });
  try {
    return await withTimeout(receiveStream(socket, query), limit, 'timeout');
  } finally {
    socket.destroy();
  }
}

/** Sends a query and reads messages, each after its length in two bytes (RFC 7766 §8), until one answers it. */
function receiveStream(socket: Socket, query: DnsQuery): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  let received = Buffer.alloc(0);
  socket.on('error', () => resolve('timeout'));
  socket.on('close', () => resolve('malformed'));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2) return;
    const size = received.readUInt16BE(0);
    if (size > MAX_TCP_BYTES) return resolve('malformed');
    if (received.length < 2 + size) return;
    const response = readResponse(received.subarray(2, 2 + size), query);
    // A response that is truncated even by TCP has no further transport to fall back to.
    const isUnusable = response === 'foreign' || (response !== 'malformed' && response.isTruncated);
    resolve(isUnusable ? 'malformed' : response);
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.bytes.length);
  socket.write(Buffer.concat([length, query.bytes]));
  return promise;
}
