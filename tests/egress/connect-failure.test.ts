import { describe, expect, it } from 'vitest';
import { connectFailure } from '../../server/egress/open-connection.ts';

describe('connectFailure', () => {
  it.each([
    ['ECONNREFUSED', 'refused', 'refused'],
    ['ECONNRESET', 'reset', 'reset'],
    ['ETIMEDOUT', 'timeout', 'timeout'],
    ['EHOSTUNREACH', 'unroutable', 'unroutable'],
    // Without IPv6 on this machine the kernel fails before it sends a packet; that is not the endpoint's fault.
    ['ENETUNREACH', 'unroutable', 'no_route_here'],
    ['EADDRNOTAVAIL', 'unroutable', 'no_route_here'],
    ['EAFNOSUPPORT', 'unroutable', 'no_route_here'],
    ['EMFILE', 'other', 'other'],
    [undefined, 'other', 'other'],
  ])('maps %s to %s over IPv4 and to %s over IPv6', (code, four, six) => {
    expect([connectFailure(code, false), connectFailure(code, true)]).toEqual([four, six]);
  });
});
