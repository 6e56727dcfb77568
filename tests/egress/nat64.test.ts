import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { type DnsEntry, type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { promise } from '../security/promise.ts';

const signal = new AbortController().signal;
const REFUSED = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
const NOT_FOUND = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null };
const DISCOVERY = 'AAAA ipv4only.arpa';

/** For each prefix length of RFC 6052 §2.4: a DNS64 server's answers for ipv4only.arpa, and its addresses for 8.8.8.8 and 10.0.0.1. */
const PREFIXES: readonly [prefix: string, discovery: string[], forPublic: string, forPrivate: string][] = [
  ['fd64::/32', ['fd64:0:c000:aa::', 'fd64:0:c000:ab::'], 'fd64:0:808:808::', 'fd64:0:a00:1::'],
  ['fd64:0:100::/40', ['fd64:0:1c0:0:aa::', 'fd64:0:1c0:0:ab::'], 'fd64:0:108:808:8::', 'fd64:0:10a:0:1::'],
  [
    'fd64:0:122::/48',
    ['fd64:0:122:c000:0:aa00::', 'fd64:0:122:c000:0:ab00::'],
    'fd64:0:122:808:8:800::',
    'fd64:0:122:a00:0:100::',
  ],
  [
    'fd64:0:122:300::/56',
    ['fd64:0:122:3c0:0:aa::', 'fd64:0:122:3c0:0:ab::'],
    'fd64:0:122:308:8:808::',
    'fd64:0:122:30a:0:1::',
  ],
  [
    'fd64:0:122:344::/64',
    ['fd64:0:122:344:c0:0:aa00:0', 'fd64:0:122:344:c0:0:ab00:0'],
    'fd64:0:122:344:8:808:800:0',
    'fd64:0:122:344:a:0:100:0',
  ],
  [
    'fd64:0:122:344::/96',
    ['fd64:0:122:344::c000:aa', 'fd64:0:122:344::c000:ab'],
    'fd64:0:122:344::808:808',
    'fd64:0:122:344::a00:1',
  ],
  ['64:ff9b:1::/96', ['64:ff9b:1::c000:aa', '64:ff9b:1::c000:ab'], '64:ff9b:1::808:808', '64:ff9b:1::a00:1'],
  [
    '64:ff9b:1::/48',
    ['64:ff9b:1:c000:0:aa00::', '64:ff9b:1:c000:0:ab00::'],
    '64:ff9b:1:808:8:800::',
    '64:ff9b:1:a00:0:100::',
  ],
  [
    '2606:4700:64::/96',
    ['2606:4700:64::c000:aa', '2606:4700:64::c000:ab'],
    '2606:4700:64::808:808',
    '2606:4700:64::a00:1',
  ],
];

let server: DnsServer;
beforeAll(async () => {
  server = await startDnsServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.questions.length = 0;
  server.entries.clear();
});
afterEach(() => vi.useRealTimers());

const discoveries = () => server.questions.filter((question) => question === DISCOVERY).length;
const serve = (entries: Record<string, string[]>): void => {
  for (const [name, addresses] of Object.entries(entries)) server.entries.set(name, { addresses });
};
function network(cidrs: string[] = []) {
  const policy = createAddressPolicy(cidrs, () => ['8.8.4.4']);
  const resolver = createResolver({ servers: [server.address], policy });
  return { policy, resolve: (host: string) => resolver.resolve(host, { signal }) };
}

describe('an address of the well-known NAT64 prefix', () => {
  it.each([
    ['the public address', '64:ff9b::808:808', true],
    ['a private address', '64:ff9b::a00:1', false],
    ['a link-local address', '64:ff9b::a9fe:101', false],
    ['a loopback address', '64:ff9b::7f00:1', false],
    ['a metadata service', '64:ff9b::a9fe:a9fe', false],
    ['this machine', '64:ff9b::808:404', false],
  ])('with %s inside is judged by it: %s', async (_name, address, isAllowed) => {
    serve({ 'six.test': [address] });
    const { resolve, policy } = network();
    const found = { ok: true, addresses: [address] };
    expect(await resolve(address)).toEqual(isAllowed ? found : REFUSED);
    expect(await resolve('six.test')).toEqual(isAllowed ? found : NOT_FOUND);
    expect(policy.permits(address)).toBe(isAllowed);
    expect(policy.opens(address)).toBe(false);
    expect(discoveries()).toBe(0);
    promise('egress');
  });

  it('lets a name behind DNS64 be checked at its IPv4 address and through the NAT64', async () => {
    serve({ 'site.test': ['8.8.8.8', '64:ff9b::808:808'] });
    expect(await network().resolve('site.test')).toEqual({
      ok: true,
      addresses: ['8.8.8.8', '64:ff9b::808:808'],
    });
  });

  it('is open for local names if the operator opened the range of the IPv4 address inside', async () => {
    serve({ intranet: ['10.0.0.1', '64:ff9b::a00:1'], metadata: ['64:ff9b::a9fe:a9fe'] });
    const { resolve } = network(['10.0.0.0/8', '169.254.0.0/16']);
    expect(await resolve('intranet')).toMatchObject({ ok: true, addresses: ['10.0.0.1', '64:ff9b::a00:1'] });
    expect(await resolve('metadata')).toEqual(NOT_FOUND);
  });
});

describe('a NAT64 prefix that the name servers show for ipv4only.arpa', () => {
  it.each(PREFIXES)(
    '%s makes addresses count as the IPv4 address inside',
    async (_prefix, discovery, forPublic, forPrivate) => {
      serve({ 'ipv4only.arpa': discovery, 'public.test': [forPublic], 'private.test': [forPrivate] });
      const { resolve, policy } = network();
      expect(await resolve('public.test')).toEqual({ ok: true, addresses: [forPublic] });
      expect(await resolve('private.test')).toEqual(NOT_FOUND);
      expect(policy.permits(forPublic)).toBe(true);
      const literals = network();
      expect(await literals.resolve(forPublic)).toEqual({ ok: true, addresses: [forPublic] });
      expect(await literals.resolve(forPrivate)).toEqual(REFUSED);
    },
  );

  it('is known to the address policy before it judges an address that a person typed', async () => {
    serve({ 'ipv4only.arpa': ['fd64::c000:aa', 'fd64::c000:ab'] });
    const policy = createAddressPolicy([], () => []);
    const resolver = createResolver({ servers: [server.address], policy });
    await resolver.learnNat64(['fd64::808:808']);
    expect([policy.permits('fd64::808:808'), policy.permits('fd64::a00:1')]).toEqual([true, false]);
  });

  it.each(PREFIXES.filter(([prefix]) => !prefix.startsWith('2606')))(
    '%s is refused without such an answer',
    async (_prefix, _discovery, forPublic) => {
      serve({ 'public.test': [forPublic] });
      expect(await network().resolve('public.test')).toEqual(NOT_FOUND);
    },
  );

  it.each([
    ['only one of the two addresses', ['fd64::c000:aa']],
    ['other addresses', ['fd64::808:808', 'fd64::808:404']],
    ['a Teredo prefix', ['2001::c000:aa', '2001::c000:ab']],
    ['a link-local prefix', ['fe80::c000:aa', 'fe80::c000:ab']],
    ['mapped addresses', ['::ffff:192.0.0.170', '::ffff:192.0.0.171']],
  ])('is ignored if the answer has %s', async (_name, discovery) => {
    const prefix = (discovery[0] ?? '').replace(/c000:aa|808:808|192\.0\.0\.170/, '');
    const address = prefix.endsWith('ffff:') ? 'fd64::808:808' : `${prefix}808:808`;
    serve({ 'ipv4only.arpa': discovery, 'public.test': [address] });
    expect(await network().resolve('public.test')).toEqual(NOT_FOUND);
  });

  it('refuses an address of the prefix whose reserved bits are not zero', async () => {
    serve({
      'ipv4only.arpa': ['fd64::c0:0:aa00:0', 'fd64::c0:0:ab00:0'],
      'odd.test': ['fd64::108:808:800:0'],
    });
    expect(await network().resolve('odd.test')).toEqual(NOT_FOUND);
  });

  it('cannot be declared by the zone of a checked host', async () => {
    serve({ 'evil.test': ['fd12::c000:aa', 'fd12::c000:ab', 'fd12::808:808'] });
    expect(await network().resolve('evil.test')).toEqual(NOT_FOUND);
  });

  it('keeps metadata services refused', async () => {
    serve({
      'ipv4only.arpa': ['fd00:ec2::c000:aa', 'fd00:ec2::c000:ab'],
      'metadata.test': ['fd00:ec2::254'],
    });
    expect(await network().resolve('metadata.test')).toEqual(NOT_FOUND);
    expect(await network(['::/0']).resolve('metadata.test')).toEqual(NOT_FOUND);
    promise('egress');
  });
});

describe('the query for ipv4only.arpa', () => {
  it('is not sent for hosts without IPv6 addresses', async () => {
    serve({ 'four.test': ['8.8.8.8'], 'loopback.test': ['::1'] });
    const { resolve } = network();
    for (const host of ['four.test', 'loopback.test', '8.8.8.8', 'missing.test']) await resolve(host);
    expect(discoveries()).toBe(0);
  });

  it('is sent once for concurrent lookups, and again after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    serve({ 'six.test': ['2606:4700::1'] });
    const { resolve } = network();
    await Promise.all(Array.from({ length: 5 }, () => resolve('six.test')));
    vi.advanceTimersByTime(9 * 60_000);
    await resolve('six.test');
    expect(discoveries()).toBe(1);
    vi.advanceTimersByTime(60_000);
    await resolve('six.test');
    await expect.poll(discoveries).toBe(2);
  });

  it('keeps the last prefixes if it fails later', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    serve({ 'ipv4only.arpa': ['fd64::c000:aa', 'fd64::c000:ab'], 'public.test': ['fd64::808:808'] });
    const { resolve } = network();
    await resolve('public.test');
    server.entries.set('ipv4only.arpa', { answer: 'servfail' });
    for (const minutes of [10, 20, 30]) {
      vi.advanceTimersByTime(10 * 60_000);
      expect([minutes, await resolve('public.test')]).toEqual([
        minutes,
        { ok: true, addresses: ['fd64::808:808'] },
      ]);
    }
  });

  it.each<[string, DnsEntry]>([
    ['fails', { answer: 'servfail' }],
    ['gets nonsense', { answer: 'garbage' }],
    ['gets no records', { addresses: [] }],
  ])('does not change how other addresses are judged if it %s', async (_name, entry) => {
    server.entries.set('ipv4only.arpa', entry);
    serve({ 'six.test': ['2606:4700::1'], 'local.test': ['fd64::808:808'] });
    const { resolve } = network();
    expect(await resolve('six.test')).toEqual({ ok: true, addresses: ['2606:4700::1'] });
    expect(await resolve('local.test')).toEqual(NOT_FOUND);
  });

  it('delays only the first lookup, by at most two seconds, if it gets no answer', async () => {
    server.entries.set('ipv4only.arpa', { answer: 'silent' });
    serve({ 'six.test': ['2606:4700::1'] });
    const { resolve } = network();
    const asked = Promise.withResolvers<void>();
    server.onQuestion = (type, name) => {
      if (`${type} ${name}` === DISCOVERY) asked.resolve();
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const first = resolve('six.test');
    await asked.promise;
    vi.advanceTimersByTime(2_000);
    expect(await first).toMatchObject({ ok: true });
    expect(discoveries()).toBe(1);
  });
});
