import { describe, expect, it } from 'vitest';
import { createClientAddressReader } from './client-address.ts';

describe('createClientAddressReader', () => {
  const behindProxy = createClientAddressReader(['10.0.0.0/8', 'fd00::/8']);

  it.each([
    ['the address of the peer if the peer is no trusted proxy', '203.0.113.5', '1.2.3.4', '203.0.113.5'],
    ['the address that a trusted proxy forwards', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['the last hop that is not a trusted proxy', '10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['the address of the proxy if the header is missing', '10.0.0.1', undefined, '10.0.0.1'],
    ['the address of the proxy if the last hop is unreadable', '10.0.0.1', '1.2.3.4, nonsense', '10.0.0.1'],
    ['the IPv4 address of a peer in IPv6 form', '::ffff:203.0.113.5', '1.2.3.4', '203.0.113.5'],
    ['the address that a trusted proxy in IPv6 form forwards', '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['a forwarded IPv6 address', 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['an empty address if the request has no socket', undefined, '1.2.3.4', ''],
  ])('returns %s', (_, peer, forwardedFor, address) => {
    expect(behindProxy.read(peer, forwardedFor).shown).toBe(address);
  });

  it('ignores X-Forwarded-For if no proxy is configured', () => {
    expect(createClientAddressReader([]).read('10.0.0.1', '1.2.3.4').shown).toBe('10.0.0.1');
  });

  it.each([
    ['203.0.113.5', '203.0.113.5', '203.0.113'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0'],
    ['2001:0DB8:0001:2::1', '2001:db8:1:2::/64', '2001:db8:1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64', '2001:db8:1'],
    ['::1', '0:0:0:0::/64', '0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0'],
    ['::ffff:203.0.113.5', '203.0.113.5', '203.0.113'],
    ['::ffff:cb00:7105', '203.0.113.5', '203.0.113'],
  ])('assigns %s to the network %s and the prefix %s', (address, network, prefix) => {
    expect(createClientAddressReader([]).read(address, undefined)).toMatchObject({ network, prefix });
  });
});
