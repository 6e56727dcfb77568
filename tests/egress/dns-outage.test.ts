import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver, type Resolution } from '../../server/egress/resolver.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';

const PUBLIC = createAddressPolicy([], () => []);
const signal = new AbortController().signal;

let server: DnsServer;
beforeEach(async () => {
  server = await startDnsServer({ 'fast.test': { addresses: ['8.8.8.8'] } });
});
afterEach(() => server.stop());

describe('names without a DNS answer', () => {
  it('do not delay other names, even if 100 of them wait at once', async () => {
    // No query for a silent name ends before the test aborts it. So a name that had to wait for one would never be resolved.
    const resolver = createResolver({ servers: [server.address], policy: PUBLIC, timeoutMs: 3_600_000 });
    const controller = new AbortController();
    // A single burst would overflow the receive buffer of the name server, which is small.
    const silent = Array.from({ length: 5 }, (_, wave) =>
      Array.from({ length: 20 }, (__, n) => `dead${wave}-${n}.test`),
    );
    const pending: Promise<Resolution>[] = [];
    for (const names of silent) {
      const asked = Promise.withResolvers<void>();
      const missing = new Set(names.flatMap((name) => [`A ${name}`, `AAAA ${name}`]));
      server.onQuestion = (type, name) => {
        missing.delete(`${type} ${name}`);
        if (missing.size === 0) asked.resolve();
      };
      for (const name of names) {
        server.entries.set(name, { answer: 'silent' });
        pending.push(resolver.resolve(name, { signal: controller.signal }));
      }
      await asked.promise;
    }
    server.onQuestion = () => undefined;

    for (let index = 0; index < 50; index++)
      expect(await resolver.resolve('fast.test', { signal })).toMatchObject({ ok: true });
    controller.abort();
    await Promise.all(pending);
  });

  it('are never sent to the DNS server if they time out while queued', async () => {
    const resolver = createResolver({ servers: [server.address], policy: PUBLIC, timeoutMs: 300 });
    // 1,024 queries, two for each name, may be under way.
    const burst = Array.from({ length: 600 }, (_, index) => `outage${index}.test`);
    for (const name of burst) server.entries.set(name, { answer: 'silent' });
    const results = await Promise.all(burst.map((name) => resolver.resolve(name, { signal })));
    // Under such a burst, the name server may be too busy to answer the query that tests whether it is up.
    const reasons = new Set(results.map((result) => (result.ok ? 'answered' : result.reason)));
    expect(['dns_timeout', 'resolver_silent']).toEqual(expect.arrayContaining([...reasons]));

    for (const name of burst) server.entries.set(name, { addresses: ['8.8.8.8'] });
    const next = (): Promise<Resolution> => resolver.resolve('fast.test', { signal });
    await expect.poll(next).toMatchObject({ ok: true });
    const asked = new Set(server.questions.map((question) => question.split(' ')[1]));
    expect(burst.slice(512).filter((name) => asked.has(name))).toEqual([]);
  });
});
