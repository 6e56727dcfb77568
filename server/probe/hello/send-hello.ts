import type { Socket } from 'node:net';
import type { HelloReaction } from '../../core/observation.ts';
import { effectiveTarget } from '../../core/target.ts';
import { openConnection } from '../../egress/open-connection.ts';
import { withTimeout } from '../../egress/with-timeout.ts';
import { closeConnection, type ConnectOptions } from '../handshake.ts';
import { FirstFlight, MAX_FLIGHT_BYTES } from './first-flight.ts';

/** The answer to a ClientHello. `unknown`: no connection was possible, or `signal` aborted. */
export type HelloAnswer =
  | { state: 'answered'; flight: FirstFlight }
  | { state: 'refused'; reaction: HelloReaction }
  | { state: 'unknown' };

/** The warning alert close_notify (RFC 8446 §6.1). */
const CLOSE_NOTIFY = Buffer.from('15030300020100', 'hex');

/**
 * Sends a ClientHello on a new connection, reads the first flight for at most `limitMs`, and closes the connection. Never rejects.
 */
export async function sendHello(
  hello: Buffer,
  {
    address,
    endpoint,
    policy,
    signal,
    connectTimeoutMs,
  }: Pick<ConnectOptions, 'address' | 'endpoint' | 'policy' | 'signal' | 'connectTimeoutMs'>,
  limitMs: number,
): Promise<HelloAnswer> {
  const connection = await openConnection({
    address,
    port: effectiveTarget(endpoint).connectTo.port,
    policy,
    signal,
    timeoutMs: Math.min(connectTimeoutMs, limitMs),
    maxBytes: 2 * MAX_FLIGHT_BYTES,
  });
  if (!connection.ok) return { state: 'unknown' };
  const { socket } = connection;
  const flight = new FirstFlight();
  const read = readFlight(socket, flight);
  socket.write(hello);
  const reaction = await withTimeout(read, { ms: limitMs, signal }, 'silent' as const);
  if (flight.answer === 'hello') {
    if (socket.writable) socket.write(CLOSE_NOTIFY);
    await closeConnection(socket, signal);
    return { state: 'answered', flight };
  }
  socket.destroy();
  return signal.aborted ? { state: 'unknown' } : { state: 'refused', reaction };
}

/** Resolves when the flight is complete or the connection ends. If there was no ServerHello, the result is how the server refused. */
function readFlight(socket: Socket, flight: FirstFlight): Promise<HelloReaction> {
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (flight.isComplete || flight.push(chunk)) resolve(flight.answer === 'alert' ? 'alert' : 'not_tls');
    });
    socket.once('error', () => resolve('reset'));
    socket.once('close', () => resolve('closed'));
  });
}
