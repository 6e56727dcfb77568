import { promises } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver, type Resolution } from '../../server/egress/resolver.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { runInSteps } from '../kit/peers/loopback.ts';
import { promise } from '../security/promise.ts';

const PUBLIC = createAddressPolicy([], () => []);
const signal = new AbortController().signal;
const REFUSED = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
const NOT_FOUND = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null };

let server: DnsServer;
beforeAll(async () => {
  server = await startDnsServer({
    'both.test': { addresses: ['8.8.8.8', '2606:4700::1'] },
    'four.test': { addresses: ['8.8.8.8'] },
    'six.test': { addresses: ['2606:4700::1'] },
    'twice.test': { addresses: ['8.8.8.8', '8.8.8.8', '::ffff:8.8.8.8'] },
    'empty.test': { addresses: [] },
    'private.test': { addresses: ['10.0.0.1'] },
    'mixed.test': { addresses: ['8.8.8.8', '10.0.0.1'] },
    'mixed-families.test': { addresses: ['8.8.8.8', 'fd00::1'] },
    'mapped.test': { addresses: ['::ffff:127.0.0.1'] },
    'alias.test': { cname: 'localhost', addresses: ['127.0.0.1'] },
    'nat64.test': { addresses: ['64:ff9b::7f00:1'] },
    '10.0.0.1.wildcard.test': { addresses: ['10.0.0.1'] },
    'metadata.test': { addresses: ['169.254.169.254'] },
    'many.test': {
      addresses: [
        ...Array.from({ length: 40 }, (_, index) => `8.8.8.${index + 1}`),
        ...Array.from({ length: 40 }, (_, index) => `2606:4700::${(index + 1).toString(16)}`),
      ],
    },
    'last-private.test': {
      addresses: [...Array.from({ length: 40 }, (_, index) => `8.8.8.${index + 1}`), '192.168.0.1'],
    },
    'last-public.test': {
      addresses: [...Array.from({ length: 30 }, (_, index) => `192.168.0.${index + 1}`), '8.8.8.8'],
    },
    'several-private.test': {
      addresses: ['10.0.0.1', '10.0.0.1', '169.254.169.254', 'fd00::1', '2606:4700::1'],
    },
    'private-four.test': { addresses: ['8.8.8.8', '8.8.4.4', '10.0.0.1', 'fd00::1'] },
    'two-private.test': { addresses: ['10.0.0.1', 'fd00::1'] },
    'servfail.test': { answer: 'servfail' },
    'refused.test': { answer: 'refused' },
    'garbage.test': { answer: 'garbage' },
    'silent.test': { answer: 'silent' },
    intranet: { addresses: ['127.0.0.1'] },
    'half-six.internal': { addresses: ['127.0.0.1', 'fd00::1'] },
    'half.internal': { addresses: ['127.0.0.1', '8.8.8.8'] },
  });
});
afterAll(() => server.stop());

function resolve(
  host: string,
  options: { cidrs?: string[]; timeoutMs?: number; family?: 4 | 6 } = {},
): Promise<Resolution> {
  const policy = options.cidrs === undefined ? PUBLIC : createAddressPolicy(options.cidrs, () => []);
  const resolver = createResolver({ servers: [server.address], policy, timeoutMs: options.timeoutMs });
  return resolver.resolve(host, { signal, family: options.family });
}

describe('the resolver', () => {
  it.each([
    ['both.test', ['8.8.8.8', '2606:4700::1']],
    ['four.test', ['8.8.8.8']],
    ['six.test', ['2606:4700::1']],
    ['twice.test', ['8.8.8.8', '::ffff:8.8.8.8']],
    ['8.8.8.8', ['8.8.8.8']],
    ['2606:4700::1', ['2606:4700::1']],
  ])('returns for the host %s: %j', async (host, addresses) => {
    expect(await resolve(host)).toEqual({ ok: true, addresses });
  });

  it('queries both address families', async () => {
    server.questions.length = 0;
    await resolve('four.test');
    expect(server.questions.toSorted()).toEqual(['A four.test', 'AAAA four.test']);
  });

  it('returns at most 20 addresses, of both families', async () => {
    const result = await resolve('many.test');
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(result.addresses).toHaveLength(20);
    expect(result.addresses.filter((address) => address.includes(':'))).toHaveLength(10);
  });

  it.each([
    ['mixed.test', ['8.8.8.8'], 1],
    ['mixed-families.test', ['8.8.8.8'], 1],
    ['several-private.test', ['2606:4700::1'], 3],
  ])(
    'leaves out the private addresses of %s and returns only how many there are',
    async (host, addresses, leftOut) => {
      expect(await resolve(host)).toEqual({ ok: true, addresses, leftOut });
    },
  );

  it.each([4, 6] as const)('returns up to 20 addresses if only IPv%i is asked for', async (family) => {
    const result = await resolve('many.test', { family });
    expect(result).toMatchObject({ ok: true, addresses: { length: 20 } });
    if (result.ok) expect(result.addresses.every((one) => one.includes(':') === (family === 6))).toBe(true);
  });

  it('returns how many addresses of the requested family were left out', async () => {
    const addresses = ['8.8.8.8', '8.8.4.4'];
    expect(await resolve('private-four.test', { family: 4 })).toEqual({ ok: true, addresses, leftOut: 1 });
    expect(await resolve('mixed-families.test', { family: 4 })).toEqual({ ok: true, addresses: ['8.8.8.8'] });
  });

  it('finds no address of a family if all its addresses are forbidden', async () => {
    const none = { ok: false, stage: 'dns', reason: 'no_ipv6_addresses', detail: null };
    expect(await resolve('mixed-families.test', { family: 6 })).toEqual(none);
    expect(await resolve('private.test', { family: 6 })).toEqual(NOT_FOUND);
  });

  it.each([
    ['four.test', 6],
    ['six.test', 4],
    ['8.8.8.8', 6],
    ['2606:4700::1', 4],
  ] as const)('finds no address of %s if only IPv%i is asked for', async (host, family) => {
    const reason = `no_ipv${family}_addresses`;
    expect(await resolve(host, { family })).toEqual({ ok: false, stage: 'dns', reason, detail: null });
  });

  it('does not find a local name if its addresses of the other family are forbidden', async () => {
    expect(await resolve('half-six.internal', { cidrs: ['127.0.0.0/8'], family: 4 })).toEqual(NOT_FOUND);
  });

  it('judges all addresses before it takes the first 20', async () => {
    expect(await resolve('last-private.test')).toMatchObject({
      ok: true,
      addresses: { length: 20 },
      leftOut: 1,
    });
    expect(await resolve('last-public.test')).toEqual({ ok: true, addresses: ['8.8.8.8'], leftOut: 30 });
  });

  it.each([
    'private.test',
    'two-private.test',
    'mapped.test',
    'alias.test',
    'nat64.test',
    '10.0.0.1.wildcard.test',
    'metadata.test',
    'empty.test',
    'missing.test',
  ])('answers alike for names without a permitted address, whether they exist or not: %s', async (host) => {
    expect(await resolve(host)).toEqual(NOT_FOUND);
    promise('refused-addresses');
  });

  it.each(['127.0.0.1', '169.254.169.254', '::1', 'fe80::1'])('refuses the address %s', async (host) => {
    expect(await resolve(host)).toEqual(REFUSED);
  });

  it.each([
    'localhost',
    'a.localhost',
    'intranet',
    'printer.local',
    'half.internal',
    'x.home.arpa',
    'x.onion',
    'metadata.google.internal',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '1.2.3.4.5',
    '[::1]',
    'fe80::1%lo',
    '127.0.0.1:80',
    'a..test',
    '.test',
    'a b.test',
    'a%2etest',
    'user@four.test',
    'four.test/',
    'four.test\\@x',
    'four.test\0',
    'four.test\n',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(130)}test`,
    '',
  ])('refuses %j without a DNS query', async (host) => {
    server.questions.length = 0;
    expect(await resolve(host)).toEqual(REFUSED);
    expect(server.questions).toEqual([]);
  });

  it.each([
    ['servfail.test', 'dns_failed'],
    ['garbage.test', 'dns_failed'],
    ['refused.test', 'dns_refused'],
  ])('fails for the host %s with %s', async (host, reason) => {
    expect(await resolve(host)).toMatchObject({ ok: false, stage: 'dns', reason });
  });

  it('reports dns_timeout at the deadline if the name server does not answer for one name', async () => {
    const first = await runInSteps(() =>
      Promise.race([
        resolve('silent.test', { timeoutMs: 3_000 }).then(() => 'late'),
        resolve('silent.test', { timeoutMs: 300 }),
      ]),
    );
    expect(first).toMatchObject({ ok: false, reason: 'dns_timeout' });
  });

  it('reports resolver_silent if the name server answers nothing at all', async () => {
    // If a name gets no answer, the resolver asks for the root, which every name server can answer.
    server.entries.set('', { answer: 'silent' });
    const lookUp = () => resolve('silent.test', { timeoutMs: 300 });
    expect(await runInSteps(lookUp)).toMatchObject({ ok: false, reason: 'resolver_silent' });
  });

  it('stops with dns_timeout when the caller aborts', async () => {
    const controller = new AbortController();
    const resolver = createResolver({ servers: [server.address], policy: PUBLIC });
    const pending = resolver.resolve('silent.test', { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, reason: 'dns_timeout' });
  });

  it('reports dns_failed if the name server is unreachable', async () => {
    const gone = await startDnsServer();
    await gone.stop();
    const resolver = createResolver({ servers: [gone.address], policy: PUBLIC });
    expect(await resolver.resolve('both.test', { signal })).toMatchObject({
      ok: false,
      reason: 'dns_failed',
    });
  });

  it('uses the next name server if the first is unreachable', async () => {
    const gone = await startDnsServer();
    await gone.stop();
    const resolver = createResolver({ servers: [gone.address, server.address], policy: PUBLIC });
    expect(await resolver.resolve('four.test', { signal })).toEqual({ ok: true, addresses: ['8.8.8.8'] });
  });

  it('does not cache answers: if a name changes to a private address, the next query does not find it', async () => {
    server.entries.set('flip.test', { addresses: ['8.8.8.8'], ttlSeconds: 300 });
    const resolver = createResolver({ servers: [server.address], policy: PUBLIC });
    expect(await resolver.resolve('flip.test', { signal })).toMatchObject({ ok: true });
    server.entries.set('flip.test', { addresses: ['127.0.0.1'], ttlSeconds: 0 });
    expect(await resolver.resolve('flip.test', { signal })).toEqual(NOT_FOUND);
  });
});

describe('the resolver with open ranges', () => {
  const LOOPBACK = ['127.0.0.0/8', '::1/128'];

  it('allows a local name only if all its addresses are open', async () => {
    expect(await resolve('intranet', { cidrs: LOOPBACK })).toEqual({ ok: true, addresses: ['127.0.0.1'] });
    expect(await resolve('half.internal', { cidrs: LOOPBACK })).toEqual(NOT_FOUND);
    expect(await resolve('intranet', { cidrs: ['10.0.0.0/8'] })).toEqual(NOT_FOUND);
  });

  it('asks the operating system for a name that the name servers do not know', async () => {
    const result = await resolve('localhost', { cidrs: LOOPBACK });
    expect(result).toMatchObject({ ok: true });
    if (result.ok) expect(result.addresses).toContain('127.0.0.1');
    expect(await resolve('localhost', { cidrs: ['10.0.0.0/8'] })).toEqual(NOT_FOUND);
  });

  it('reports the failure of the name servers if the operating system does not know the name either', async () => {
    expect(await resolve('servfail.test', { cidrs: LOOPBACK })).toMatchObject({ reason: 'dns_failed' });
  });

  it('answers alike, after the same lookups, for unknown names and private addresses outside the open ranges', async () => {
    // The machine's name servers may be slow, or know these names, so the operating system's lookup is replaced.
    const unknown = Object.assign(new Error('unknown name'), { code: 'ENOTFOUND' });
    const bySystem = vi.spyOn(promises, 'lookup').mockRejectedValue(unknown);
    onTestFinished(() => bySystem.mockRestore());
    for (const host of ['missing.test', 'empty.test', 'private.test']) {
      server.questions.length = 0;
      bySystem.mockClear();
      expect(await resolve(host, { cidrs: LOOPBACK, timeoutMs: 60_000 })).toEqual(NOT_FOUND);
      // A query without an answer is repeated after a short time, which a busy machine may exceed.
      expect([...new Set(server.questions)].toSorted()).toEqual([`A ${host}`, `AAAA ${host}`]);
      expect(bySystem.mock.calls.map(([name]) => name)).toEqual([host]);
    }
    expect(await resolve('metadata.test', { cidrs: ['0.0.0.0/0'] })).toEqual(NOT_FOUND);
  });
});
