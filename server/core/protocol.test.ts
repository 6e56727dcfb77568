import { describe, expect, it } from 'vitest';
import { isSensitive, offeredAlpn, protocolOfPort } from './protocol.ts';

it.each([
  22, 23, 445, 1433, 1521, 2375, 2380, 3306, 3389, 5432, 5900, 5984, 6379, 6443, 9200, 10_250, 11_211, 27_017,
])('isSensitive is true for port %i of a database, cache or administration service', (port) => {
  expect(isSensitive({ port, protocol: protocolOfPort(port) })).toBe(true);
});

it.each([
  21, 25, 80, 110, 119, 143, 389, 443, 465, 563, 587, 636, 853, 990, 993, 995, 4190, 5222, 5269, 5671, 8443,
  8883,
])('isSensitive is false for port %i', (port) => {
  expect(isSensitive({ port, protocol: protocolOfPort(port) })).toBe(false);
});

it('isSensitive is true for databases on any port', () => {
  expect(isSensitive({ port: 7777, protocol: 'postgres' })).toBe(true);
  expect(isSensitive({ port: 7777, protocol: 'mysql' })).toBe(true);
  expect(isSensitive({ port: 7777, protocol: 'tls' })).toBe(false);
});

describe('offeredAlpn', () => {
  it.each([
    ['https', 443, ['h2', 'http/1.1']],
    ['https', 5432, ['h2', 'http/1.1']],
    ['tls', 5432, ['postgresql']],
    ['tls', 5223, ['xmpp-client']],
    ['tls', 5270, ['xmpp-server']],
    ['tls', 993, []],
    ['postgres', 5432, []],
    ['xmpp', 5222, []],
    ['smtp', 587, []],
  ] as const)('of %s on port %i is %j', (protocol, port, names) => {
    expect(offeredAlpn({ protocol, port })).toEqual(names);
  });
});
