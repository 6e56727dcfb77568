import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createHostsFile } from '../../server/egress/hosts-file.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';

const signal = new AbortController().signal;
const REFUSED = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
const NOT_FOUND = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null };
const RECHECK_MS = 5_000;

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer({
    'shop.test': { addresses: ['8.8.8.8'] },
    'other.test': { addresses: ['8.8.4.4'] },
  });
});
afterAll(() => dns.stop());
beforeEach(() => {
  dns.questions.length = 0;
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => vi.useRealTimers());

function hosts(text: string, cidrs = ['10.0.0.0/8', 'fd00::/8']) {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-hosts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'hosts');
  writeFileSync(path, text);
  const problems: string[] = [];
  const policy = createAddressPolicy(cidrs, () => []);
  const hostsFile = createHostsFile(path, (message) => problems.push(message.replaceAll(path, 'FILE')));
  const resolver = createResolver({ servers: [dns.address], policy, hostsFile });
  return {
    path,
    problems,
    resolve: (host: string) => resolver.resolve(host, { signal }),
    servers: (name: string) => resolver.servers(name, { signal }),
    /** Replaces the file as an editor does: its content changes in one step. */
    replace: (content: string): void => {
      writeFileSync(`${path}.new`, content);
      renameSync(`${path}.new`, path);
    },
    recheck: () => vi.advanceTimersByTime(RECHECK_MS),
  };
}
const found = (...addresses: string[]) => ({ ok: true, addresses });

describe('a hosts file', () => {
  it('takes precedence over the servers that DNS names for a domain, but not over those of other domains', async () => {
    for (const domain of ['shop.test', 'other.test'])
      dns.entries.set(`_xmpp-client._tcp.${domain}`, { srv: [{ target: 'chat.test', port: 5222 }] });
    const { servers } = hosts('10.0.0.7 shop.test\n');
    expect(await servers('_xmpp-client._tcp.shop.test')).toMatchObject({ ok: true, records: [] });
    expect(dns.questions).toEqual([]);
    expect(await servers('_xmpp-client._tcp.other.test')).toMatchObject({ records: [{ name: 'chat.test' }] });
  });

  it('takes precedence over DNS, and adds names that DNS does not know', async () => {
    const { resolve, problems } = hosts('10.0.0.7 shop.test\n10.0.0.8 only-here.test intranet\n');
    expect(await resolve('shop.test')).toEqual(found('10.0.0.7'));
    expect(await resolve('only-here.test')).toEqual(found('10.0.0.8'));
    expect(await resolve('intranet')).toEqual(found('10.0.0.8'));
    expect(dns.questions).toEqual([]);
    expect(await resolve('other.test')).toEqual(found('8.8.4.4'));
    expect(problems).toEqual([]);
  });

  it('may have comments, aliases, several lines per name, upper case, tabs and both address families', async () => {
    const { resolve, problems } = hosts(
      [
        '\uFEFF# a comment',
        '',
        '   10.0.0.7\t\tShop.Test   www.shop.test # 10.0.0.9 hidden.test',
        '#10.0.0.8 shop.test',
        'FD00:0:0::7 shop.test.',
        '10.0.0.7 shop.test',
        'fe80::1%lo0 shop.test',
        '10.0.0.9',
      ].join('\r\n'),
    );
    expect(await resolve('shop.test')).toEqual(found('10.0.0.7', 'fd00::7'));
    expect(await resolve('WWW.shop.test')).toEqual(found('10.0.0.7'));
    expect(await resolve('hidden.test')).toMatchObject({ ok: false, reason: 'name_not_found' });
    expect(problems).toEqual([]);
  });

  it('is subject to the same address policy', async () => {
    const { resolve } = hosts(
      [
        '192.168.0.1 shop.test',
        '169.254.169.254 other.test metadata.google.internal',
        '10.0.0.7 mixed.test half.internal',
        '192.168.0.1 mixed.test half.internal',
        '::ffff:192.168.0.1 mapped.test',
        '64:ff9b::c0a8:1 nat64.test',
      ].join('\n'),
    );
    for (const host of [
      'shop.test',
      'other.test',
      'metadata.google.internal',
      'half.internal',
      'mapped.test',
      'nat64.test',
    ])
      expect([host, await resolve(host)]).toEqual([host, NOT_FOUND]);
    expect(await resolve('mixed.test')).toEqual({ ok: true, addresses: ['10.0.0.7'], leftOut: 1 });
    const closed = hosts('10.0.0.7 shop.test\n9.9.9.9 other.test intranet', []);
    expect(await closed.resolve('shop.test')).toEqual(NOT_FOUND);
    expect(await closed.resolve('other.test')).toEqual(found('9.9.9.9'));
    expect(await closed.resolve('intranet')).toEqual(REFUSED);
  });

  it('is read again within five seconds after a change, and not read before it changes', async () => {
    const { resolve, replace, recheck } = hosts('10.0.0.7 shop.test');
    expect(await resolve('shop.test')).toEqual(found('10.0.0.7'));
    replace('10.0.0.9 shop.test');
    expect(await resolve('shop.test')).toEqual(found('10.0.0.7'));
    recheck();
    expect(await resolve('shop.test')).toEqual(found('10.0.0.9'));
    replace('');
    recheck();
    expect(await resolve('shop.test')).toEqual(found('8.8.8.8'));
  });

  it('that disappears is reported once, and its last content stays in use', async () => {
    const { resolve, path, replace, recheck, problems } = hosts('10.0.0.7 shop.test');
    await resolve('shop.test');
    rmSync(path);
    for (let look = 0; look < 3; look++) {
      recheck();
      expect(await resolve('shop.test')).toEqual(found('10.0.0.7'));
    }
    expect(problems).toEqual([
      "HOSTS_FILE: FILE cannot be read: ENOENT: no such file or directory, stat 'FILE'. Its last content stays in use.",
    ]);
    replace('10.0.0.9 shop.test');
    recheck();
    expect(await resolve('shop.test')).toEqual(found('10.0.0.9'));
    rmSync(path);
    recheck();
    await resolve('shop.test');
    expect(problems).toHaveLength(2);
  });

  it.each<[string, (path: string) => string, string]>([
    ['that never existed', (path) => join(path, 'none'), 'Names are looked up without it.'],
    ['that is a folder', (path) => join(path, '..'), 'it is not a file. Names are looked up without it.'],
    ['that is a device', () => '/dev/zero', 'it is not a file. Names are looked up without it.'],
  ])('%s is reported, and names come from DNS', async (_name, place, problem) => {
    const problems: string[] = [];
    const hostsFile = createHostsFile(place(hosts('').path), (message) => problems.push(message));
    const policy = createAddressPolicy([], () => []);
    const resolver = createResolver({ servers: [dns.address], policy, hostsFile });
    expect(await resolver.resolve('shop.test', { signal })).toEqual(found('8.8.8.8'));
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it('is used without the lines that do not begin with an address; these lines are reported', async () => {
    const one = hosts('10.0.0.7 shop.test\nshop.test 10.0.0.8\n');
    expect(await one.resolve('shop.test')).toEqual(found('10.0.0.7'));
    expect(one.problems).toEqual([
      'HOSTS_FILE: FILE is used without line 2, which does not begin with an IP address.',
    ]);
    const many = hosts('10.0.0.7 shop.test\n\0\0\0\n010.0.0.8 shop.test\n10.0.0.0/8 shop.test\n');
    expect(await many.resolve('shop.test')).toEqual(found('10.0.0.7'));
    expect(many.problems).toEqual([
      'HOSTS_FILE: FILE is used without 3 lines that do not begin with an IP address; the first is line 2.',
    ]);
  });
});
