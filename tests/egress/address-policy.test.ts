import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { promise } from '../security/promise.ts';

const closed = createAddressPolicy([], () => []);

const DENIED_IPV4: readonly [string, string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
];

function toNumber(ip: string): number {
  return ip.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}
function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
function isInSomeRange(value: number): boolean {
  return DENIED_IPV4.some(([first, last]) => value >= toNumber(first) && value <= toNumber(last));
}

describe('the address policy without open ranges', () => {
  it.each(DENIED_IPV4)(
    'denies %s to %s, and the addresses just outside only if another range covers them',
    (first, last) => {
      expect(closed.permits(first)).toBe(false);
      expect(closed.permits(last)).toBe(false);
      for (const neighbour of [toNumber(first) - 1, toNumber(last) + 1]) {
        if (neighbour < 0 || neighbour > 0xffff_ffff) continue;
        const address = toText(neighbour);
        expect([address, closed.permits(address)]).toEqual([address, !isInSomeRange(neighbour)]);
      }
    },
  );

  const IPV6: readonly [address: string, isPermitted: boolean][] = [
    // The first and the last address of each denied range, and the addresses just outside it.
    ['::', false],
    ['::1', false],
    ['::2', false],
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2000::', true],
    ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001::', false],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2001:200::', true],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001:db8::', false],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2001:db9::', true],
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2002::', false],
    ['2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2003::', true],
    ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', true],
    ['2620:4f:8000::', false],
    ['2620:4f:8000:ffff:ffff:ffff:ffff:ffff', false],
    ['2620:4f:8001::', true],
    ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['3fff::', false],
    ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['3fff:1000::', true],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['4000::', false],
    ['5f00::1', false],
    // A NAT64 address is judged as the IPv4 address that it stands for.
    ['64:ff9b::808:808', true],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::1:808:808', false],
    ['64:ff9b:1::808:808', false],
    ['100::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['ff02::1', false],
    // A mapped address is judged as the IPv4 address that it stands for.
    ['::ffff:8.8.8.8', true],
    ['::ffff:808:808', true],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:a9fe:a9fe', false],
    // IPv4-compatible, IPv4-translated, 6to4, Teredo and ISATAP addresses.
    ['::808:808', false],
    ['::ffff:0:808:808', false],
    ['2002:808:808::1', false],
    ['2001:0:808:808::1', false],
    ['2606:4700::5efe:808:808', false],
    ['2606:4700::200:5efe:808:808', false],
    ['2606:4700::5eff:808:808', true],
    ['2606:4700:4700::1111', true],
  ];
  it.each(IPV6.filter(([, isPermitted]) => isPermitted))('permits the address %s', (address) => {
    expect(closed.permits(address)).toBe(true);
  });

  it.each(IPV6.filter(([, isPermitted]) => !isPermitted))('denies the address %s', (address) => {
    expect(closed.permits(address)).toBe(false);
  });

  it.each([
    '',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.256',
    '08.8.8.8',
    '010.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '0x08080808',
    '8.8.2056',
    '８.8.8.8',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8:443',
    '+8.8.8.8',
    '8.8.8.-8',
    '8.8.8.8%0',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '2606:4700::1%0',
    '2606:4700::0001',
    '2606:4700:0::1',
    '2606:4700:0:0:0:0:0:1',
    '2606:4700::A',
    '2606::4700::1',
    '2606:4700:::1',
    ':2606:4700::1',
    '2606:4700::1:',
    '2606:4700:1:2:3:4:5:6:7',
    '2606:4700:1:2:3:4:5:12345',
    '2606:4700::1/64',
    '2606:4700::8.8.8.8',
    '::ffff:08.8.8.8',
    'example.com',
    'localhost',
  ])('refuses %j, which is not a canonical address', (text) => {
    expect(closed.permits(text)).toBe(false);
  });

  it('denies the same addresses as Node’s net.BlockList with the same ranges', () => {
    const oracle = new BlockList();
    for (const [first, last] of DENIED_IPV4) oracle.addRange(first, last);
    for (let value = 1; value < 0xffff_ffff; value += 9_999_991) {
      const address = toText(value);
      expect([address, closed.permits(address)]).toEqual([address, !oracle.check(address)]);
    }
    promise('egress');
  });

  it('denies the current addresses of the machine itself, unless they are opened', () => {
    let own = ['8.8.4.4', '2606:4700::77', 'fe80::1%eth0'];
    const policy = createAddressPolicy([], () => own);
    expect(policy.permits('8.8.4.4')).toBe(false);
    expect(policy.permits('::ffff:8.8.4.4')).toBe(false);
    expect(policy.permits('2606:4700::77')).toBe(false);
    expect(policy.permits('8.8.8.8')).toBe(true);
    expect(createAddressPolicy(['8.8.4.4'], () => own).permits('8.8.4.4')).toBe(true);
    own = [];
    expect(createAddressPolicy([], () => own).permits('8.8.4.4')).toBe(true);
  });
});

describe('open ranges of the address policy', () => {
  const METADATA = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
  ];

  it('permit the addresses inside them and open no others', () => {
    const policy = createAddressPolicy(['127.0.0.0/8', '::1/128', '10.1.0.0/16', 'fd12::/16'], () => []);
    for (const address of [
      '127.0.0.1',
      '127.255.255.255',
      '::1',
      '::ffff:127.0.0.1',
      '10.1.255.255',
      'fd12::1',
    ])
      expect([address, policy.permits(address), policy.opens(address)]).toEqual([address, true, true]);
    for (const address of ['126.255.255.255', '10.0.255.255', '10.2.0.0', '::2', 'fd13::1', '192.168.1.1'])
      expect([address, policy.opens(address)]).toEqual([address, false]);
    expect(policy.permits('8.8.8.8')).toBe(true);
    expect(policy.permits('10.2.0.0')).toBe(false);
    expect(policy.permitsLocalNames).toBe(true);
    expect(closed.permitsLocalNames).toBe(false);
  });

  it.each(METADATA)('keep the metadata service at %s closed even if they include it', (address) => {
    const policy = createAddressPolicy(['0.0.0.0/0', '::/0', address], () => []);
    expect(policy.permits(address)).toBe(false);
    expect(policy.opens(address)).toBe(false);
    promise('egress');
  });

  it.each([
    ['NAT64', '64:ff9b::a9fe:a9fe', '64:ff9b::808:808'],
    ['local-use NAT64', '64:ff9b:1::a9fe:a9fe', '64:ff9b:1::808:808'],
    ['6to4', '2002:a9fe:a9fe::1', '2002:808:808::1'],
    ['Teredo client', '2001:0:808:808::5601:5601', '2001:0:808:808::f7f7:f7f7'],
    ['Teredo server', '2001:0:a9fe:a9fe::f7f7:f7f7', '2001:0:808:808::f7f7:f7f7'],
    ['compatible', '::a9fe:a9fe', '::808:808'],
    ['translated', '::ffff:0:a9fe:a9fe', '::ffff:0:808:808'],
    ['ISATAP', 'fd12::5efe:a9fe:a9fe', 'fd12::5efe:808:808'],
  ])(
    'permit an IPv6 address of the type %s only if the IPv4 address inside it is permitted',
    (_name, metadata, harmless) => {
      const policy = createAddressPolicy(['::/0'], () => []);
      expect(policy.permits(metadata)).toBe(false);
      expect(policy.permits(harmless)).toBe(true);
    },
  );

  it('do not let NAT64 reach a private IPv4 network that is not open itself', () => {
    const policy = createAddressPolicy(['64:ff9b::/96'], () => []);
    expect(policy.permits('64:ff9b::a00:1')).toBe(false);
    expect(createAddressPolicy(['64:ff9b::/96', '10.0.0.0/8'], () => []).permits('64:ff9b::a00:1')).toBe(
      true,
    );
  });

  it.each([
    '',
    '10',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'fd00::/129',
    'fd00::/x',
    'host/8',
  ])('throw an error for the invalid entry %j', (entry) => {
    expect(() => createAddressPolicy([entry])).toThrow(`“${entry}” is not an address range`);
  });
});

describe('isLocalName', () => {
  it.each([
    'intranet',
    'localhost',
    'localhost.',
    'a.localhost',
    'printer.local',
    'PRINTER.LOCAL',
    'db.internal',
  ])('is true for the local name %s', (name) => {
    expect(closed.isLocalName(name)).toBe(true);
  });
  it.each([
    'nas.home.arpa',
    'hidden.onion',
    'metadata.google.internal',
    'metadata',
    'metadata.goog',
    'instance-data',
  ])('is true for the reserved name %s', (name) => {
    expect(closed.isLocalName(name)).toBe(true);
  });
  it.each(['example.com', 'local.example', 'internal.example.com', 'notlocal.com', 'xn--bcher-kva.example'])(
    'is false for %s',
    (name) => {
      expect(closed.isLocalName(name)).toBe(false);
    },
  );
});
