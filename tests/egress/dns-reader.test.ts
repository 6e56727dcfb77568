import dns from 'node:dns';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { DnsEntry } from '../kit/peers/dns-server.ts';
import { promise } from '../security/promise.ts';
import { ADDRESS, records, signal, useDnsServer } from './dns-rig.ts';

const BARE = { aliases: [], security: 'not_known' };
const rig = useDnsServer();
const { set, questions, readerOf } = rig;

describe('An answer', () => {
  it('has the records of each type', async () => {
    set({
      'site.example': {
        addresses: [ADDRESS, '2001:db8::1'],
        caa: [{ flags: 255, tag: '__proto__', value: 'x' }],
        txt: ['v=1', ''],
        ns: ['NS1.site.example'],
        negativeTtlSeconds: 60,
      },
    });
    const { ask } = readerOf();
    expect(await ask('site.example', 'A')).toEqual(records([ADDRESS]));
    expect(await ask('Site.Example.', 'AAAA')).toEqual(records(['2001:db8::1']));
    expect(await ask('site.example', 'CAA')).toEqual(records([{ flags: 255, tag: '__proto__', value: 'x' }]));
    expect(await ask('site.example', 'TXT')).toEqual(records(['v=1', '']));
    expect(await ask('site.example', 'NS')).toEqual(records(['ns1.site.example']));
    expect(await ask('site.example', 'SOA')).toEqual(records(['ns.site.example']));
  });

  it('tells a name without such records from a name that does not exist', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const { ask } = readerOf();
    expect(await ask('site.example', 'TXT')).toEqual({ outcome: 'no_data', ...BARE });
    expect(await ask('www.site.example', 'TXT')).toEqual({ outcome: 'no_name', ...BARE });
  });

  it.each([
    ['denies all names', { answer: 'nxdomain' }],
    ['has one address for all names, as a captive portal', { addresses: [ADDRESS] }],
    ['finds all signatures wrong, because its clock is', { signature: 'bogus', negativeTtlSeconds: 60 }],
  ] as const)('is not known from a resolver that %s', async (_, root) => {
    set({ '': root, 'site.example': root });
    const { ask } = readerOf();
    expect(await ask('site.example', 'CAA')).toEqual({ outcome: 'no_answer', why: 'resolver' });
    set({ '': { negativeTtlSeconds: 60 } });
    rig.now += 6 * MINUTE_MS;
    expect(await ask('site.example', 'CAA')).not.toMatchObject({ why: 'resolver' });
  });

  it.each([
    ['refused', 'refused'],
    ['servfail', 'servfail'],
    ['silent', 'timeout'],
    ['garbage', 'timeout'],
  ] as const)('is missing, with the reason, if the server behaves as %s', async (answer, why) => {
    set({ 'site.example': { answer } });
    expect(await readerOf(why === 'timeout' ? { triesMs: [50, 50] } : {}).ask('site.example', 'A')).toEqual({
      outcome: 'no_answer',
      why,
    });
  });

  it('is missing for IP addresses, local names and malformed names, about which no server is asked', async () => {
    set({ 'site.example': { cname: 'printer.internal' } });
    const { ask } = readerOf();
    for (const name of ['192.0.2.7', '2001:db8::7', 'localhost', 'printer.internal', 'com'])
      expect(await ask(name, 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
    for (const name of ['a b.example', 'a..example', '', 'ä.example', `${'a'.repeat(64)}.example`])
      expect(await ask(name, 'A')).toMatchObject({ outcome: 'no_answer' });
    expect(questions()).toEqual([]);
    expect(await ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
    expect(questions()).toEqual(['A site.example']);
  });

  it('is missing if the resolver fails at an alias to a local name, about which no server is asked', async () => {
    rig.server().onQuestion = (type) =>
      set({ 'site.example': type === 'CNAME' ? { cname: 'printer.internal' } : { answer: 'servfail' } });
    expect(await readerOf().ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'servfail' });
    expect(questions().at(-1)).toBe('CNAME site.example');
  });
});

describe('Aliases', () => {
  it('are followed within a response, and by a new question if the response ends with an alias', async () => {
    set({
      'www.site.example': { cname: 'cdn.example', addresses: [ADDRESS] },
      'cdn.example': { cname: 'edge.example' },
      'edge.example': { txt: ['here'] },
    });
    const { ask } = readerOf();
    expect(await ask('www.site.example', 'A')).toEqual(records([ADDRESS], ['cdn.example']));
    expect(await ask('www.site.example', 'TXT')).toEqual(records(['here'], ['cdn.example', 'edge.example']));
    expect(questions()).toEqual([
      'A www.site.example',
      'TXT www.site.example',
      'TXT cdn.example',
      'TXT edge.example',
    ]);
  });

  it('may lead to a name that does not exist, or that has no such record', async () => {
    set({
      'gone.example': { cname: 'nowhere.example', isDangling: true },
      'bare.example': { cname: 'empty.example', negativeTtlSeconds: 60 },
    });
    const { ask } = readerOf();
    expect(await ask('gone.example', 'A')).toEqual({
      ...BARE,
      outcome: 'no_name',
      aliases: ['nowhere.example'],
    });
    expect(await ask('bare.example', 'A')).toEqual({
      ...BARE,
      outcome: 'no_data',
      aliases: ['empty.example'],
    });
    expect(questions()).toHaveLength(2);
  });

  it('by DNAME replace the end of the name with the target', async () => {
    set({
      'a.b.old.example': { dname: ['old.example', 'new.example'] },
      'a.b.new.example': { addresses: [ADDRESS] },
      'loop.example': { dname: ['example', 'loop.example'] },
    });
    const { ask } = readerOf();
    expect(await ask('a.b.old.example', 'A')).toEqual(records([ADDRESS], ['a.b.new.example']));
    expect(await ask('loop.example', 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
  });

  it('may be eight, but not nine and not a loop', async () => {
    for (let index = 0; index < 9; index++)
      set({ [`n${index}.example`]: { cname: `n${index + 1}.example` } });
    set({
      'n9.example': { addresses: [ADDRESS] },
      'one.example': { cname: 'two.example' },
      'two.example': { cname: 'one.example' },
    });
    const { ask } = readerOf();
    expect(await ask('n1.example', 'A')).toMatchObject({ outcome: 'records', aliases: { length: 8 } });
    for (const name of ['n0.example', 'one.example'])
      expect(await ask(name, 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
  });

  it('in a loop are found behind a resolver that answers SERVFAIL, as unbound and BIND do', async () => {
    const targets: Record<string, string> = { 'one.example': 'two.example', 'two.example': 'one.example' };
    rig.server().onQuestion = (type, name) => {
      const cname = type === 'CNAME' ? targets[name] : undefined;
      rig.server().entries.set(name, cname === undefined ? { answer: 'servfail' } : { cname });
    };
    const { ask } = readerOf();
    expect(await ask('one.example', 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
    expect(await ask('broken.example', 'A')).toEqual({ outcome: 'no_answer', why: 'servfail' });
  });
});

describe('DNSSEC', () => {
  const signed: DnsEntry = { addresses: [ADDRESS], signature: 'valid', negativeTtlSeconds: 60 };
  const security = async (name: string, reader = readerOf()) => {
    const answer = await reader.ask(name, 'A');
    return 'security' in answer ? answer.security : answer.why;
  };

  it('is known only from a resolver that sends the AD bit for a signed name', async () => {
    set({ 'signed.example': signed, 'plain.example': { addresses: [ADDRESS] } });
    expect(await security('signed.example')).toBe('not_known');
    expect(await readerOf().validates(signal)).toBe(false);
    set({ '': signed });
    const reader = readerOf();
    expect(await reader.validates(signal)).toBe(true);
    expect(await security('signed.example', reader)).toBe('secure');
    expect(await security('plain.example', reader)).toBe('insecure');
    expect(await security('nowhere.example', reader)).toBe('insecure');
    promise('forged-dns');
  });

  it('is as weak as the weakest part of a chain of aliases', async () => {
    set({
      '': signed,
      'www.signed.example': { cname: 'plain.example', signature: 'valid' },
      'plain.example': { addresses: [ADDRESS] },
    });
    expect(await security('www.signed.example')).toBe('insecure');
  });

  it('is not known for names for which the resolver itself is authoritative', async () => {
    set({ '': signed, 'own.example': { addresses: [ADDRESS] } });
    rig.server().onReply = (reply, _transport, query) => {
      if (query.includes('own')) reply.writeUInt8(reply.readUInt8(2) | 0x04, 2);
      return [reply];
    };
    expect(await security('own.example')).toBe('not_known');
  });

  it('asks a resolver once a day whether it validates, and after an hour if it gave no answer', async () => {
    const count = () => rig.server().questions.filter((question) => question === 'SOA ').length;
    set({ '': signed, 'a.example': signed });
    const reader = readerOf();
    await Promise.all([security('a.example', reader), reader.validates(signal), reader.validates(signal)]);
    rig.now += DAY_MS - 1;
    expect(await reader.validates(signal)).toBe(true);
    expect(count()).toBe(1);
    rig.server().onReply = (reply) => [reply.subarray(0, -3)];
    rig.now += 1;
    expect(await reader.validates(signal)).toBe(false);
    rig.server().onReply = (reply) => [reply];
    rig.now += HOUR_MS - 1;
    expect(await reader.validates(signal)).toBe(false);
    // By UDP and by TCP.
    expect(count()).toBe(3);
    rig.now += 1;
    expect(await reader.validates(signal)).toBe(true);
  });

  it('is trusted from a system resolver only if that is on loopback', async () => {
    const before = dns.getServers();
    onTestFinished(() => dns.setServers(before));
    set({ '': signed, 'signed.example': signed });
    const { address } = rig.server();
    // Packets to 0.0.0.0 arrive at loopback, but the address does not say so.
    for (const [server, expected] of [
      [address, 'secure'],
      [address.replace('127.0.0.1', '0.0.0.0'), 'not_known'],
    ] as const) {
      dns.setServers([server]);
      expect(await security('signed.example', readerOf({ servers: [] }))).toBe(expected);
    }
    promise('forged-dns');
  });

  it('is bogus if the resolver answers only without validation', async () => {
    set({ 'bad.example': { ...signed, signature: 'bogus' } });
    expect(await security('bad.example')).toBe('bogus');
    expect(questions()).toEqual(['A bad.example', 'A bad.example', 'A bad.example']);
  });

  it('is not bogus if the resolver answers with validation on the second try', async () => {
    set({ 'slow.example': { ...signed, signature: 'bogus' } });
    rig.server().onQuestion = () => {
      if (questions().length === 3) set({ 'slow.example': signed });
    };
    expect(await readerOf().ask('slow.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('is not bogus if the resolver fails either way', async () => {
    set({ 'down.example': { answer: 'servfail' } });
    expect(await security('down.example')).toBe('servfail');
  });
});

describe('The cache', () => {
  const asked = async (entry: DnsEntry, ages: readonly number[]): Promise<number[]> => {
    set({ 'site.example': entry });
    const reader = readerOf();
    await reader.ask('site.example', 'A');
    const counts: number[] = [];
    for (const age of ages) {
      const start = rig.now;
      rig.now += age;
      await reader.ask('site.example', 'A');
      rig.now = start;
      counts.push(questions().length);
    }
    return counts;
  };

  it.each([
    ['for an hour if the TTL is shorter', { addresses: [ADDRESS], ttlSeconds: 5 }, HOUR_MS],
    ['for its TTL', { addresses: [ADDRESS], ttlSeconds: 7_200 }, 2 * HOUR_MS],
    ['for a day if the TTL is longer', { addresses: [ADDRESS], ttlSeconds: 604_800 }, DAY_MS],
    ['for the time in the SOA record if there are no records', { negativeTtlSeconds: 7_200 }, 2 * HOUR_MS],
    ['for five minutes if it is a failure', { answer: 'servfail' }, 5 * MINUTE_MS],
  ] as const)('keeps an answer %s', async (_title, entry, keptMs) => {
    const [before, after] = await asked(entry, [keptMs - 1, keptMs]);
    expect(after).toBe(2 * (before ?? 0));
  });

  it('does not use answers from the future after the clock was set back', async () => {
    expect(await asked({ addresses: [ADDRESS], ttlSeconds: 7_200 }, [-1])).toEqual([2]);
  });

  it('asks equal questions that run at the same time once', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const { ask } = readerOf();
    const answers = await Promise.all([
      ask('site.example', 'A'),
      ask('SITE.example', 'A'),
      ask('site.example', 'TXT'),
    ]);
    expect(answers.slice(0, 2)).toEqual([records([ADDRESS]), records([ADDRESS])]);
    expect(questions().toSorted()).toEqual(['A site.example', 'TXT site.example']);
  });

  it('keeps a question running for the others if one caller aborts', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const reader = readerOf();
    const leaving = new AbortController();
    const left = reader.query('site.example', 'A', { signal: leaving.signal });
    const stayed = reader.ask('site.example', 'A');
    leaving.abort();
    expect(await left).toEqual({ outcome: 'no_answer', why: 'timeout' });
    expect(await stayed).toEqual(records([ADDRESS]));
  });

  it('keeps no answer of a question that all callers aborted', async () => {
    set({ 'site.example': { answer: 'silent' } });
    const reader = readerOf({ triesMs: [60_000] });
    const leaving = new AbortController();
    rig.server().onQuestion = () => leaving.abort();
    expect(await reader.query('site.example', 'A', { signal: leaving.signal })).toMatchObject({
      why: 'timeout',
    });
    rig.server().onQuestion = () => undefined;
    set({ 'site.example': { addresses: [ADDRESS] } });
    expect(await reader.ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('asks at most 64 questions at a time, and none that waited until it was aborted', async () => {
    const reader = readerOf({ triesMs: [60_000] });
    const leaving = new AbortController();
    const answers = Array.from({ length: 100 }, (_, index) => {
      set({ [`n${index}.example`]: { answer: 'silent' } });
      return reader.query(`n${index}.example`, 'A', { signal: leaving.signal });
    });
    await expect.poll(() => questions().length).toBe(64);
    leaving.abort();
    await Promise.all(answers);
    expect(await reader.ask('last.example', 'A')).toMatchObject({ outcome: 'no_name' });
    expect(questions()).toHaveLength(65);
  });

  it('ends a question at its time limit', async () => {
    set({ 'site.example': { answer: 'silent' } });
    const reader = readerOf({ triesMs: [3_600_000], timeoutMs: 50 });
    expect(await reader.ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'timeout' });
  });
});
