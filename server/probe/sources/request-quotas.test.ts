import { describe, expect, it } from 'vitest';
import { quotasFor } from './request-quotas.ts';
import { Requester } from './sources.ts';

const networks = (...addresses: string[]) =>
  quotasFor(new Requester('a.test'), 'ca.test', addresses)
    .map(({ to }) => to)
    .filter((to) => /^network \S+$/.test(to));

describe('The quota of a network', () => {
  it('covers one IPv4 address, or all IPv6 addresses with the same first 64 bits', () => {
    expect(networks('192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2:0:0:1')).toEqual([
      'network 192.0.2.1',
      'network 192.0.2.2',
      'network 2001:db8:0:0',
    ]);
  });

  it('covers one address of the NAT64 prefix, so that all IPv4 hosts behind it do not share it', () => {
    expect(networks('64:ff9b::808:808', '64:ff9b::808:404')).toHaveLength(2);
  });
});
