import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIpAddress, parseIpAddress } from './ip-address.ts';

describe('IP addresses as text', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::', '::'],
    ['1::', '1::'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ])('are parsed from %s and written as %s', (text, canonical) => {
    const octets = parseIpAddress(text);
    expect(octets === null ? null : formatIpAddress(octets)).toBe(canonical);
  });

  it.each([
    '',
    'example.com',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4.5',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '12345::',
    'fe80::1%eth0',
    '::1/128',
    '::1.2.3',
    ':1:2:3:4:5:6:7',
  ])('are not parsed from %j', (text) => expect(parseIpAddress(text)).toBeNull());

  it('are parsed back from what is written', () => {
    const addresses = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc
        .array(fc.constantFrom(0, 0, 0, 1), { minLength: 16, maxLength: 16 })
        .map((all) => Uint8Array.from(all)),
    );
    fc.assert(
      fc.property(addresses, (octets) => {
        expect(parseIpAddress(formatIpAddress(octets))).toEqual(octets);
      }),
    );
  });
});
