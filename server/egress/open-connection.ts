import { connect, type Socket } from 'node:net';
import { parseAddress, sameAddress } from './address.ts';
import type { AddressPolicy } from './address-policy.ts';
import { unmapped } from './embedded-address.ts';
import { within } from './within.ts';

export type Connection =
  | { ok: true; socket: Socket }
  | { ok: false; stage: 'policy'; reason: 'address_refused'; detail: null }
  | { ok: false; stage: 'connect'; reason: ConnectFailure; detail: string | null };

export interface ConnectionOptions {
  /** One of the addresses that a resolver returned. It is dialled as it is; no name is ever looked up here. */
  address: string;
  port: number;
  policy: AddressPolicy;
  /** Destroys the socket at any time, also after the connection is handed over. */
  signal: AbortSignal;
  /** For the TCP handshake. */
  timeoutMs?: number;
  /** What the peer may send in all; the socket is destroyed with a `TooManyBytes` error soon after it sent more. */
  maxBytes: number;
}

/** The peer sent more than the connection's byte cap. */
export class TooManyBytes extends Error {
  override name = 'TooManyBytes';
}

const TIMEOUT_MS = 5_000;
const BYTE_COUNT_INTERVAL_MS = 250;

/** Dials one permitted address. The caller owns the socket, listens to its errors and destroys it. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { address, port, policy, signal, timeoutMs = TIMEOUT_MS, maxBytes } = options;
  if (!policy.permits(address))
    return { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
  if (signal.aborted) return { ok: false, stage: 'connect', reason: 'timeout', detail: null };

  const socket = connect({ host: address, port, autoSelectFamily: false });
  const failed = await within(connected(socket), { ms: timeoutMs, signal }, 'late' as const);
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
    reason: connectFailure(failed.code, address.includes(':')),
    detail: failed.code ?? null,
  };
}

/** null, or the error that ended the attempt. The error listener stays: a late error must not end the process. */
function connected(socket: Socket): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.on('error', resolve);
  });
}

/** Whatever stood between us and the kernel (a proxy hook, a rewritten lookup): the peer is the one that was judged. */
function isPeer(socket: Socket, address: string): boolean {
  const remote = parseAddress(socket.remoteAddress ?? '');
  const wanted = parseAddress(address);
  return remote !== null && wanted !== null && sameAddress(unmapped(remote), unmapped(wanted));
}

function guard(socket: Socket, signal: AbortSignal, maxBytes: number): void {
  const stop = (): void => void socket.destroy();
  // A TLS layer takes the bytes below JavaScript, so they are counted from outside; most connections end sooner.
  const count = setInterval(() => {
    if (socket.bytesRead > maxBytes)
      socket.destroy(new TooManyBytes(`the peer sent more than ${maxBytes} bytes`));
  }, BYTE_COUNT_INTERVAL_MS);
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => {
    clearInterval(count);
    signal.removeEventListener('abort', stop);
  });
}

/** `no_route_here`: our side has no IPv6, which says nothing about the peer. */
export type ConnectFailure = 'refused' | 'reset' | 'timeout' | 'unroutable' | 'no_route_here' | 'other';

/** Names what ended an attempt to connect, by the kernel's error code. */
export function connectFailure(code: string | undefined, isIpv6: boolean): ConnectFailure {
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
      // The kernel found no route or no source address before any packet left.
      return isIpv6 ? 'no_route_here' : 'unroutable';
    case 'EHOSTUNREACH':
    case 'ENETDOWN':
    case 'EHOSTDOWN':
      return 'unroutable';
    default:
      return 'other';
  }
}
