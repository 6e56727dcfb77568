import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { runInSteps } from '../kit/peers/loopback.ts';

const PUBLIC = createAddressPolicy([], () => []);
const signal = new AbortController().signal;

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer({ '_xmpp-client._tcp.empty.test': {} });
});
afterAll(() => dns.stop());

describe('the lookup of servers', () => {
  const ask = (name: string, policy = PUBLIC) =>
    runInSteps(() =>
      createResolver({ servers: [dns.address], policy, timeoutMs: 300 }).servers(name, { signal }),
    );
  const NONE = { ok: true, records: [], isDeclined: false };

  it('sorts servers by ascending priority and, within a priority, by descending weight', async () => {
    dns.entries.set('_xmpp-client._tcp.chat.test', {
      srv: [
        { target: 'backup.test', port: 5222, priority: 20 },
        { target: 'light.test', port: 5222, priority: 10, weight: 1 },
        { target: 'HEAVY.test', port: 443, priority: 10, weight: 9 },
      ],
    });
    expect(await ask('_xmpp-client._tcp.chat.test')).toMatchObject({
      records: [
        { name: 'heavy.test', port: 443 },
        { name: 'light.test', port: 5222 },
        { name: 'backup.test', port: 5222 },
      ],
      isDeclined: false,
    });
  });

  it('reports that a domain declines the service if its only record is a dot; beside other servers, ignores the dot', async () => {
    const root = { target: '', port: 0 };
    dns.entries.set('_xmpp-client._tcp.none.test', { srv: [root] });
    expect(await ask('_xmpp-client._tcp.none.test')).toEqual({ ok: true, records: [], isDeclined: true });
    dns.entries.set('_xmpp-client._tcp.odd.test', { srv: [root, { target: 'a.test', port: 5222 }] });
    expect(await ask('_xmpp-client._tcp.odd.test')).toMatchObject({
      records: [{ name: 'a.test' }],
      isDeclined: false,
    });
  });

  it('lists at most 10 servers, and none without a host or a port', async () => {
    const srv = Array.from({ length: 30 }, (_, index) => ({ target: `s${index}.test`, port: 5222 }));
    dns.entries.set('_xmpp-client._tcp.many.test', { srv });
    expect(await ask('_xmpp-client._tcp.many.test')).toMatchObject({ records: { length: 10 } });
    dns.entries.set('_xmpp-client._tcp.bad.test', {
      srv: [
        { target: '127.0.0.1', port: 5222 },
        { target: 'a b.test', port: 5222 },
        { target: 'a.test', port: 0 },
      ],
    });
    expect(await ask('_xmpp-client._tcp.bad.test')).toMatchObject({ records: [] });
  });

  it.each(['empty.test', 'nowhere.test'])(
    'lists no servers for %s, which has no such records',
    async (host) => {
      expect(await ask(`_xmpp-client._tcp.${host}`)).toEqual(NONE);
    },
  );

  it('sends no query for a local name, unless the operator opened a range', async () => {
    dns.entries.set('_xmpp-client._tcp.chat.internal', { srv: [{ target: 'a.internal', port: 5222 }] });
    dns.questions.length = 0;
    for (const host of ['chat.internal', 'intranet', 'localhost'])
      expect(await ask(`_xmpp-client._tcp.${host}`)).toEqual(NONE);
    expect(dns.questions).toEqual([]);
    const open = createAddressPolicy(['10.0.0.0/8'], () => []);
    expect(await ask('_xmpp-client._tcp.chat.internal', open)).toMatchObject({
      records: [{ name: 'a.internal' }],
    });
  });

  it('reports a failed query', async () => {
    dns.entries.set('_xmpp-client._tcp.servfail.test', { answer: 'servfail' });
    expect(await ask('_xmpp-client._tcp.servfail.test')).toMatchObject({ ok: false, reason: 'dns_failed' });
    dns.entries.set('_xmpp-client._tcp.silent.test', { answer: 'silent' });
    dns.entries.set('', { answer: 'silent' });
    expect(await ask('_xmpp-client._tcp.silent.test')).toMatchObject({
      ok: false,
      reason: 'resolver_silent',
    });
    dns.entries.delete('');
    expect(await ask('_xmpp-client._tcp.silent.test')).toMatchObject({ ok: false, reason: 'dns_timeout' });
  });
});
