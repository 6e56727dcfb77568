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
