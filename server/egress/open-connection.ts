import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parseAddress, sameAddress, unwrapMapped } from './address.ts';
import type { AddressPolicy } from './address-policy.ts';
import { withTimeout } from './with-timeout.ts';

export type Connection =
  | { ok: true; socket: Socket }
  | { ok: false; stage: 'policy'; reason: 'address_refused'; detail: null }
  | { ok: false; stage: 'connect'; reason: ConnectFailure; detail: string | null };

export interface ConnectionOptions {
  /** IP address that a resolver returned. Never a name, because nothing is resolved here. */
  address: string;
  port: number;
  policy: AddressPolicy;
  /** Signal that destroys the socket when aborted, also after `openConnection` has returned it. */
  signal: AbortSignal;
  /** Timeout of the TCP handshake. Default: 5,000. */
  timeoutMs?: number;
  /** Maximum number of bytes from the peer, checked every 250 ms. Above it the socket is destroyed with `TooManyBytesError`. */
  maxBytes: number;
  /**
   * Called with the bytes of the peer instead of 'data' events. Copy what you keep: the buffer is reused after the call. Without that, Node
   * allocates 64 kB per event, which is a tenth of the CPU time of a check.
   */
  onBytes?: (bytes: Buffer) => void;
}

/** Error of a socket whose peer sent more than `maxBytes`. */
export class TooManyBytesError extends Error {
  override name = 'TooManyBytesError';
}

const TIMEOUT_MS = 5_000;
const BYTE_COUNT_INTERVAL_MS = 250;

/** Connects to one permitted address. The caller owns the socket: it must handle its errors and destroy it. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { address, port, policy, signal, timeoutMs = TIMEOUT_MS, maxBytes, onBytes } = options;
  if (!policy.permits(address))
    return { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
  if (signal.aborted) return { ok: false, stage: 'connect', reason: 'timeout', detail: null };

  const socket =
    onBytes === undefined
      ? connect({ host: address, port, autoSelectFamily: false })
      : connectWithBuffer({ host: address, port, autoSelectFamily: false }, onBytes);
  const failed = await withTimeout(connected(socket), { ms: timeoutMs, signal }, 'late' as const);
  if (failed === null && isPeer(socket, address)) {
    guard(socket, signal, maxBytes);
    return { ok: true, socket };
  }
  socket.destroy();
  if (failed === null) return { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
  if (failed === 'late') return { ok: false, stage: 'connect', reason: 'timeout', detail: null };
  return {
    ok: false,
    stage: 'connect',
    reason: connectFailure(failed.code, address.includes(':') ? 'IPv6' : hasIpv4() ? 'IPv4' : 'missing IPv4'),
    detail: failed.code ?? null,
  };
}

const BUFFER_BYTES = 16 * 1024;
const MAX_FREE_BUFFERS = 64;
/** Buffers of closed connections. */
const freeBuffers: Buffer[] = [];

function connectWithBuffer(to: TcpNetConnectOpts, onBytes: (bytes: Buffer) => void): Socket {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  const socket = connect({
    ...to,
    onread: {
      buffer,
      callback(count) {
        onBytes(buffer.subarray(0, count));
        return true;
      },
    },
  });
  return socket.once('close', () => {
    if (freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(buffer);
  });
}

/**
 * Connects to a host that the operator configured, at any address. If it has several addresses, an address that does not
 * answer takes at most a third of the time. @throws Error if none could be connected to in `timeoutMs`
 */
export async function connectToOwnServer(to: {
  host: string;
  port: number;
  timeoutMs: number;
}): Promise<Socket> {
  const { timeoutMs, ...address } = to;
  const socket = connect({ ...address, autoSelectFamilyAttemptTimeout: timeoutMs / 3 });
  const timer = setTimeout(() => socket.destroy(new Error('Connection timeout')), timeoutMs);
  const failed = await connected(socket);
  clearTimeout(timer);
  // The AggregateError of several addresses has an empty message.
  if (failed !== null) throw failed instanceof AggregateError ? failed.errors[0] : failed;
  return socket;
}

/**
 * Resolves to null once connected, or to the connection error. Keeps its error listener attached, because an unhandled
 * late error would end the process.
 */
function connected(socket: Socket): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.on('error', resolve);
  });
}

/** Returns whether the socket reached the permitted address, and not another one through a proxy hook or lookup. */
function isPeer(socket: Socket, address: string): boolean {
  const remote = parseAddress(socket.remoteAddress ?? '');
  const wanted = parseAddress(address);
  return remote !== null && wanted !== null && sameAddress(unwrapMapped(remote), unwrapMapped(wanted));
}

function guard(socket: Socket, signal: AbortSignal, maxBytes: number): void {
  const stop = (): void => void socket.destroy();
  // A TLS layer reads the bytes in native code without 'data' events, so poll the counter. Most connections end
  // before the first poll.
  const count = setInterval(() => {
    if (socket.bytesRead > maxBytes)
      socket.destroy(new TooManyBytesError(`the peer sent more than ${maxBytes} bytes`));
  }, BYTE_COUNT_INTERVAL_MS);
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => {
    clearInterval(count);
    signal.removeEventListener('abort', stop);
  });
}

/**
 * Reasons why a connection failed. `no_route_here`: our own network has no IPv6 or no IPv4, so the failure says nothing about
 * the peer.
 */
export type ConnectFailure = 'refused' | 'reset' | 'timeout' | 'unroutable' | 'no_route_here' | 'other';

/**
 * Maps the kernel's error code of a failed connection attempt to a ConnectFailure. `over`: family of the address, or `missing IPv4` for an
 * IPv4 address if this machine has none. With `IPv4`, ENETUNREACH does not mean that the fault is ours, because routers also report it.
 */
export function connectFailure(
  code: string | undefined,
  over: 'IPv6' | 'IPv4' | 'missing IPv4',
): ConnectFailure {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'reset';
    case 'ETIMEDOUT':
      return 'timeout';
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      // The kernel had no route or no source address, and sent no packet.
      return over === 'IPv4' ? 'unroutable' : 'no_route_here';
    case 'EHOSTUNREACH':
    case 'ENETDOWN':
    case 'EHOSTDOWN':
      return 'unroutable';
    default:
      return 'other';
  }
}

/** Returns whether this machine has an IPv4 address for other machines, as one behind NAT64 may not. */
function hasIpv4(): boolean {
  const entries = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return entries.some(({ family, internal }) => family === 'IPv4' && !internal);
}
