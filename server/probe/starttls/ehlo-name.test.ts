import { describe, expect, it } from 'vitest';
import { ehloName } from './ehlo-name.ts';

const PUBLIC = '8.8.4.4';
const PEER = '1.1.1.1';
const name = (localAddress: string, remoteAddress: string, publicHost = 'certs.example.com'): string =>
  ehloName({ localAddress, remoteAddress }, { ehloName: null, publicHost });

describe('ehloName', () => {
  it('is our address if the server sees it', () => {
    expect(name(PUBLIC, PEER)).toBe('[8.8.4.4]');
    expect(name('2606:4700::1', '2606:4700::2')).toBe('[IPv6:2606:4700::1]');
  });

  it('is our address on loopback and inside a private network', () => {
    expect(name('127.0.0.1', '127.0.0.1')).toBe('[127.0.0.1]');
    expect(name('10.0.0.7', '10.0.0.25')).toBe('[10.0.0.7]');
    expect(name('fe80::1%eth0', 'fe80::2%eth0')).toBe('[IPv6:fe80::1]');
  });

  it('is the host of PUBLIC_URL behind NAT', () => {
    expect(name('192.168.1.5', PEER)).toBe('certs.example.com');
    expect(name('192.168.1.5', PEER, '8.8.4.4')).toBe('[8.8.4.4]');
    expect(name('fd00::5', '2606:4700::2', '[2606:4700::1]')).toBe('[IPv6:2606:4700::1]');
  });

  it.each(['localhost', 'certs', 'certs.internal', '192.168.1.5', '[fd00::5]', '127.0.0.1'])(
    'reveals nothing behind NAT if PUBLIC_URL is at %s',
    (publicHost) => {
      expect(name('192.168.1.5', PEER, publicHost)).toBe('[127.0.0.1]');
    },
  );

  it('is always the name that the operator chose, if there is one', () => {
    const own = { ehloName: 'checks.example.net', publicHost: 'certs.example.com' };
    for (const remoteAddress of [PEER, '10.0.0.25'])
      expect(ehloName({ localAddress: '10.0.0.7', remoteAddress }, own)).toBe('checks.example.net');
  });

  it('is the host of PUBLIC_URL if the connection has ended', () => {
    expect(ehloName({}, { ehloName: null, publicHost: 'certs.example.com' })).toBe('certs.example.com');
  });
});
