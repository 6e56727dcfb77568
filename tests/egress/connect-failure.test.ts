import { describe, expect, it } from 'vitest';
import { connectFailure } from '../../server/egress/open-connection.ts';

describe('connectFailure', () => {
  it.each([
    ['ECONNREFUSED', 'refused', 'refused'],
    ['ECONNRESET', 'reset', 'reset'],
    ['ETIMEDOUT', 'timeout', 'timeout'],
    ['EHOSTUNREACH', 'unroutable', 'unroutable'],
    // If this machine has no IPv6 or no IPv4, the kernel fails before it sends a packet. That is not the endpoint's fault.
    ['ENETUNREACH', 'unroutable', 'no_route_here'],
    ['EADDRNOTAVAIL', 'unroutable', 'no_route_here'],
    ['EAFNOSUPPORT', 'unroutable', 'no_route_here'],
    ['EMFILE', 'other', 'other'],
    [undefined, 'other', 'other'],
  ])(
    'maps %s to %s over IPv4, to %s over IPv6, and to the latter over IPv4 too if the machine has no IPv4',
    (code, four, other) => {
      const found = (['IPv4', 'IPv6', 'missing IPv4'] as const).map((over) => connectFailure(code, over));
      expect(found).toEqual([four, other, other]);
    },
  );
});
